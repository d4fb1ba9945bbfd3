package judge

import "gonum.org/v1/gonum/stat/distuv"

// Counted returns as how many comparisons each of n counts (see Terms). Then, of the
// significant ones, at most 1 − Confidence are false (Y. Benjamini and Y. Hochberg, 1995, and
// for the intervals Y. Benjamini and D. Yekutieli, 2005). If one of many comparisons shows a
// difference, all of them count; the more show one, the fewer count. significant returns how
// many are significant if each counts as so many.
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

// Chance returns how likely it is that, of n comparisons of something with itself, so many or
// more seem significant, if each does with what Confidence leaves.
func Chance(seem, n int) float64 {
	if seem <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(n), P: 1 - Confidence}.CDF(float64(seem-1))
}
