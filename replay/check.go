package replay

import (
	"errors"
	"fmt"
	"time"

	"schedbench/workload"
)

// ErrStream means that a stream breaks its own rules: time runs backwards, a
// delay is negative, a kind is unknown, or a timer's number is absurd.
var ErrStream = errors.New("bad stream")

// freeTimers is how many timer numbers a stream may use from its start; with
// each operation two more are allowed. Numbers index a slice, so one that is
// absurd would take all memory.
const freeTimers = 1 << 24

// opChecker checks operations against the rules of a stream.
type opChecker struct {
	ops uint64
	at  time.Duration
	// timers is how many numbers were used, counted from 0 to the largest.
	timers int
}

// check returns an error that names the first operation which breaks a rule.
func (c *opChecker) check(ops []workload.Op) error {
	for i := range ops {
		op := &ops[i]
		if op.At < c.at || op.Delay < 0 || op.Kind-workload.Schedule > workload.Cancel-workload.Schedule ||
			uint64(op.Timer) >= freeTimers+2*c.ops {
			return c.fault(op)
		}
		c.at = op.At
		c.ops++
		c.timers = max(c.timers, int(op.Timer)+1)
	}
	return nil
}

// fault says which rule an operation breaks.
func (c *opChecker) fault(op *workload.Op) error {
	what := ""
	switch {
	case op.At < c.at:
		what = fmt.Sprintf("time %v, want at least %v, which is that of the operation before it", op.At, c.at)
	case op.Delay < 0:
		what = fmt.Sprintf("delay %v, want 0 or more", op.Delay)
	case uint64(op.Timer) >= freeTimers+2*c.ops:
		what = fmt.Sprintf("timer %d, want small numbers: below %d by now", op.Timer, freeTimers+2*c.ops)
	default:
		what = fmt.Sprintf("kind %d, want schedule, reset or cancel", op.Kind)
	}
	return fmt.Errorf("replay: %w: operation %d: %s", ErrStream, c.ops, what)
}
