package chart

import (
	"math"
	"slices"
	"time"

	"schedbench/internal/words"
)

// TimeAxis has durations at the units people think in, at most so many of them
// between the least and the greatest of some.
func TimeAxis(label string, most int, some []Line) Axis {
	least, greatest := math.Inf(1), 0.0
	for _, pt := range pointsOf(some) {
		least, greatest = min(least, pt.X), max(greatest, pt.X)
	}
	return Axis{Label: label, Log: true, WithZero: true, Format: timeUnit, At: timeMarks(max(least, 1)/2, greatest*2, most)}
}

// timeMarks returns round durations between two, about evenly on a logarithmic
// axis, and at most so many.
func timeMarks(least, greatest float64, most int) []float64 {
	const s, m, h, day, year = 1e9, 60e9, 3600e9, 86400e9, 365 * 86400e9
	within := slices.DeleteFunc([]float64{
		1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, s, 10 * s, m, 10 * m, h, 12 * h, 4 * day, 30 * day, year, 10 * year, 100 * year,
	}, func(v float64) bool { return !(v >= least && v <= greatest) })
	var marks []float64
	for some := range slices.Chunk(within, max(1, (len(within)+most-1)/most)) {
		marks = append(marks, some[0])
	}
	return marks
}

// timeUnit writes a duration in the unit that people would use.
func timeUnit(v float64) string {
	const day = float64(24 * time.Hour)
	switch {
	case v >= 365*day:
		return words.Number(v/365/day) + "y"
	case v >= day:
		return words.Number(v/day) + "d"
	case v == 0:
		return "0"
	}
	return words.Span(v)
}

// ShareAxis is for cumulative distributions.
func ShareAxis(label string) Axis {
	return Axis{Label: label, WithZero: true, Format: words.Share, At: []float64{0, 0.25, 0.5, 0.75, 1}}
}
