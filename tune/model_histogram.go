package tune

import (
	"math"
	"math/bits"
	"time"
)

// stepBits is how finely a histogram tells durations apart: to 1.6 %.
const stepBits = 6

// histogram is a distribution of durations in steps that get longer with them, as in
// G. Tene's HdrHistogram.
type histogram struct {
	counts []int64
	total  int64
	most   time.Duration
}

// step returns the number of the step of a duration that is not negative.
func step(d time.Duration) int {
	n := bits.Len64(uint64(d))
	if n <= stepBits+1 {
		return int(d)
	}
	shift := n - stepBits - 1
	return shift<<stepBits + int(d>>shift)
}

// stepAt returns the first duration of a step and that of the next.
func stepAt(i int) (from, to time.Duration) {
	if i < 2<<stepBits {
		return time.Duration(i), time.Duration(i + 1)
	}
	shift := i>>stepBits - 1
	from = time.Duration(i-shift<<stepBits) << shift
	return from, from + 1<<shift
}

// add notes n durations; one that is negative counts as 0. O(1).
func (h *histogram) add(d time.Duration, n int64) {
	d = max(d, 0)
	h.most = max(h.most, d)
	i := step(d)
	if i >= len(h.counts) {
		h.counts = append(h.counts, make([]int64, i+1-len(h.counts))...)
	}
	h.counts[i] += n
	h.total += n
}

// quantile returns the duration that a share p of all does not exceed, in
// seconds. Without any durations it is 0. O(steps).
func (h *histogram) quantile(p float64) float64 {
	rank := int64(math.Ceil(p * float64(h.total)))
	if rank >= h.total {
		return h.most.Seconds()
	}
	for i, n := range h.counts {
		if rank -= n; rank <= 0 {
			from, to := stepAt(i)
			inside := float64(rank+n) / float64(max(n, 1))
			return min((float64(from)+inside*float64(to-from))/1e9, h.most.Seconds())
		}
	}
	return h.most.Seconds()
}
