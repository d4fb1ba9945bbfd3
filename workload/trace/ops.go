package trace

import (
	"fmt"
	"time"

	"schedbench/internal/minheap"
	"schedbench/workload"
)

// Operations is what a trace shows that the program did with its timers: a
// workload.Stream, to be replayed. Expiries are left out, since they are the
// scheduler's answer; what else is left out or changed is counted.
//
//	schedule of a pending timer       a reset: its end is missing
//	reset of one that is not pending  a schedule: it was armed before the
//	                                  recording began, or its schedule is missing
//	either, once the deadline of      a schedule: it has fired in the replay,
//	a pending timer has come          though the system recorded was late
//	cancel of one that is pending     a cancel, also if its deadline has come: the
//	                                  replay refuses it then
//	cancel of any other               left out
//
// Timers are numbered anew, with small numbers. One is used again when the trace
// shows the end of its timer, and where that fired early, at its deadline.
type Operations struct {
	r      Reader
	batch  []Event
	left   []Event // of the batch
	counts OpCounts
	at     time.Duration
	timers map[uint64]operand
	seen   numbers
	free   []uint32
	// early are numbers whose timers fired before their deadlines.
	early minheap.Heap[resting]
	used  uint32
	err   error
}

// operand is a pending timer.
type operand struct {
	deadline time.Duration
	number   uint32
}

// resting is a number that may be used again from a time on.
type resting struct {
	from   time.Duration
	number uint32
}

// OpCounts says what Ops has left out or changed.
type OpCounts struct {
	// ArmedBefore counts timers first seen when they were cancelled, reset or fired:
	// they were armed before the recording began. Their cancellation is left out, and
	// their reset is a schedule. Of numbers of 2^26 or more this cannot be told
	// from NotPending.
	ArmedBefore uint64
	// NotPending counts cancellations and expiries of timers that had ended, which
	// are left out, and resets of such, which are schedules.
	NotPending uint64
	// Rescheduled counts schedules of pending timers, whose end is missing.
	Rescheduled uint64
	// Late counts resets and cancellations once the deadline had come: the system
	// recorded had not fired the timer yet.
	Late uint64
	// Fires counts expiries of pending timers.
	Fires uint64
}

// Ops returns what the program of a trace did. It needs some 50 bytes for a
// pending timer, and for others nothing. An error of the trace is returned as it
// is; one that wraps ErrEvent says that its events break the rules.
func Ops(r Reader) *Operations {
	o := &Operations{r: r, batch: make([]Event, 512), timers: map[uint64]operand{}}
	o.early.Less = func(a, b *resting) bool { return a.from < b.from }
	return o
}

var _ workload.Stream = (*Operations)(nil)

// Counts returns what has been left out or changed so far.
func (o *Operations) Counts() OpCounts { return o.counts }

// Read stores the next operations: it is a workload.Stream.
func (o *Operations) Read(ops []workload.Op) (n int, err error) {
	for n < len(ops) {
		if len(o.left) == 0 && !o.fill() {
			break
		}
		e := &o.left[0]
		o.left = o.left[1:]
		op, ok := o.convert(e)
		if o.err != nil {
			o.left = nil
			break
		}
		if ok {
			ops[n] = op
			n++
		}
	}
	if n > 0 || len(ops) == 0 {
		return n, nil
	}
	return 0, o.err
}

// fill reads the next batch and reports whether there is one.
func (o *Operations) fill() bool {
	if o.err != nil {
		return false
	}
	var n int
	if n, o.err = o.r.Read(o.batch); n == 0 {
		return false
	}
	o.err = nil // a reader that fails returns it again
	o.left = o.batch[:n]
	return true
}

// convert returns the operation that an event stands for, if any.
func (o *Operations) convert(e *Event) (workload.Op, bool) {
	if o.err = e.check(o.at); o.err != nil {
		return workload.Op{}, false
	}
	o.at = e.At
	for o.early.Len() > 0 && o.early.First().from <= o.at {
		o.free = append(o.free, o.early.Pop().number)
	}
	t, pending := o.timers[e.Timer]
	if e.Kind.arms() {
		return o.arm(e, t, pending)
	}
	return o.end(e, t, pending)
}

// arm converts a schedule or a reset.
func (o *Operations) arm(e *Event, t operand, pending bool) (workload.Op, bool) {
	kind := workload.Schedule
	switch {
	case pending && e.Kind == Schedule:
		o.counts.Rescheduled++
	case !pending && e.Kind == Reset:
		o.unknown(e.Timer)
	case pending && t.deadline <= e.At:
		o.counts.Late++
	}
	if pending && t.deadline > e.At {
		kind = workload.Reset
	}
	if !pending {
		if t.number, o.err = o.number(); o.err != nil {
			return workload.Op{}, false
		}
	}
	o.seen.addSmall(e.Timer)
	t.deadline = e.deadline()
	o.timers[e.Timer] = t
	return workload.Op{At: e.At, Delay: e.Delay, Timer: t.number, Kind: kind}, true
}

// end converts a cancellation or an expiry.
func (o *Operations) end(e *Event, t operand, pending bool) (workload.Op, bool) {
	if !pending {
		o.unknown(e.Timer)
		o.seen.addSmall(e.Timer)
		return workload.Op{}, false
	}
	delete(o.timers, e.Timer)
	if e.Kind == Fire {
		o.counts.Fires++
		if t.deadline > e.At {
			o.early.Push(resting{t.deadline, t.number})
		} else {
			o.free = append(o.free, t.number)
		}
		return workload.Op{}, false
	}
	if t.deadline <= e.At {
		o.counts.Late++
	}
	o.free = append(o.free, t.number)
	return workload.Op{At: e.At, Timer: t.number, Kind: workload.Cancel}, true
}

// unknown counts an event of a timer that is not known to be pending.
func (o *Operations) unknown(timer uint64) {
	if o.seen.has(timer) || timer >= smallNumbers {
		o.counts.NotPending++
	} else {
		o.counts.ArmedBefore++
	}
}

// number returns a number that no pending timer has.
func (o *Operations) number() (uint32, error) {
	if last := len(o.free) - 1; last >= 0 {
		n := o.free[last]
		o.free = o.free[:last]
		return n, nil
	}
	if len(o.timers)+o.early.Len() >= MaxPending {
		return 0, fmt.Errorf("%w at %v", errPending, o.at)
	}
	o.used++
	return o.used - 1, nil
}
