package fidelity

import (
	"fmt"
	"math"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// Pair is the names of an original and of the preset that imitates it.
type Pair struct{ Original, Preset string }

// row is how an original and its preset compare in one figure.
type row struct {
	Pair
	figure
	byOriginal, byPreset judge.Summary
	// Comparison says how many times as much the preset has, or how much more if the figure may be zero. Slower means that it has
	// more, Faster that it has less.
	judge.Comparison
}

// compare returns how each pair compares in every figure that both have. A ratio up to the margin counts as none.
func compare(d *rundata.Data, pairs []Pair, margin float64) (rows []row) {
	var ratios []judge.Pair
	var at []int // of ratios among rows
	for _, p := range pairs {
		for _, f := range figures() {
			a, b := f.of(d, p.Preset), f.of(d, p.Original)
			if len(a) == 0 || len(b) == 0 {
				continue
			}
			if !f.nothing {
				ratios = append(ratios, judge.Pair{A: a, B: b, Terms: judge.Terms{Margin: margin, Negligible: f.same}})
				at = append(at, len(rows))
			}
			rows = append(rows, row{Pair: p, byOriginal: judge.SummarizeFinite(b), byPreset: judge.SummarizeFinite(a), figure: f})
		}
	}
	for i, c := range judge.CompareTogether(ratios, len(rows)) {
		rows[at[i]].Comparison = c
	}
	for i := range rows {
		if r := &rows[i]; r.nothing {
			r.Comparison = judge.Differ(r.of(d, r.Preset), r.of(d, r.Original), r.same, judge.Terms{Comparisons: len(rows)})
		}
	}
	return rows
}

// inWords says how the preset compares.
func (r *row) inWords() string {
	switch r.Answer {
	case judge.AsFast:
		return "as the original"
	case judge.Slower:
		return "more"
	case judge.Faster:
		return "less"
	}
	if r.More() >= judge.TooMany {
		return "unclear"
	}
	return "unclear; " + words.Many(r.More(), "more block")
}

// comparison writes how much more, with its interval.
func (r *row) comparison() string {
	if r.nothing {
		return difference(r.Estimate, r.format)
	}
	return words.Interval(r.Value, r.Low, r.High, words.Times)
}

// difference writes a difference with its interval: 2 % more (1 % to 3 %), or 1 % less (4 % less to 2 % more).
func difference(d judge.Estimate, f words.Format) string {
	side := func(v float64) string {
		if v < 0 {
			return f(-v) + " less"
		}
		return f(v) + " more"
	}
	said := side(d.Value)
	switch {
	case math.IsInf(d.Low, 0) || math.IsInf(d.High, 0) || math.IsNaN(d.Low+d.High):
		return said
	case d.Low >= 0:
		return fmt.Sprintf("%s (%s to %s)", said, f(d.Low), f(d.High))
	case d.High <= 0:
		return fmt.Sprintf("%s (%s to %s)", said, f(-d.High), f(-d.Low))
	}
	return fmt.Sprintf("%s (%s to %s)", said, side(d.Low), side(d.High))
}
