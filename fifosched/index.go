package fifosched

import (
	"math/bits"
	"time"

	"schedbench/internal/store"
	"schedbench/internal/table"
	"schedbench/schedulers"
)

// end marks a link to the end of a queue. The queue's number stands beside it, by which the first and the last cell show
// where they belong. No cell has the mark, since a store has fewer.
const end = 1 << 31

// MaxUpkeep is the largest number of steps that Schedule, Cancel or Reset does for others than its own value: those of
// the store, the entries that three tables copy for a new queue, and empty queues that are taken away.
const MaxUpkeep = store.MaxUpkeep + 3*table.Copied + trimmed

// trimmed is how many empty queues are taken away at once: one more than can have been added since.
const trimmed = 2

// span is where a queue begins and ends: both are end, with its number, if it is empty.
type span struct {
	first, last uint32 // cells
	place       uint32 // of its head in the heap, if it is not empty
}

// head is the first deadline of a queue.
type head struct {
	deadline time.Duration
	queue    uint32
}

// index finds queues: that which a deadline joins, and that which is due first.
type index struct {
	bounds table.Table[time.Duration] // nothing in the queue of that number is due later; descending
	queues table.Table[span]
	heads  table.Table[head] // a binary heap, of the queues that are not empty
	work   schedulers.Work
}

func newIndex() index {
	return index{bounds: table.New[time.Duration](0), queues: table.New[span](0), heads: table.New[head](0)}
}

// find returns the queue that a deadline joins: the one with the latest bound that is not after it, or a new one, whose
// bound is before all others. The deadline is the bound from now on. O(log q), without a branch on a bound: which queue
// it is cannot be predicted.
func (x *index) find(deadline time.Duration) uint32 {
	bounds := x.bounds.Now
	x.work.Visits += uint64(bits.Len(uint(len(bounds))))
	at := 0
	for n := len(bounds); n > 0; {
		half := (n + 1) / 2
		later := (deadline - bounds[at+half-1]) >> 63 // -1 if the bound is: neither is negative
		at += half & int(later)
		n -= half
	}
	if at < len(bounds) {
		x.bounds.Set(at, deadline)
		return uint32(at)
	}
	none := end | uint32(at)
	x.work.Upkeep += uint64(x.bounds.Add(deadline) + x.queues.Add(span{first: none, last: none}))
	return uint32(at)
}

// begin puts the head of a queue that was empty into the heap. O(log q), and O(1) if it is due after the others.
func (x *index) begin(at uint32, deadline time.Duration) {
	x.work.Upkeep += uint64(x.heads.Add(head{}))
	x.rise(uint32(len(x.heads.Now)-1), head{deadline, at})
}

// cease takes the head of a queue that has become empty out of the heap. It also takes empty queues away that are due
// before all others. O(log q).
func (x *index) cease(at uint32) {
	place, last := x.queues.Now[at].place, x.heads.Now[len(x.heads.Now)-1]
	x.heads.Pop()
	if last.queue != at {
		if place > 0 && last.deadline < x.heads.Now[(place-1)/2].deadline {
			x.rise(place, last)
		} else {
			x.sink(place, last)
		}
	}
	for range trimmed {
		if n := len(x.queues.Now); n == 0 || x.queues.Now[n-1].first&end == 0 {
			return
		}
		x.queues.Pop()
		x.bounds.Pop()
		x.work.Upkeep++
	}
}

// postpone notes that the head at a place of the heap is due later now. O(log q).
func (x *index) postpone(place uint32, deadline time.Duration) {
	x.sink(place, head{deadline, x.heads.Now[place].queue})
}

// first returns the queue that is due first, if it is due at an instant. No other queue is due before until. O(1).
func (x *index) first(now time.Duration) (at uint32, until time.Duration, ok bool) {
	heads := x.heads.Now
	if len(heads) == 0 || heads[0].deadline > now {
		return 0, 0, false
	}
	until = now
	for _, other := range heads[1:min(len(heads), 3)] {
		until = min(until, other.deadline)
	}
	return heads[0].queue, until, true
}

// rise puts a head at a vacant place of the heap, or above it.
func (x *index) rise(place uint32, h head) {
	for place > 0 {
		above := (place - 1) / 2
		if x.heads.Now[above].deadline <= h.deadline {
			break
		}
		x.put(place, x.heads.Now[above])
		x.work.Levels++
		place = above
	}
	x.put(place, h)
}

// sink puts a head at a vacant place of the heap, or below it.
func (x *index) sink(place uint32, h head) {
	for {
		child := 2*place + 1
		if int(child)+1 < len(x.heads.Now) && x.heads.Now[child+1].deadline < x.heads.Now[child].deadline {
			child++
		}
		if int(child) >= len(x.heads.Now) || h.deadline <= x.heads.Now[child].deadline {
			break
		}
		x.put(place, x.heads.Now[child])
		x.work.Levels++
		place = child
	}
	x.put(place, h)
}

func (x *index) put(place uint32, h head) {
	x.work.Moves++
	x.heads.Set(int(place), h)
	q := x.queues.Now[h.queue]
	q.place = place
	x.queues.Set(int(h.queue), q)
}
