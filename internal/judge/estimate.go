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

// Answer returns what follows from an estimate of how much more one takes than another: a
// difference up to same counts as none.
func (e Estimate) Answer(same float64) Answer { return answer(e, same, same) }

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
	sorted := slices.Sorted(slices.Values(samples))
	out := len(sorted) / 6
	mean, _ := stats.Mean(sorted[out : len(sorted)-out]) // NaN without samples
	median := Median(samples)
	return Estimate{mean, min(median.Low, mean), max(median.High, mean)}
}

// Scatter returns the median distance of samples from their median, NaN without
// samples.
func Scatter(samples []float64) float64 {
	mad, _ := stats.MedianAbsoluteDeviation(samples)
	return mad
}

// LogDeviation returns the standard deviation of the logarithms of positive figures, NaN of fewer
// than two.
func LogDeviation(figures []float64) float64 {
	_, _, variance := moments(logarithms(figures))
	return math.Sqrt(variance)
}

// Quantile returns a quantile of sorted samples, between two of them in
// proportion.
func Quantile(sorted []float64, share float64) float64 {
	place := share * float64(len(sorted)-1)
	i := min(int(place), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (place-float64(i))*(sorted[j]-sorted[i])
}

// Quantiles returns n quantiles of samples, evenly spaced from the least to the
// greatest.
func Quantiles(samples []float64, n int) []float64 {
	sorted := slices.Sorted(slices.Values(samples))
	if len(sorted) == 0 {
		return nil
	}
	q := make([]float64, n)
	for i := range q {
		q[i] = Quantile(sorted, float64(i)/float64(n-1))
	}
	return q
}

// enough is how many samples a round must have beyond a quantile, for that to be
// looked at round by round.
const enough = 5

// QuantileOfRounds returns a quantile of samples that were taken in rounds, which are
// blocks. If each round tells it, it is what those come to, as all else that is measured.
// If not, it is that of all samples, without blocks, in an interval that holds both what
// so many samples leave open and how far the rounds are apart.
func QuantileOfRounds(rounds [][]float64, share float64) Average {
	each, told := make([]float64, len(rounds)), true
	for i, samples := range rounds {
		each[i] = math.NaN()
		if len(samples) > 0 {
			each[i] = Quantile(slices.Sorted(slices.Values(samples)), share)
		}
		told = told && float64(len(samples))*(1-share) >= enough
	}
	byRound := GeometricMean(each)
	if told {
		return byRound
	}
	all := quantileOfAll(slices.Concat(rounds...), share)
	all.Low, all.High = min(all.Low, byRound.Low), max(all.High, byRound.High)
	return Average{Estimate: all}
}

// quantileOfAll returns a quantile of samples and a distribution-free interval of it
// at 95 %, by the normal approximation of the binomial ranks. Where too few samples
// lie beyond the quantile for that, High is infinite; without any all is NaN.
func quantileOfAll(samples []float64, share float64) Estimate {
	n := float64(len(samples))
	if n == 0 {
		return Estimate{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(samples))
	const z = 1.96
	off := z * math.Sqrt(n*share*(1-share))
	e := Estimate{Quantile(sorted, share), sorted[0], math.Inf(1)}
	if rank := math.Floor(n*share - off); rank >= 1 {
		e.Low = sorted[int(rank)-1]
	}
	if rank := math.Ceil(n*share+off) + 1; rank <= n {
		e.High = sorted[int(rank)-1]
	}
	return e
}
