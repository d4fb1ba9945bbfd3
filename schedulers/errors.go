package schedulers

import "errors"

// The errors of schedulers and of their constructors, each wrapped with the value and the limit: test with errors.Is.
var (
	// ErrBeyondHorizon means that a deadline lies further ahead than the slots of a single timing wheel reach.
	ErrBeyondHorizon = errors.New("deadline beyond the horizon")
	// ErrTick means that a tick duration is not positive, or that tick and slots together exceed a time.Duration.
	ErrTick = errors.New("bad tick duration")
	// ErrSlots means that a slot count is not positive or above the limit.
	ErrSlots = errors.New("bad slot count")
	// ErrFull means that the scheduler holds as many values as it can name.
	ErrFull = errors.New("too many pending")
)
