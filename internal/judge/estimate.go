package judge

import (
	"math"
	"slices"
)

// Estimate is a figure with the interval in which the true one is expected.
type Estimate struct{ Value, Low, High float64 }

// AtLeast returns an estimate of what cannot be less than a limit.
func (e Estimate) AtLeast(limit float64) Estimate {
	return e.each(func(v float64) float64 { return max(v, limit) })
}

// each returns the estimate on another scale, which keeps the order of figures.
func (e Estimate) each(scale func(float64) float64) Estimate {
	return Estimate{scale(e.Value), scale(e.Low), scale(e.High)}
}

// Median returns the median of samples with its interval, or with their range if
// they are too few for one. Without samples all is NaN.
func Median(samples []float64) Estimate {
	s := summarize(samples, Confidence)
	if !s.Bounded() && len(samples) > 0 {
		s.Low, s.High = slices.Min(samples), slices.Max(samples)
	}
	return Estimate{s.Median, s.Low, s.High}
}

// LogDeviation returns the standard deviation of the logarithms of positive figures, NaN of fewer than two.
func LogDeviation(figures []float64) float64 {
	_, _, variance := moments(logarithms(figures))
	return math.Sqrt(variance)
}

// Finding says whether a statement is true of what was measured or predicted.
type Finding int

// The findings. A statement that is neither known to hold nor to fail is undecided.
const (
	Undecided Finding = iota
	Holds
	Fails
)

// String returns the finding in words.
func (f Finding) String() string { return [...]string{"unclear", "holds", "fails"}[f] }

// All returns what is known of statements together: all of them hold, one fails, or
// neither is known. Without any it holds.
func All(of ...Finding) Finding {
	switch {
	case slices.Contains(of, Fails):
		return Fails
	case slices.Contains(of, Undecided):
		return Undecided
	}
	return Holds
}

// Within says whether a figure lies from one limit to another: it does or does not with the whole of its interval, or that is
// undecided.
func (e Estimate) Within(low, high float64) Finding {
	switch {
	case low <= e.Low && e.High <= high:
		return Holds
	case e.High < low || high < e.Low:
		return Fails
	}
	return Undecided
}

// Average is a mean or the median of blocks, with its interval. With fewer than two blocks the interval has no bounds.
// Without any the figure is NaN.
type Average struct {
	Estimate
	// Blocks are the figures of the blocks, in their order.
	Blocks []float64
}

// Mean returns the mean of blocks, with an interval by Student's t. Those that are not numbers count for nothing.
func Mean(blocks []float64) Average {
	return average(blocks, finite(blocks), func(v float64) float64 { return v })
}

// GeometricMean returns the geometric mean of blocks of a positive figure with outliers only above, such as
// lateness, with an interval by Student's t. Blocks without a positive figure do not count.
func GeometricMean(blocks []float64) Average { return average(blocks, logarithms(blocks), math.Exp) }

// average averages known figures, from which scale leads to the figure of the blocks.
func average(blocks, known []float64, scale func(float64) float64) Average {
	of := paired(known, usual{})
	of.confidence = Confidence
	return Average{of.estimate().each(scale), blocks}
}

// Middle returns the median of blocks, with an interval by their ranks. A few disturbed blocks do not move it. With too
// few blocks for that interval it returns their mean. Blocks that are not numbers count for nothing.
func Middle(blocks []float64) Average {
	known := finite(blocks)
	s := summarize(known, Confidence)
	if !s.Bounded() {
		return Mean(blocks)
	}
	return Average{Estimate{s.Median, s.Low, s.High}, blocks}
}
