package tune

import (
	"time"

	"schedbench/heapsched"
	"schedbench/schedulers"
)

// sweepSlack is part of the rule by which the wheels with lazy cancellation drop what
// was cancelled, in short: once they hold more than half as many as are pending, and
// so many, a sweep begins, and when it has been everywhere there are as many as were
// cancelled meanwhile, which is about half the slack and half of the pending.
const sweepSlack = 1408

// heldTimers keeps the deadlines of timers that were cancelled and that a wheel
// with lazy cancellation still holds: until their tick, or until they are swept.
// It drops the oldest first, where a sweep goes by slots; so how many are held is
// right on average, and which is not.
type heldTimers struct {
	deadlines *heapsched.Heap[uint32]
	ids       []schedulers.ID // in the order in which they were cancelled, from head on
	head      int
	due       []uint32
	slack     int // sweepSlack, times the scale of the load

	expired, swept int // so far
}

func newHeldTimers(scale float64) *heldTimers {
	return &heldTimers{deadlines: heapsched.New[uint32](), due: make([]uint32, 64), slack: int(sweepSlack * scale)}
}

func (h *heldTimers) len() int { return h.deadlines.Len() }

// clear forgets all that is held.
func (h *heldTimers) clear() { h.deadlines, h.ids, h.head = heapsched.New[uint32](), nil, 0 }

// next returns the first deadline.
func (h *heldTimers) next() time.Duration {
	if next, ok := h.deadlines.Next(); ok {
		return next
	}
	return never
}

// hold takes up a timer that was cancelled, with so many others still pending.
func (h *heldTimers) hold(deadline time.Duration, pending int) {
	id, _ := h.deadlines.Schedule(deadline, 0)
	h.keepID(id)
	if h.len() <= pending/2+h.slack {
		return
	}
	for h.len() > pending/2+h.slack/2 {
		if h.deadlines.Cancel(h.ids[h.head]) {
			h.swept++
		}
		h.head++
	}
}

// sweptShare returns the share of what is not held any more that was swept.
func (h *heldTimers) sweptShare() float64 {
	return float64(h.swept) / float64(max(h.swept+h.expired, 1))
}

// keepID keeps an ID, and forgets those at the front that are of no use any more.
func (h *heldTimers) keepID(id schedulers.ID) {
	for h.head < len(h.ids) && !h.deadlines.Holds(h.ids[h.head]) {
		h.head++
	}
	if h.head > len(h.ids)/2 {
		h.ids = append(h.ids[:0], h.ids[h.head:]...)
		h.head = 0
	}
	h.ids = append(h.ids, id)
}

// expire lets go of what was due at an instant and returns how many there were.
func (h *heldTimers) expire(at time.Duration) (expired int) {
	for n := len(h.due); n == len(h.due); expired += n {
		n = h.deadlines.Expire(at, h.due)
	}
	h.expired += expired
	return expired
}
