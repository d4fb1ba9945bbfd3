package trace

import (
	"cmp"
	"slices"
	"time"
)

// Durations are the most frequent of many durations.
type Durations struct {
	// Top are at most ten, the most frequent first.
	Top []DurationCount
	// Distinct is how many different ones there are. If Exact is false there were
	// more than could be counted apart, Distinct of them at least, and the counts
	// of Top may be too low, by Short at most.
	Distinct uint64
	Exact    bool
	Short    uint64
}

// DurationCount is a duration and how often it was met.
type DurationCount struct {
	Delay time.Duration
	Count uint64
}

const (
	topDurations = 10
	// mostDurations is how many durations are counted apart.
	mostDurations = 1 << 16
)

// frequent counts durations, exactly up to mostDurations different ones. Beyond
// that it is the summary of Misra and Gries ("Finding repeated elements", 1982) in
// batches: what all have in common is taken off all of them, and those of which
// nothing is left are forgotten. So whatever makes up more than a share of
// 1/mostDurations*2 of all stays.
type frequent struct {
	counts map[time.Duration]uint64
	short  uint64
}

// add counts a duration: O(1), amortized.
func (f *frequent) add(d time.Duration) {
	if f.counts == nil {
		f.counts = map[time.Duration]uint64{}
	}
	f.counts[d]++
	if len(f.counts) > mostDurations {
		f.purge()
	}
}

// purge takes the median off all counts, so that half of them go at least.
func (f *frequent) purge() {
	all := make([]uint64, 0, len(f.counts))
	for _, n := range f.counts {
		all = append(all, n)
	}
	slices.Sort(all)
	off := all[len(all)/2]
	f.short += off
	for d, n := range f.counts {
		if n <= off {
			delete(f.counts, d)
		} else {
			f.counts[d] = n - off
		}
	}
}

// result returns the most frequent.
func (f *frequent) result() Durations {
	r := Durations{Distinct: uint64(len(f.counts)), Exact: f.short == 0, Short: f.short}
	if !r.Exact {
		r.Distinct = mostDurations + 1
	}
	for d, n := range f.counts {
		r.Top = append(r.Top, DurationCount{d, n})
	}
	slices.SortFunc(r.Top, func(a, b DurationCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Delay, b.Delay))
	})
	r.Top = slices.Clone(r.Top[:min(len(r.Top), topDurations)])
	return r
}
