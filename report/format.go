package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"schedbench/judge"
)

// format writes a figure with its unit.
type format func(float64) string

// scale is a unit: figures from size up are written in it.
type scale struct {
	size float64
	unit string
}

// nanos writes a time given in nanoseconds: 12.3 µs.
func nanos(v float64) string {
	return scaled(v, []scale{{1, " ns"}, {1e3, " µs"}, {1e6, " ms"}, {1e9, " s"}})
}

// count writes a number: 1.5k.
func count(v float64) string {
	return trimmed(scaled(v, []scale{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}}))
}

// perSecond writes a rate: 1k/s.
func perSecond(v float64) string { return count(v) + "/s" }

// bytes writes an amount of memory: 64.0 B.
func bytes(v float64) string {
	return scaled(v, []scale{{1, " B"}, {1e3, " kB"}, {1e6, " MB"}, {1e9, " GB"}})
}

// percent writes a share: 0.05 as 5.00 %.
func percent(v float64) string { return significant(100*v) + " %" }

// span writes a duration given in nanoseconds the way people say it: 90 s as
// 1m30s, a whole hour as 1h, four days as 4d.
func span(v float64) string {
	const day = 24 * time.Hour
	d := time.Duration(v)
	if d >= 2*day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	for _, whole := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, whole) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// tidy returns a format that leaves out zeros after the point, for the labels
// of axes.
func tidy(f format) format {
	return func(v float64) string { return trimmed(f(v)) }
}

// scaled writes a figure with three significant digits in the unit that suits
// its size.
func scaled(v float64, scales []scale) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "?"
	}
	// Rounded first, so that 999.9 ns becomes 1.00 µs and not 1000 ns.
	rounded := math.Abs(round(v))
	best := scales[0]
	for _, s := range scales {
		if rounded >= s.size {
			best = s
		}
	}
	return significant(v/best.size) + best.unit
}

// round returns v with three significant digits.
func round(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// significant writes v with three significant digits.
func significant(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "?"
	}
	decimals := 0
	switch a := math.Abs(round(v)); {
	case a == 0:
		return "0"
	case a < 1e-6:
		return strconv.FormatFloat(v, 'e', 1, 64)
	case a < 0.001:
		return strconv.FormatFloat(round(v), 'f', -1, 64)
	case a < 1:
		decimals = 3
	case a < 10:
		decimals = 2
	case a < 100:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// trimmed returns a figure without zeros after the point: 1.50k as 1.5k.
func trimmed(s string) string {
	end := 0
	for end < len(s) && (s[end] == '-' || s[end] == '.' || s[end] >= '0' && s[end] <= '9') {
		end++
	}
	number, unit := s[:end], s[end:]
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + unit
}

// within writes a median and how far the interval goes from it: 12.3 ns ±4%.
// Without samples enough for an interval it is ±∞.
func within(s judge.Summary, f format) string {
	switch {
	case s.N == 0 || math.IsNaN(s.Median):
		return ""
	case !s.Bounded():
		return f(s.Median) + " ±∞"
	case s.Median == 0:
		return f(0)
	}
	far := max(s.High-s.Median, s.Median-s.Low) / math.Abs(s.Median)
	if far >= 1 {
		return fmt.Sprintf("%s (%s to %s)", f(s.Median), f(s.Low), f(s.High))
	}
	return fmt.Sprintf("%s ±%.0f%%", f(s.Median), 100*far)
}

// times writes a ratio: 1.8×.
func times(v float64) string { return trimmed(significant(v)) + "×" }
