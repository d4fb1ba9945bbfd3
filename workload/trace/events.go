package trace

import (
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
	s     workload.Stream
	batch []workload.Op
	left  []workload.Op
	at    time.Duration
	// pending hands out numbers by deadline; timers, by number, say what is known.
	pending *heapsched.Heap[uint32]
	timers  []pendingTimer
	due     []uint32
	over    bool
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
	return &history{s: s, batch: make([]workload.Op, 512), pending: heapsched.New[uint32](), due: make([]uint32, 1)}
}

// Read stores the next events: it is a Reader.
func (h *history) Read(events []Event) (n int, err error) {
	for n < len(events) && h.err == nil {
		if h.next(&events[n]) {
			n++
		}
	}
	if n > 0 || len(events) == 0 {
		return n, nil
	}
	return 0, h.err
}

// next stores an event and reports whether it did.
func (h *history) next(e *Event) bool {
	if len(h.left) == 0 && !h.over {
		var n int
		n, h.err = h.s.Read(h.batch)
		h.left = h.batch[:n]
		if n > 0 {
			h.err = nil // a stream that fails returns it again
		} else if h.over = errors.Is(h.err, io.EOF); h.over {
			h.err = nil
		}
		return false
	}
	until := time.Duration(math.MaxInt64)
	if !h.over {
		until = h.left[0].At
	}
	if h.fire(until, e) {
		return true
	}
	if h.over {
		h.err = io.EOF
		return false
	}
	op := &h.left[0]
	h.left = h.left[1:]
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
func (h *history) do(op *workload.Op, e *Event) bool {
	*e = Event{At: op.At, Timer: uint64(op.Timer), Kind: kindOf(op.Kind)}
	if e.Kind != Cancel {
		e.Delay = min(op.Delay, math.MaxInt64-max(op.At, 0)) // no deadline is later
	}
	if h.err = e.check(h.at); h.err != nil {
		return false
	}
	h.at = op.At
	if h.err = h.grow(op.Timer); h.err != nil {
		return false
	}
	t := &h.timers[op.Timer]
	held := t.id != 0
	switch op.Kind {
	case workload.Cancel:
		h.pending.Cancel(t.id)
		t.id = 0
		return held
	case workload.Reset:
		if !held {
			return false
		}
	case workload.Schedule:
		if held { // which streams do not do
			e.Kind = Reset
		}
	}
	h.pending.Cancel(t.id)
	t.deadline = e.deadline()
	t.id, h.err = h.pending.Schedule(t.deadline, op.Timer)
	return h.err == nil
}

// kindOf returns the kind of an operation's event, or 0.
func kindOf(k workload.Kind) Kind {
	switch k {
	case workload.Schedule:
		return Schedule
	case workload.Reset:
		return Reset
	case workload.Cancel:
		return Cancel
	}
	return 0
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
