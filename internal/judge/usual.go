package judge

import (
	"math"

	"github.com/montanaflynn/stats"
)

// usual is how ratios of the other contestants of a cell scatter: the variance of a logarithm, and as how many degrees of
// freedom it counts. The zero value counts as none.
//
// Six blocks say little about the scatter of one ratio, and Student's t pays for that with wide intervals. In one cell all
// ratios scatter about alike, so a variance is moderated by that of the others: G. K. Smyth, Linear Models and Empirical
// Bayes Methods for Assessing Differential Expression in Microarray Experiments (2004). See docs/decisions/0015.
type usual struct{ variance, degrees float64 }

const (
	// UsualDegrees is the most degrees of freedom that the other contestants count for. An estimate from a published
	// run is 8. But with 8, a contestant that scatters more than the others too often seems surer than it is.
	UsualDegrees = 3
	// fewestUsual is the least number of others, and fewestOwn the least degrees of freedom of a variance, for
	// moderation.
	fewestUsual, fewestOwn = 3, 3
	// unusual is a multiple of the usual variance. A variance above it is not moderated: chance rarely makes one.
	unusual = 4
	// exact is the variance up to which figures differ by rounding only.
	exact = 1e-18
)

// usualOf returns how ratios of some contestants to each other scatter. For each contestant it takes the median of its
// variances, and then the median of these: one contestant that scatters does not decide.
func usualOf(others [][]float64, scatter scatterOfRatio) usual {
	var medians []float64
	degrees := math.Inf(1)
	for _, a := range others {
		var variances []float64
		for _, b := range others {
			if of := scatter(a, b); of.variance > exact { // not to itself
				// The median of a variance lies below its mean (E. B. Wilson and M. M. Hilferty, 1931).
				variances = append(variances, of.variance/math.Pow(1-2/(9*of.degrees), 3))
				degrees = min(degrees, of.degrees)
			}
		}
		if median, err := stats.Median(variances); err == nil {
			medians = append(medians, median)
		}
	}
	if len(medians) < fewestUsual {
		return usual{}
	}
	median, _ := stats.Median(medians)
	return usual{median, min(UsualDegrees, degrees*float64(len(medians)-1)/2)} // a median is less sure than a mean
}

// scatterOfRatio returns how the ratio of two contestants scatters.
type scatterOfRatio func(a, b []float64) usual

// keptScatter returns a scatterOfRatio that computes it once for two contestants: each pair of a cell asks for all others.
func keptScatter() scatterOfRatio {
	kept := map[[2]*float64]usual{}
	return func(a, b []float64) usual {
		if len(a) == 0 || len(b) == 0 {
			return usual{}
		}
		k := [2]*float64{&a[0], &b[0]}
		of, ok := kept[k]
		if !ok {
			n, _, variance := moments(finite(logRatios(a, b)))
			of = usual{variance, n - 1}
			kept[k] = of
		}
		return of
	}
}

// moderate returns a variance of so many degrees of freedom together with the usual one.
func (u usual) moderate(variance, degrees float64) (float64, float64) {
	if u.degrees == 0 || degrees < fewestOwn || !(variance > exact) || variance > unusual*u.variance {
		return variance, degrees
	}
	return (degrees*variance + u.degrees*u.variance) / (degrees + u.degrees), degrees + u.degrees
}
