package tune

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"schedbench/heapsched"
	"schedbench/schedulers"
	"schedbench/workload"
)

// never is an instant that does not come.
const never = time.Duration(math.MaxInt64)

// observer follows the operations of a stream: what is pending, and which
// deadline is the first.
type observer struct {
	o           LoadOptions
	begun       bool
	first       time.Duration // instant of the stream
	now         time.Duration
	lastArm     time.Duration
	ops         int
	cut         bool // not all operations were looked at
	timers      []timerState
	pending     *heapsched.Heap[uint32] // timer numbers
	held        *heldTimers
	firsts      [2]time.Duration // first deadlines: of the pending, and with those that are cancelled and held
	due         []uint32
	bins        bins
	delays      reservoir[time.Duration] // of what was armed after the first instant
	initial     reservoir[time.Duration] // and at it
	lifetimes   lifetimeSample
	next        time.Duration     // when another driver takes over
	distances   reservoir[uint32] // how far the numbers of timers are apart that are reset or cancelled in turn
	lastTouched uint32            // the last of them
	longest     time.Duration     // delay
	left        []time.Duration   // residuals, when bins were made longer the last time, in any order
	width       time.Duration     // of bins then
}

// timerState is what is known of a timer number.
type timerState struct {
	id       schedulers.ID
	at       time.Duration // when it was armed
	deadline time.Duration
}

// mostTimers is the most timer numbers that a stream may have.
const mostTimers = 1 << 26

func newObserver(o LoadOptions) *observer {
	return &observer{
		o:         o,
		pending:   heapsched.New[uint32](),
		held:      newHeldTimers(cmp.Or(o.scale, 1)),
		firsts:    [2]time.Duration{never, never},
		due:       make([]uint32, 64),
		bins:      newBins(),
		delays:    newReservoir[time.Duration](4096, 1),
		initial:   newReservoir[time.Duration](4096, 2),
		lifetimes: newLifetimeSample(),
		distances: newReservoir[uint32](1024, 7),
	}
}

// observe takes up an operation. It reports false when no more are to be looked
// at.
func (ob *observer) observe(op *workload.Op) (more bool, err error) {
	if err := ob.check(op); err != nil {
		return false, err
	}
	if !ob.begun {
		ob.begun, ob.first, ob.now = true, op.At, op.At
		ob.bins.start = op.At
	}
	if ob.o.Until > 0 && op.At >= ob.o.Until {
		return false, nil
	}
	if ob.ops >= cmp.Or(ob.o.MostOps, 5_000_000) && op.At > ob.first {
		ob.cut = true
		return false, nil
	}
	if op.At > ob.now || ob.ops == 0 {
		ob.bins.of(op.At).instants++
	}
	ob.restart(op.At)
	if op.At > ob.now || ob.firsts[0] <= op.At { // a deadline that is now has come
		ob.advance(op.At)
	}
	ob.operate(op)
	ob.noteFirst(op.At, 0)
	ob.ops++
	return true, nil
}

// restart begins with another driver, which holds nothing that was cancelled, as often
// as that was up to an instant.
func (ob *observer) restart(to time.Duration) {
	if ob.o.restartEvery <= 0 {
		return
	}
	for ; ob.next <= to; ob.next += ob.o.restartEvery {
		if ob.next > ob.first {
			ob.advance(ob.next)
			ob.held.clear()
			ob.noteFirst(ob.next, 0)
		}
	}
}

// check refuses what no stream may have.
func (ob *observer) check(op *workload.Op) error {
	switch {
	case op.At < ob.now || op.At < 0:
		return fmt.Errorf("%w: operation %d at %v comes after one at %v", ErrLoad, ob.ops, op.At, ob.now)
	case op.Delay < 0 || op.Delay > never-op.At:
		return fmt.Errorf("%w: operation %d has a delay of %v, want 0 to %v", ErrLoad, ob.ops, op.Delay, never-op.At)
	case op.Timer >= mostTimers:
		return fmt.Errorf("%w: operation %d is on timer %d, want less than %d", ErrLoad, ob.ops, op.Timer, mostTimers)
	case op.Kind < workload.Schedule || op.Kind > workload.Cancel:
		return fmt.Errorf("%w: operation %d is of kind %d, want schedule, reset or cancel", ErrLoad, ob.ops, op.Kind)
	}
	return nil
}

// advance lets fire what is due up to an instant.
func (ob *observer) advance(to time.Duration) {
	for {
		at := min(ob.firsts[0], ob.firsts[1])
		if at > to {
			break
		}
		ob.pass(at)
		fired := 0
		for n := len(ob.due); n == len(ob.due); fired += n {
			n = ob.pending.Expire(at, ob.due)
			for _, timer := range ob.due[:n] {
				ob.lifetimes.end(&ob.timers[timer], at)
			}
		}
		b := ob.bins.of(at)
		b.stale += float64(ob.held.expire(at))
		b.fires += float64(fired)
		ob.noteFirst(at, fired)
	}
	ob.pass(to)
}

// pass lets time go by in which nothing happens.
func (ob *observer) pass(to time.Duration) {
	ob.bins.pass(ob.now, to, ob.pending.Len(), ob.held.len())
	ob.now = to
}

// noteFirst notes the first deadlines, if they have changed or timers have fired.
func (ob *observer) noteFirst(at time.Duration, fired int) {
	top := firstOf(ob.pending)
	both := min(top, firstOf(ob.held.deadlines))
	if top != ob.firsts[0] || fired > 0 {
		ob.bins.of(at).eager.add(firstChange{at, top, int32(fired)})
	}
	if both != ob.firsts[1] || fired > 0 {
		ob.bins.of(at).lazy.add(firstChange{at, both, int32(fired)})
	}
	ob.firsts = [2]time.Duration{top, both}
}

// operate does an operation.
func (ob *observer) operate(op *workload.Op) {
	for int(op.Timer) >= len(ob.timers) {
		ob.timers = append(ob.timers, timerState{})
	}
	t := &ob.timers[op.Timer]
	b := ob.bins.of(op.At)
	if held := ob.pending.Holds(t.id); op.Kind != workload.Schedule && !held {
		return // it has fired, and nothing happens
	} else if held {
		ob.lifetimes.end(t, op.At)
		ob.held.hold(t.deadline, ob.pending.Len())
		ob.distances.offer(max(op.Timer, ob.lastTouched) - min(op.Timer, ob.lastTouched))
		ob.lastTouched = op.Timer
	}
	if op.Kind == workload.Cancel {
		ob.pending.Cancel(t.id)
		b.cancels++
		return
	}
	switch {
	case op.Kind == workload.Reset:
		b.resets++
	case op.At > ob.first:
		b.schedules++
	default:
		ob.initial.offer(op.Delay)
		ob.arm(op, t)
		return
	}
	ob.delays.offer(op.Delay)
	b.delays += op.Delay.Seconds()
	ob.arm(op, t)
}

// arm gives a timer its deadline.
func (ob *observer) arm(op *workload.Op, t *timerState) {
	if ob.o.Until == 0 && ob.bins.width > ob.width {
		ob.width, ob.left = ob.bins.width, ob.residuals()
	}
	ob.lastArm = op.At
	ob.longest = max(ob.longest, op.Delay)
	t.at, t.deadline = op.At, op.At+op.Delay
	if held, _ := ob.pending.Reset(t.id, t.deadline); !held {
		// An error means that four billion are pending, which mostTimers rules out.
		t.id, _ = ob.pending.Schedule(t.deadline, op.Timer)
	}
}

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

// firstOf returns the first deadline, or never.
func firstOf(h *heapsched.Heap[uint32]) time.Duration {
	if next, ok := h.Next(); ok {
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
