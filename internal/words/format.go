// Package words writes figures with their units, durations, lists and sentences for the whole program.
package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Format writes a figure with its unit.
type Format func(float64) string

// Nanos writes a time given in nanoseconds: 12.3 µs.
func Nanos(v float64) string { return scaled(v, " ns", " µs", " ms", " s") }

// Count writes a number: 1.5k.
func Count(v float64) string { return Trimmed(scaled(v, "", "k", "M", "G")) }

// PerSecond writes a rate: 1k/s.
func PerSecond(v float64) string { return Count(v) + "/s" }

// Bytes writes an amount of memory: 64.0 B.
func Bytes(v float64) string { return scaled(v, " B", " kB", " MB", " GB") }

// Percent writes a share: 0.05 as 5.00 %.
func Percent(v float64) string { return Significant(100*v) + " %" }

// Span writes a duration given in nanoseconds the way people say it: 1m30s, 1h, 4d.
func Span(v float64) string {
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

// Tidy returns a format that leaves out zeros after the point, for the labels of axes.
func Tidy(f Format) Format { return func(v float64) string { return Trimmed(f(v)) } }

// scaled writes a figure with three significant digits in the unit that suits its size; each is a thousand of the one before.
func scaled(v float64, units ...string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "?"
	}
	// Rounded first: 999.9 ns becomes 1.00 µs and not 1000 ns.
	rounded, size := math.Abs(Round(v)), 1.0
	for len(units) > 1 && rounded >= 1000*size {
		size, units = 1000*size, units[1:]
	}
	return Significant(v/size) + units[0]
}

// Round returns v with three significant digits.
func Round(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// Significant writes v with three significant digits.
func Significant(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "?"
	}
	decimals := 0
	switch a := math.Abs(Round(v)); {
	case a == 0:
		return "0"
	case a < 1e-6:
		return strconv.FormatFloat(v, 'e', 1, 64)
	case a < 0.001:
		return strconv.FormatFloat(Round(v), 'f', -1, 64)
	case a < 1:
		decimals = 3
	case a < 10:
		decimals = 2
	case a < 100:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Trimmed returns a figure without zeros after the point: 1.50k as 1.5k.
func Trimmed(s string) string {
	unit := strings.TrimLeft(s, "-.0123456789")
	number := strings.TrimSuffix(s, unit)
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + unit
}

// Times writes a ratio: 1.8×, 21.6k×.
func Times(v float64) string {
	if v >= 9999.5 && !math.IsInf(v, 0) {
		return Count(v) + "×"
	}
	return Number(v) + "×"
}

// Interval writes a figure and how far its interval goes from it: 12.3 ns ±4%, or ±? if an end is infinite.
func Interval(v, low, high float64, f Format) string {
	far := max(high-v, v-low) / math.Abs(v)
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(low, 0) || math.IsInf(high, 0) || math.IsNaN(low+high):
		return f(v) + " ±?"
	case v == 0:
		return f(0)
	case far >= 1:
		return fmt.Sprintf("%s (%s to %s)", f(v), f(low), f(high))
	}
	return fmt.Sprintf("%s ±%.0f%%", f(v), 100*far)
}

// Beyond writes a difference that is above zero but for noise: under 0.003 % if its interval reaches zero.
func Beyond(v, low, high float64, f Format) string {
	if (v <= 0 || low <= 0) && high > 0 && !math.IsInf(high, 0) {
		return "under " + f(high)
	}
	return Interval(max(v, 0), max(low, 0), max(high, 0), f)
}

// Time is Nanos without zeros after the point, as axes and sentences have it: 1.5 ms.
func Time(ns float64) string { return Trimmed(Nanos(ns)) }

// Share is Percent without zeros after the point.
func Share(v float64) string { return Trimmed(Percent(v)) }

// Number is Significant without zeros after the point.
func Number(v float64) string { return Trimmed(Significant(v)) }

// Short writes a duration with three digits, in the units that people use.
func Short(d time.Duration) string {
	const day = 24 * time.Hour
	switch a := d.Abs(); {
	case a >= 2*365*day:
		return fmt.Sprintf("%.3gy", d.Hours()/24/365)
	case a >= 2*day:
		return fmt.Sprintf("%.3gd", d.Hours()/24)
	case a >= 10*time.Minute:
		return Span(float64(d.Round(time.Minute)))
	case a >= 100*time.Second:
		return Span(float64(d.Round(time.Second)))
	case a == 0:
		return "0s"
	default:
		unit := time.Duration(math.Pow10(int(math.Floor(math.Log10(float64(a)))) - 2))
		return Span(float64(d.Round(max(unit, 1))))
	}
}
