package judge

import (
	"math"
	"slices"
)

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

// QuantileOfRounds returns a quantile of samples that were taken in rounds. If each
// round tells it, it is the median of the rounds with its interval, as all else that
// is measured, so that what disturbs one of them does not count. If not, it is that of
// all samples.
func QuantileOfRounds(rounds [][]float64, share float64) Estimate {
	var each []float64
	for _, samples := range rounds {
		if float64(len(samples))*(1-share) < enough {
			return quantileOfAll(slices.Concat(rounds...), share)
		}
		each = append(each, Quantile(slices.Sorted(slices.Values(samples)), share))
	}
	return Median(each)
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
