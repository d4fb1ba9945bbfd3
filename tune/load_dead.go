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

// graveyard keeps the deadlines of timers that were cancelled and that a wheel
// with lazy cancellation still holds: until their tick, or until they are swept.
// It drops the oldest first, where a sweep goes by slots; so how many are held is
// right on average, and which is not.
type graveyard struct {
	deadlines *heapsched.Heap[uint32]
	ids       []schedulers.ID // in the order in which they were cancelled, from head on
	head      int
	due       []uint32
	slack     int // sweepSlack, times the scale of the load

	expired, swept int // so far
}

func newGraveyard(scale float64) *graveyard {
	return &graveyard{deadlines: heapsched.New[uint32](), due: make([]uint32, 64), slack: int(sweepSlack * scale)}
}

func (g *graveyard) len() int { return g.deadlines.Len() }

// clear forgets all that is held.
func (g *graveyard) clear() { g.deadlines, g.ids, g.head = heapsched.New[uint32](), nil, 0 }

// next returns the first deadline.
func (g *graveyard) next() time.Duration {
	if next, ok := g.deadlines.Next(); ok {
		return next
	}
	return never
}

// bury takes up a timer that was cancelled, with so many others still pending.
func (g *graveyard) bury(deadline time.Duration, pending int) {
	id, _ := g.deadlines.Schedule(deadline, 0)
	g.push(id)
	if g.len() <= pending/2+g.slack {
		return
	}
	for g.len() > pending/2+g.slack/2 {
		if g.deadlines.Cancel(g.ids[g.head]) {
			g.swept++
		}
		g.head++
	}
}

// sweptShare returns the share of what is not held any more that was swept.
func (g *graveyard) sweptShare() float64 {
	return float64(g.swept) / float64(max(g.swept+g.expired, 1))
}

// push keeps an ID, and forgets those at the front that are of no use any more.
func (g *graveyard) push(id schedulers.ID) {
	for g.head < len(g.ids) && !g.deadlines.Holds(g.ids[g.head]) {
		g.head++
	}
	if g.head > len(g.ids)/2 {
		g.ids = append(g.ids[:0], g.ids[g.head:]...)
		g.head = 0
	}
	g.ids = append(g.ids, id)
}

// expire lets go of what was due at an instant and returns how many there were.
func (g *graveyard) expire(at time.Duration) (expired int) {
	for n := len(g.due); n == len(g.due); expired += n {
		n = g.deadlines.Expire(at, g.due)
	}
	g.expired += expired
	return expired
}
