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
	soonest     time.Duration           // first deadline
	due         []uint32
	bins        bins
	delays      reservoir[time.Duration] // of what was armed after the first instant
	initial     reservoir[time.Duration] // and at it
	lifetimes   lifetimeSample
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
		soonest:   never,
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
	if op.At > ob.now || ob.soonest <= op.At { // a deadline that is now has come
		ob.advance(op.At)
	}
	ob.operate(op)
	ob.noteFirst(op.At, 0)
	ob.ops++
	return true, nil
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
		at := ob.soonest
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
		b.fires += float64(fired)
		ob.noteFirst(at, fired)
	}
	ob.pass(to)
}

// pass lets time go by in which nothing happens.
func (ob *observer) pass(to time.Duration) {
	ob.bins.pass(ob.now, to, ob.pending.Len())
	ob.now = to
}

// noteFirst notes the first deadline, if it has changed or timers have fired.
func (ob *observer) noteFirst(at time.Duration, fired int) {
	top, ok := ob.pending.Next()
	if !ok {
		top = never
	}
	if top != ob.soonest || fired > 0 {
		ob.bins.of(at).firsts.add(firstChange{at, top, int32(fired)})
	}
	ob.soonest = top
}

// operate does an operation.
func (ob *observer) operate(op *workload.Op) {
	for int(op.Timer) >= len(ob.timers) {
		ob.timers = append(ob.timers, timerState{})
	}
	t := &ob.timers[op.Timer]
	b := ob.bins.of(op.At)
	if held := ob.pending.Value(t.id) != nil; op.Kind != workload.Schedule && !held {
		return // it has fired, and nothing happens
	} else if held {
		ob.lifetimes.end(t, op.At)
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
