package judge

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// Estimate is a figure with the interval in which the true one is expected.
type Estimate struct{ Value, Low, High float64 }

// Times returns an estimate that is so many times as great.
func (e Estimate) Times(by float64) Estimate { return Estimate{by * e.Value, by * e.Low, by * e.High} }

// AtLeast returns an estimate of what cannot be less than a limit.
func (e Estimate) AtLeast(limit float64) Estimate {
	return Estimate{max(e.Value, limit), max(e.Low, limit), max(e.High, limit)}
}

// Above reports whether e is really more than another estimate: its interval lies
// beyond that of the other, or it is more by a margin, as a share of the other.
func (e Estimate) Above(other Estimate, margin float64) bool {
	return e.Low > other.High || e.Value > other.Value*(1+margin)
}

// Agree reports whether what was expected is what was measured, but for a share of
// that, or for a difference that does not count.
func Agree(expected, measured, share, atMost float64) bool {
	return !(math.Abs(expected-measured) > max(share*measured, atMost))
}

// Median returns the median of samples with its interval, or with their range if
// they are too few for one. Without samples all is NaN.
func Median(samples []float64) Estimate {
	s := Summarize(samples, Confidence)
	if !s.Bounded() && len(samples) > 0 {
		s.Low, s.High = slices.Min(samples), slices.Max(samples)
	}
	return Estimate{s.Median, s.Low, s.High}
}

// TrimmedMean returns the mean of samples without the least sixth of them and the
// greatest, and with the interval of the median. Costs tend to have two modes, for
// minutes now this, now that: a median of few samples jumps from one to the other,
// where CPU time over a longer time is a mixture. What disturbs one round is left out
// all the same.
func TrimmedMean(samples []float64) Estimate {
	e := Median(samples)
	e.Value = trimmedMean(samples)
	return Estimate{e.Value, min(e.Low, e.Value), max(e.High, e.Value)}
}

func trimmedMean(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	out := len(sorted) / 6
	mean, _ := stats.Mean(sorted[out : len(sorted)-out]) // NaN without samples
	return mean
}

// Scatter returns the median distance of samples from their median, NaN without
// samples.
func Scatter(samples []float64) float64 {
	mad, _ := stats.MedianAbsoluteDeviation(samples)
	return mad
}

// Indistinct returns what cannot be told from nothing: twice the scatter of rounds of a
// control, or of what is net of it.
func Indistinct(control, net []float64) float64 { return max(2*Scatter(control), 2*Scatter(net)) }
