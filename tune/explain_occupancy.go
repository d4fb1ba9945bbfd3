package tune

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"schedbench/catalog"
)

// Occupancy is how the pending timers of a load lie in the slots of a wheel: of one
// wheel, or of all the levels of a hierarchical one that are in use.
type Occupancy struct {
	// Slots is how many there are, and Timers how many pending timers lie in them.
	Slots, Timers int
	// Mean and Max are timers in a slot, and EmptyShare the share of slots without
	// any.
	Mean       float64
	Max        int
	EmptyShare float64
	// CV is the standard deviation of the timers in a slot, as a share of the mean.
	// Dispersion is their variance divided by their mean: 1 if timers come into slots
	// at random, more if they gather in some.
	CV, Dispersion float64
	// Shares are the shares of slots that hold 0, 1, 2, ... timers, at most mostShares
	// of them; the last has the rest.
	Shares []float64
	// Along are the timers in a slot along the wheel, from the present on: the mean of
	// so many neighbouring slots that there are at most mostAlong values. In a
	// hierarchical wheel the levels follow each other.
	Along []float64
}

const (
	mostShares       = 64
	mostAlong        = 512
	mostSlotsCounted = 1 << 24 // slots that are counted one by one
)

// occupancy returns how what is pending lies in a wheel of a configuration. It is
// nil for one without slots, or without anything that is pending. O(slots + timers).
func (l *Load) occupancy(c catalog.Config) *Occupancy {
	if !c.Wheel() || len(l.Residuals) == 0 {
		return nil
	}
	slots := l.place(c)
	if slots == nil {
		return nil
	}
	// What is known may be a sample of what is pending.
	thinned := min(1, float64(len(l.Residuals))/max(l.Pending, 1))
	if thinned > 0.99 {
		thinned = 1
	}
	o := &Occupancy{Slots: len(slots), Timers: int(float64(len(l.Residuals)) / thinned)}
	o.Shares = make([]float64, mostShares)
	squares, empty := 0.0, 0
	for _, n := range slots {
		o.Max = max(o.Max, int(n))
		squares += float64(n) * float64(n)
		if n == 0 {
			empty++
		}
		o.Shares[min(int(n), mostShares-1)] += 1 / float64(len(slots))
	}
	mean := float64(len(l.Residuals)) / float64(len(slots))
	variance := squares/float64(len(slots)) - mean*mean
	// Of a sample, the variance of all follows: that of leaving some out at random is
	// known.
	variance = (variance - mean*(1-thinned)) / (thinned * thinned)
	o.Mean = mean / thinned
	o.Max = int(float64(o.Max) / thinned)
	o.EmptyShare = float64(empty) / float64(len(slots))
	o.CV = math.Sqrt(max(variance, 0)) / o.Mean
	o.Dispersion = max(variance, 0) / o.Mean
	o.Along = alongTheWheel(slots, 1/thinned)
	return o
}

// alongTheWheel returns the means of neighbouring slots, at most mostAlong, multiplied.
func alongTheWheel(slots []int32, times float64) (means []float64) {
	group := (len(slots) + mostAlong - 1) / mostAlong
	for some := range slices.Chunk(slots, group) {
		sum := 0.0
		for _, n := range some {
			sum += float64(n)
		}
		means = append(means, sum/float64(len(some))*times)
	}
	return means
}

// place returns how many of the pending lie in each slot, from the present on. It is
// nil if there are too many slots to count.
func (l *Load) place(c catalog.Config) []int32 {
	n, g := c.RealSlots(), geometryOf(c)
	if c.Scheduler != catalog.Hier {
		if n > mostSlotsCounted {
			return nil
		}
		slots := make([]int32, n)
		for _, left := range l.Residuals {
			slots[int(max(g.ceil(left)-1, 0)&int64(n-1))]++
		}
		return slots
	}
	width := uint(bits.TrailingZeros(uint(n)))
	var slots []int32
	// The present is taken to be in the middle of every level, so that no level is
	// fuller than it is on average.
	now := uint64(0)
	for level := range 63/max(width, 1) + 1 {
		now |= uint64(n/2) << (level * width) & (1<<62 - 1)
	}
	for _, left := range l.Residuals {
		k := now + uint64(g.ceil(left))
		level := levelOf(now, k, width)
		i := int(level)*2*n + int(k>>(level*width))&(2*n-1)
		for i >= len(slots) {
			slots = append(slots, make([]int32, 2*n)...)
		}
		slots[i]++
	}
	return slots
}

// revolutionOf returns how long a wheel takes to come round; of a hierarchical one,
// its lowest level.
func revolutionOf(c catalog.Config) time.Duration {
	if !c.Wheel() || c.Tick > never/time.Duration(c.RealSlots()) {
		return 0
	}
	return c.Tick * time.Duration(c.RealSlots())
}
