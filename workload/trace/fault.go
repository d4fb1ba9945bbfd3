package trace

import (
	"errors"
	"fmt"
)

// Reason says what kind of damage a trace has.
type Reason string

// What may be wrong with a trace.
const (
	Malformed   Reason = "malformed line"
	TooLong     Reason = "line too long"
	Unknown     Reason = "unknown event"
	OutOfOrder  Reason = "time goes back"
	OutOfRange  Reason = "value out of range"
	Rescheduled Reason = "scheduled while pending"
	Mismatch    Reason = "total does not agree"
	Truncated   Reason = "cut off"
	Packing     Reason = "damaged gzip"
)

// SyntaxError says where a trace is damaged, and how.
type SyntaxError struct {
	File   string
	Line   int64 // from 1; of the line that is damaged, or after which there is nothing
	Reason Reason
	Detail string // what was found and what was expected
	Err    error  // what was behind it, if anything
}

// Error returns file, line, reason and detail.
func (e *SyntaxError) Error() string {
	s := fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the underlying error.
func (e *SyntaxError) Unwrap() error { return e.Err }

// ErrFormat means that a file is not a trace of any form that can be read.
var ErrFormat = errors.New("not a trace")

// Counts says what a reader has met so far.
type Counts struct {
	Lines  int64  // read, whatever they say
	Events uint64 // returned
	// Skipped counts what was left out because it is damaged, by reason.
	Skipped map[Reason]uint64
	// Lost is how many events the recording says it lost. Missing is how many it says it holds and the file lacks.
	Lost, Missing uint64

	// What follows is of the kernel's events only.

	// Ignored counts events that do not change a timer, such as timer_init.
	Ignored uint64
	// Overdue counts timers armed for a time that had passed: their delay is 0.
	Overdue uint64
	// Clamped counts timers armed for longer than a time.Duration can hold: they get the longest duration.
	Clamped uint64
	// Unended counts timers armed while pending: the trace does not show how the earlier arming ended.
	Unended uint64
	// OtherClock counts timers left out because they use the wall clock, and the trace lacks what converts it.
	OtherClock uint64
}

// AllSkipped returns how much was left out because it is damaged.
func (c Counts) AllSkipped() (n uint64) {
	for _, of := range c.Skipped {
		n += of
	}
	return n
}
