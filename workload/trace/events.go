package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"schedbench/heapsched"
	"schedbench/schedulers"
	"schedbench/workload"
)

// history is a stream of operations with the expiries that follow from it.
type history struct {
	ops buffered[workload.Op]
	at  time.Duration
	// pending hands out numbers by deadline; timers, by number, say what is known.
	pending *heapsched.Heap[uint32]
	timers  []pendingTimer
	due     []uint32
	err     error
}

// pendingTimer is a timer of a history. Its id is 0 when it is not pending.
type pendingTimer struct {
	id       schedulers.ID
	deadline time.Duration
}

// Events returns a stream as the events of a system that is never late: timers
// fire at their deadlines, before what is done at that time, and those that are
// left at the end one after the other. Cancellations and resets of timers that
// have fired are left out, since they come too late.
func Events(s workload.Stream) Reader {
	return &history{ops: newBuffered(s.Read), pending: heapsched.New[uint32](), due: make([]uint32, 1)}
}

// Read stores the next events: it is a Reader.
func (h *history) Read(events []Event) (int, error) {
	return readInto(events, &h.err, h.next)
}

// next stores an event and reports whether it did.
func (h *history) next(e *Event) (bool, error) {
	op, err := h.ops.peek()
	over := errors.Is(err, io.EOF)
	if err != nil && !over {
		return false, err
	}
	until := time.Duration(math.MaxInt64)
	if !over {
		until = op.At
	}
	switch {
	case h.fire(until, e):
		return true, nil
	case over:
		return false, io.EOF
	}
	h.ops.next++
	return h.do(op, e)
}

// fire stores the expiry of the first timer due up to a time.
func (h *history) fire(until time.Duration, e *Event) bool {
	if wake, ok := h.pending.Next(); !ok || wake > until || h.pending.Expire(wake, h.due) == 0 {
		return false
	}
	t := &h.timers[h.due[0]]
	*e = Event{At: t.deadline, Timer: uint64(h.due[0]), Kind: Fire}
	t.id = 0
	return true
}

// do stores the event of an operation, if there is one.
func (h *history) do(op *workload.Op, e *Event) (bool, error) {
	*e = Event{At: op.At, Timer: uint64(op.Timer)}
	if op.Kind <= workload.Cancel { // the kinds of operations are kinds of events
		e.Kind = Kind(op.Kind)
	}
	if e.Kind != Cancel {
		e.Delay = min(op.Delay, math.MaxInt64-max(op.At, 0)) // no deadline is later
	}
	if err := cmp.Or(e.check(h.at), h.grow(op.Timer)); err != nil {
		return false, err
	}
	h.at = op.At
	t := &h.timers[op.Timer]
	held := t.id != 0
	h.pending.Cancel(t.id)
	t.id = 0
	switch {
	case e.Kind == Cancel || e.Kind == Reset && !held:
		return held, nil
	case held:
		e.Kind = Reset // a stream does not schedule what is pending
	}
	var err error
	t.deadline = e.deadline()
	t.id, err = h.pending.Schedule(t.deadline, op.Timer)
	return true, err
}

// grow makes room for a number.
func (h *history) grow(number uint32) error {
	if number >= maxNumbers {
		return fmt.Errorf("%w: timer number %d, want small numbers, below %d", ErrEvent, number, maxNumbers)
	}
	for int(number) >= len(h.timers) {
		h.timers = append(h.timers, pendingTimer{})
	}
	return nil
}
