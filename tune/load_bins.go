package tune

import "time"

const (
	// mostBins is how many stretches of time are told apart. When there are
	// more, they get twice as long.
	mostBins = 64
	leastBin = time.Millisecond
	// mostChanges is how many changes of the first deadline are kept of a bin.
	mostChanges = 2048
)

// bin is what happened in a stretch of time.
type bin struct {
	tallies
	pending, held float64 // timer-seconds
	delays        float64 // seconds, of all that was armed
	most          int     // pending
	eager, lazy   firstChanges
}

// tallies are of operations, of timers that fired, of cancelled ones whose deadline
// came, and of instants at which there was an operation.
type tallies struct{ schedules, resets, cancels, fires, stale, instants float64 }

func (c tallies) plus(d tallies) tallies {
	return tallies{
		c.schedules + d.schedules, c.resets + d.resets, c.cancels + d.cancels,
		c.fires + d.fires, c.stale + d.stale, c.instants + d.instants,
	}
}

// plus returns what happened in two bins, one after the other.
func (b bin) plus(later bin) bin {
	b.tallies = b.tallies.plus(later.tallies)
	b.pending += later.pending
	b.held += later.held
	b.delays += later.delays
	b.most = max(b.most, later.most)
	b.eager.join(&later.eager)
	b.lazy.join(&later.lazy)
	return b
}

// bins are stretches of equal length, from the first operation on.
type bins struct {
	start time.Duration
	width time.Duration
	list  []bin
}

func newBins() bins { return bins{width: leastBin, list: make([]bin, 0, mostBins)} }

// of returns the bin of an instant.
func (b *bins) of(at time.Duration) *bin {
	for (at-b.start)/b.width >= mostBins {
		b.halve()
	}
	i := int((at - b.start) / b.width)
	for len(b.list) <= i {
		b.list = append(b.list, bin{})
	}
	return &b.list[i]
}

// halve makes one bin of each two.
func (b *bins) halve() {
	if len(b.list)%2 == 1 {
		b.list = append(b.list, bin{})
	}
	for i := range len(b.list) / 2 {
		b.list[i] = b.list[2*i].plus(b.list[2*i+1])
	}
	clear(b.list[len(b.list)/2:])
	b.list = b.list[:len(b.list)/2]
	b.width *= 2
}

// pass notes how many were pending, and held besides, from one instant to another.
func (b *bins) pass(from, to time.Duration, pending, held int) {
	b.of(to) // so that no bin is split from here on
	for from < to {
		i := (from - b.start) / b.width
		end := min(b.start+(i+1)*b.width, to)
		one := b.of(from)
		one.pending += float64(pending) * (end - from).Seconds()
		one.held += float64(held) * (end - from).Seconds()
		one.most = max(one.most, pending)
		from = end
	}
}
