// Package quantile defines quantiles of histograms for the whole module.
package quantile

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// rounding is by how much of itself a rank may be off by arithmetic.
const rounding = 1e-12

// Of returns the least value of a histogram that a share of all its values does not exceed, within the histogram's
// precision: of n values the one of rank ⌈share×n⌉, and the least for a share of 0. Without values it is 0. The library
// would take the rank that is nearest: of 60 values more than a hundredth exceed what it calls the 99th percentile.
//
// It takes as long as the histogram has buckets.
func Of(h *hdrhistogram.Histogram, share float64) int64 {
	n := float64(h.TotalCount())
	rank := math.Ceil(share * n * (1 - rounding))
	return h.ValueAtPercentile(100 * rank / max(n, 1))
}
