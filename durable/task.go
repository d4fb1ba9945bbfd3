package durable

import (
	"context"
	"time"
)

// ID names a timer: one that Schedule makes, or that the caller chooses: see WithID.
type ID string

// Task is a timer whose instant has come.
type Task struct {
	// ID is what Schedule returned.
	ID ID
	// Kind is that of the handler.
	Kind string
	// Payload is what Schedule was given. It belongs to the handler.
	Payload []byte
	// At is the instant that was planned, also when the task is tried again later.
	At time.Time
	// Attempt is 1 at first, and one more after each attempt that has failed.
	Attempt int
	// Delivery is how often the engine has handed this attempt out: more than 1 after a worker has
	// died with it, so that the task may have begun before.
	Delivery int
}

// Handler runs the tasks of a kind. With an error, or a panic, the task is tried again after a
// backoff. The context ends after Options.Timeout, and when Close runs out of patience.
type Handler func(ctx context.Context, task Task) error

// Timer is one that is held: see Get and Pending.
type Timer struct {
	ID      ID
	Kind    string
	Payload []byte
	// At is the instant that was planned.
	At time.Time
	// Attempt is the number of the next attempt, or of the one that runs.
	Attempt int
	// Near is whether the engine has handed it out, or is about to.
	Near bool
}

// DeadLetter is a task that failed as often as Options.Attempts allows.
type DeadLetter struct {
	// Task is the last attempt, without its Delivery.
	Task
	// Error is what the last attempt failed with.
	Error string
	// Died is when.
	Died time.Time
}

// Page is where to go on in a list: the zero Page is its beginning, and its end.
type Page struct {
	next uint64 // sequence of the stream to go on from
}

// Done is whether the list has ended. If not, what comes next may still be empty.
func (p Page) Done() bool { return p.next == 0 }
