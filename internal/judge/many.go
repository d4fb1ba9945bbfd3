package judge

import "gonum.org/v1/gonum/stat/distuv"

// Counted returns as how many comparisons each of n is to count (see Terms) so that, of
// those in which a difference is told, at most 1 − Confidence are told falsely: so many
// that as many are told as that takes (Y. Benjamini and Y. Hochberg, 1995, and for the
// intervals Y. Benjamini and D. Yekutieli, 2005). If there is one difference among many
// comparisons, all of them count, and the fewer the more of them show one. told returns
// in how many a difference is told if each counts as so many.
func Counted(n int, told func(comparisons int) int) int {
	known := map[int]int{}
	for k := n; k > 0; k-- {
		comparisons := (n + k - 1) / k
		if _, ok := known[comparisons]; !ok {
			known[comparisons] = told(comparisons)
		}
		if known[comparisons] >= k {
			return comparisons
		}
	}
	return max(n, 1)
}

// Chance returns how likely it is that, of n comparisons of something with itself, so many or
// more seem to tell a difference, if each does with what Confidence leaves.
func Chance(seem, n int) float64 {
	if seem <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(n), P: 1 - Confidence}.CDF(float64(seem-1))
}
