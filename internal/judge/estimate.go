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
