package trace

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/internal/quantile"
)

// Info says what a trace contains.
type Info struct {
	// Schedules, Resets, Cancels and Fires count events by kind.
	Schedules, Resets, Cancels, Fires uint64
	// Duration is the time of the last event.
	Duration time.Duration

	// Timers counts the timers whose arming the trace shows. Cancelled and Fired count their ends, Pending
	// those that are pending at the end. Superseded ones ended unseen: their number is scheduled again.
	Timers, Cancelled, Fired, Superseded, Pending uint64
	// Moved counts timers that were reset at least once.
	Moved uint64
	// Unseen counts events of timers whose arming the trace does not show. A reset is an arming: the timer then counts in Timers.
	Unseen uint64

	// Delays are those of all schedules and resets.
	Delays Distribution
	// ToCancel and ToReset are the times from the latest arming of a timer to its cancellation and to its reset.
	ToCancel, ToReset Distribution
	// Late is how long after their deadlines timers fired. Early is how long before them early timers fired.
	Late, Early Distribution

	// Peak is the largest number of timers pending at once, and PeakAt when that was.
	Peak   uint64
	PeakAt time.Duration

	// Frequent are the most frequent delays, at most ten of them, the most frequent first. Distinct is how many different
	// delays there are. For both, delays are rounded to three digits.
	Frequent []DurationCount
	Distinct int
}

// Ops returns how many operations of the program there are: all but expiries.
func (i *Info) Ops() uint64 { return i.Schedules + i.Resets + i.Cancels }

// Rate returns a count's mean rate per second over the trace, and 0 for a trace without duration.
func (i *Info) Rate(count uint64) float64 {
	if i.Duration <= 0 {
		return 0
	}
	return float64(count) / i.Duration.Seconds()
}

// Distribution counts durations to three digits; the least and the greatest are exact. The zero value is empty.
type Distribution struct {
	h           *hdrhistogram.Histogram
	least, most time.Duration
}

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

// Quantile returns the duration that a share q of all does not exceed, and 0 if there are none.
func (d Distribution) Quantile(q float64) time.Duration {
	switch {
	case d.h == nil || q <= 0:
		return d.least
	case q >= 1:
		return d.most
	}
	// The end of a bucket may be beyond what was counted.
	return min(max(time.Duration(quantile.Of(d.h, q)), d.least), d.most)
}

// DurationCount is a duration and how often it was met.
type DurationCount struct {
	Delay time.Duration
	Count uint64
}

const topDurations = 10

// frequent counts durations, rounded to three digits.
type frequent map[time.Duration]uint64

func (f frequent) add(d time.Duration) {
	unit := time.Duration(1) // of the third digit
	for rest := d; rest >= 1000; rest /= 10 {
		unit *= 10
	}
	f[d.Round(unit)]++
}

// top returns the durations with the largest counts, at most topDurations of them.
func (f frequent) top() (top []DurationCount) {
	most := slices.SortedFunc(maps.Keys(f), func(a, b time.Duration) int {
		return cmp.Or(cmp.Compare(f[b], f[a]), cmp.Compare(a, b))
	})
	for _, d := range most[:min(len(most), topDurations)] {
		top = append(top, DurationCount{d, f[d]})
	}
	return top
}
