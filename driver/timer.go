package driver

import (
	"fmt"
	"time"

	"schedbench/schedulers"
)

// Timer names one task given to AfterFunc. It is a small value, to be copied freely. Once its task has begun or been
// taken away it is stale for good, and harmless. The zero Timer is stale. Nothing arms a stale Timer again: its task is
// gone, and another timer may have its record. Those of package clock keep their tasks, and their Reset arms them again.
type Timer struct {
	in *owner
	id schedulers.ID
}

// owner links Timers to the inbox that made them. It takes one word of each Timer, where an interface would take two.
// It is not written once there are Timers.
type owner struct {
	c       *core
	inbox   inbox
	wrapper Wrapper // asked instead of the inbox, unless nil
}

// Stop takes the task back and reports whether it did so. True means that the task has not begun and never will. False
// means that the task has begun, was stopped before, or was taken by Close: nothing happens then. Stop does not wait
// for a running task. The cost is three atomic operations. Where many places are left behind, the mutex
// and at most two Cancels of the scheduler come in; WithAtOnce, the mutex and one Cancel. The worker is not woken.
//
// In a Queued driver the cost is a write under the mutex, and the worker cancels when it wakes next. There, False may also
// mean that the scheduler has refused the timer: see Queued.
func (t Timer) Stop() bool {
	if t.in == nil || !t.in.stop(t.id) {
		return false
	}
	if c := t.in.c; c.onCancel != nil {
		c.onCancel(t)
	}
	return true
}

// ResetPending gives the task another deadline, delay from now as AfterFunc counts it, and reports whether it did so.
// True means that the task had not begun, and now begins after delay; t and all copies of it stay valid. False without
// an error means that t is stale. Nothing happens then, where time.Timer.Reset would arm it again. So one goroutine may
// stop a timer while others move it later, and none of these arms it again.
//
// An error means that the scheduler refuses the new deadline, for instance with schedulers.ErrBeyondHorizon.
// ResetPending reports false then, and the task keeps its old deadline.
//
// A move to a later deadline costs two atomic operations, and the mutex if the scheduler has a horizon. A move to an
// earlier one, and every move WithAtOnce, costs one Reset of the scheduler if that is a schedulers.Resetter, or else
// one Schedule and one Cancel; of a timer that is due, one Schedule. The worker is woken only for a deadline before the end of its sleep.
//
// In a Queued driver the cost is a write under the mutex, and the worker asks the scheduler when it wakes next. If the
// scheduler refuses the deadline then, the task is lost: see Queued.
func (t Timer) ResetPending(delay time.Duration) (bool, error) {
	if t.in == nil {
		return false, nil
	}
	if w := t.in.wrapper; w != nil {
		return w.ResetTimer(t.id, delay)
	}
	return t.in.inbox.reset(t.id, t.in.c.in(delay))
}

// State says whether the task is pending, has begun, or was taken away. A driver that was started WithStates knows this
// of a timer until another timer has its record. A Queued driver knows it without WithStates too, but then it drops
// records when a burst has passed. In all other cases the state is Unknown.
func (t Timer) State() State {
	if t.in == nil {
		return Unknown
	}
	if w := t.in.wrapper; w != nil {
		return w.StateOf(t.id)
	}
	return t.in.inbox.state(t.id)
}

// State says what became of a timer. See Timer.State.
type State uint8

const (
	// Unknown: the driver does not keep states, or another timer has the record of this one, or the record was dropped.
	Unknown State = iota
	// IsPending: the task has not begun.
	IsPending
	// Fired: the task has begun.
	Fired
	// Cancelled: Stop or Close took the task away before it began.
	Cancelled
)

// String returns the name of the state in lower case.
func (s State) String() string {
	names := [...]string{"unknown", "pending", "fired", "cancelled"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}
