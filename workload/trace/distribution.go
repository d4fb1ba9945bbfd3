package trace

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Distribution counts durations from 0 to the longest, to three significant
// digits; the least and the greatest are exact. The zero value is empty; the first
// duration takes 432 KB.
type Distribution struct {
	h           *hdrhistogram.Histogram
	least, most time.Duration
}

// add counts a duration.
func (d *Distribution) add(v time.Duration) {
	if d.h == nil {
		d.h = hdrhistogram.New(1, math.MaxInt64, 3)
		d.least, d.most = v, v
	}
	d.least, d.most = min(d.least, v), max(d.most, v)
	_ = d.h.RecordValue(int64(v)) // cannot fail: every duration is in range
}

// Count returns how many durations there are.
func (d Distribution) Count() uint64 {
	if d.h == nil {
		return 0
	}
	return uint64(d.h.TotalCount())
}

// Quantile returns the duration that a share q of all does not exceed: the least
// at 0, the greatest at 1, and 0 if there are none.
func (d Distribution) Quantile(q float64) time.Duration {
	switch {
	case d.h == nil || q <= 0:
		return d.least
	case q >= 1:
		return d.most
	}
	return d.within(d.h.ValueAtQuantile(100 * q))
}

// Each calls f with the durations that were counted, ascending, and with how many
// there are of each.
func (d Distribution) Each(f func(v time.Duration, count uint64)) {
	if d.h == nil {
		return
	}
	for _, b := range d.h.Distribution() {
		if b.Count > 0 {
			f(d.within(b.To), uint64(b.Count))
		}
	}
}

// within returns the end of a bucket, which may be beyond what was counted.
func (d Distribution) within(v int64) time.Duration {
	return min(max(time.Duration(v), d.least), d.most)
}
