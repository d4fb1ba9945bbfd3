package replay

import (
	"errors"
	"fmt"
	"math"
	"time"

	"schedbench/schedulers"
	"schedbench/workload"
)

// ErrStream means that in a stream time runs backwards, a delay is negative, a kind unknown, or a timer's number absurd.
var ErrStream = errors.New("bad stream")

// freeTimers is how many timer numbers, which index a slice, a stream may use from its start, and two more an operation.
const freeTimers = 1 << 24

// walk is a pass through a stream: T of each timer number, the answers so far, and the arithmetic of ticks.
type walk[T any] struct {
	tally
	timers  []T           // by number
	checked uint64        // operations, and
	at      time.Duration // the time of the last of them
	tick    time.Duration
	last    time.Duration // the last multiple of tick
}

func newWalk[T any](tick time.Duration) (walk[T], error) {
	if tick <= 0 {
		return walk[T]{}, fmt.Errorf("replay: %w: %v, want a positive duration", schedulers.ErrTick, tick)
	}
	return walk[T]{tick: tick, last: math.MaxInt64 - math.MaxInt64%tick}, nil
}

// check makes room for the timers of operations, or returns an error that names the first one which breaks a rule.
func (w *walk[T]) check(ops []workload.Op) error {
	used := len(w.timers)
	for i := range ops {
		if what := w.fault(&ops[i]); what != "" {
			return fmt.Errorf("replay: %w: operation %d: %s", ErrStream, w.checked, what)
		}
		w.at = ops[i].At
		w.checked++
		used = max(used, int(ops[i].Timer)+1)
	}
	w.timers = append(w.timers, make([]T, used-len(w.timers))...)
	return nil
}

// fault says which rule an operation breaks, if any.
func (w *walk[T]) fault(op *workload.Op) string {
	switch {
	case op.At < w.at:
		return fmt.Sprintf("time %v, want at least %v, which is that of the operation before it", op.At, w.at)
	case op.Delay < 0:
		return fmt.Sprintf("delay %v, want 0 or more", op.Delay)
	case uint64(op.Timer) >= freeTimers+2*w.checked:
		return fmt.Sprintf("timer %d, want small numbers: below %d by now", op.Timer, freeTimers+2*w.checked)
	case op.Kind-workload.Schedule > workload.Cancel-workload.Schedule:
		return fmt.Sprintf("kind %d, want schedule, reset or cancel", op.Kind)
	}
	return ""
}

// ceil returns the first instant that is not before at, and the last one of all if there is none.
func (w *walk[T]) ceil(at time.Duration) time.Duration {
	if at >= w.last {
		return w.last
	}
	if at <= 0 {
		return 0
	}
	return at + (w.tick-at%w.tick)%w.tick
}

// deadline returns at + delay, and the last instant if that is earlier.
func (w *walk[T]) deadline(at, delay time.Duration) time.Duration {
	if at > w.last || delay > w.last-at {
		return w.last
	}
	return at + delay
}
