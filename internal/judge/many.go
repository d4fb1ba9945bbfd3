package judge

import moremath "github.com/aclements/go-moremath/stats"

// Counted returns the number of comparisons that each of n comparisons is corrected for (see Terms). At most 1 −
// Confidence of the significant ones are then false (Y. Benjamini and Y. Hochberg, 1995, and for the intervals Y.
// Benjamini and D. Yekutieli, 2005). The number is n if at most one is significant, and less if more are. significant
// returns how many are significant at a number.
func Counted(n int, significant func(comparisons int) int) int {
	known := map[int]int{}
	for k := n; k > 0; k-- {
		comparisons := (n + k - 1) / k
		if _, ok := known[comparisons]; !ok {
			known[comparisons] = significant(comparisons)
		}
		if known[comparisons] >= k {
			return comparisons
		}
	}
	return max(n, 1)
}

// Chance returns the probability that at least seem of n comparisons of something with itself are
// significant, each with probability 1 − Confidence.
func Chance(seem, n int) float64 {
	if seem <= 0 {
		return 1
	}
	return 1 - moremath.BinomialDist{N: n, P: 1 - Confidence}.CDF(float64(seem-1))
}
