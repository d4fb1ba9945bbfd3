// Package judge says what samples are worth: it sums them up with intervals, compares contestants block by block, and
// answers whether one is faster, as fast, or whether that is unclear. Nothing else in this module decides that.
package judge

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"
	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"schedbench/internal/lists"
)

// Confidence is the confidence of all intervals that are not corrected for the number of comparisons.
const Confidence = 0.95

// Summary is the median of some samples and an interval that holds the true median with the confidence asked for,
// whatever the distribution. With fewer than six samples, at 95 %, Low and High are infinite.
type Summary struct {
	Median, Low, High float64
	N                 int
}

// summarize returns the summary of samples. Without samples all is NaN.
func summarize(samples []float64, confidence float64) Summary {
	if len(samples) == 0 {
		return Summary{math.NaN(), math.NaN(), math.NaN(), 0}
	}
	negated := lists.Each(samples, func(v float64) float64 { return -v })
	s, mirrored := summary(slices.Clone(samples), confidence), summary(negated, confidence)
	return Summary{s.Center, min(s.Lo, -mirrored.Hi), max(s.Hi, -mirrored.Lo), len(samples)}
}

// summary returns the summary of samples by benchmath. Of two intervals with the same confidence benchmath returns
// the lower one; with five samples that has no lower end. The negated samples give the upper one.
func summary(samples []float64, confidence float64) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(samples, &benchmath.DefaultThresholds), confidence)
}

// Bounded reports whether there were samples enough for an interval.
func (s Summary) Bounded() bool { return !math.IsInf(s.Low, 0) && !math.IsInf(s.High, 0) && s.N > 0 }

// SummarizeFinite leaves out samples that are not numbers, which no interval can hold, and summarizes the others.
func SummarizeFinite(samples []float64) Summary { return summarize(finite(samples), Confidence) }

// MedianFinite leaves out samples that are not numbers, and returns the median of the others: NaN of none.
func MedianFinite(samples []float64) float64 {
	m, _ := stats.Median(finite(samples)) // NaN of none
	return m
}

func finite(samples []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(samples), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Perceptible sets the median to 0 if the interval reaches down to 0: such a difference is not significant.
func (s Summary) Perceptible() Summary {
	if s.Bounded() && s.Low <= 0 {
		s.Median = 0
	}
	return s
}

// Net returns the samples of a less those of control, round by round: what is beyond
// an idle process, say. Where there is nothing it scatters to both sides of zero.
func Net(a, control []float64) []float64 {
	n := min(len(a), len(control))
	return floats.SubTo(make([]float64, n), a[:n], control[:n])
}

// NetTime is Net for the time of an operation without the loop around it. A time below the loop's own scatter
// counts as that scatter: nothing finer is known, and ratios to almost nothing have no bounds.
func NetTime(a, loop []float64) []float64 {
	least, _ := stats.MedianAbsoluteDeviation(finite(loop)) // NaN without any
	return lists.Each(Net(a, loop), func(v float64) float64 { return max(v, least) })
}

// Slope returns the slope of a straight line through the logarithms of points: the exponent of a power law. All figures
// are positive, and two x differ.
func Slope(x, y []float64) float64 {
	_, slope := stat.LinearRegression(lists.Each(x, math.Log), lists.Each(y, math.Log), nil, false)
	return slope
}
