package trace

import (
	"errors"
	"fmt"
	"math"
	"time"

	"schedbench/workload"
)

// Kind says what happened to a timer: an operation of the program, or Fire.
type Kind = workload.Kind

// What happens to timers.
const (
	Schedule = workload.Schedule
	Reset    = workload.Reset
	Cancel   = workload.Cancel
	// Fire is the timer's expiry: its task runs.
	Fire = Cancel + 1
)

// letters are the kinds as they stand in schedbench's format.
const letters = "?srcf"

func arms(k Kind) bool { return k == Schedule || k == Reset }

// Event is something that happened to a timer.
type Event struct {
	// At is when, since the beginning of the trace. It never decreases from one event to the next.
	At time.Duration
	// Delay is the time from At to the deadline, of Schedule and Reset, and not negative. At+Delay is a time.Duration.
	Delay time.Duration
	// Timer identifies the timer. A number may be used again after its timer was cancelled or has fired.
	Timer uint64
	// Kind is what happened.
	Kind Kind
}

// Reader is a source of events.
type Reader interface {
	// Read stores the next events and returns how many. At the end it returns 0 and io.EOF. Any other error says what
	// is wrong with the source; the events before it have been returned.
	Read(events []Event) (n int, err error)
}

// MaxPending is how many timers may be pending in a trace at once. A table of them takes 50 to 100 bytes a timer.
const MaxPending = 1 << 24

// ErrEvent means that an event breaks the rules of its type, such as one before its predecessor.
var ErrEvent = errors.New("trace: bad event")

var errPending = fmt.Errorf("%w: more than %d timers pending", ErrEvent, MaxPending)

// check returns an error that wraps ErrEvent if the event cannot follow one at the time last.
func (e *Event) check(last time.Duration) error {
	switch {
	case e.At < last:
		return fmt.Errorf("%w: a %v of timer %d at %v, want %v or later, the time of the event before", ErrEvent, e.Kind, e.Timer, e.At, last)
	case e.Kind < Schedule || e.Kind > Fire:
		return fmt.Errorf("%w: %v, want schedule, reset, cancel or fire", ErrEvent, e.Kind)
	case e.Delay < 0:
		return fmt.Errorf("%w: a %v of timer %d for %v ahead, want 0 or more", ErrEvent, e.Kind, e.Timer, e.Delay)
	case e.Delay > math.MaxInt64-e.At:
		return fmt.Errorf("%w: a %v of timer %d at %v for %v ahead, want a deadline of at most %v", ErrEvent, e.Kind, e.Timer, e.At, e.Delay, time.Duration(math.MaxInt64))
	}
	return nil
}

// deadline returns when the timer of an arming event is due.
func (e *Event) deadline() time.Duration { return e.At + e.Delay }
