package schedtest

import (
	"math"
	"time"

	"schedbench/schedulers"
)

// end is the last instant there is.
const end = time.Duration(math.MaxInt64)

// Subject describes a scheduler to the suite.
type Subject struct {
	// Name identifies the scheduler in messages.
	Name string
	// New returns a fresh scheduler whose clock is 0. It is called many times,
	// and the schedulers it returns share nothing.
	New func() (schedulers.Scheduler[uint64], error)
	// Tick is the duration that deadlines are rounded up to; 0 means that the
	// scheduler is exact.
	Tick time.Duration
	// Due is for a scheduler that rounds long delays up to more than a tick,
	// which departs from the contract. It tells the first instant at which Expire
	// hands out a value whose deadline is ahead of the clock, if the value is
	// scheduled when the clock stands at clock: a multiple of Tick, or the maximum
	// duration where that would be beyond it. The suite takes its word, so the
	// lateness that it allows is for the author to state and to test. nil means
	// the deadline rounded up to a multiple of Tick.
	Due func(clock, deadline time.Duration) time.Duration
	// Horizon is how far ahead a deadline may lie; 0 means any distance. A
	// deadline more than Horizon ahead of the clock may be refused with
	// ErrBeyondHorizon; one at most Horizon - Tick ahead must be taken. The
	// tick between the two is open, because a wheel measures from the start of
	// the current tick.
	Horizon time.Duration
	// Slots is the total number of slots of a wheel, over all its levels, and 0
	// for other structures. It bounds the work that a long jump may cost.
	Slots int
	// Rotation is, for a structure that comes past a waiting value once per
	// rotation (a rounds wheel), the duration of one; 0 for the others. Next
	// may stop once per Rotation and value.
	Rotation time.Duration
}

// unit returns the step in which the cases count time: the tick, or a
// millisecond where there is none.
func (s Subject) unit() time.Duration {
	if s.Tick > 0 {
		return s.Tick
	}
	return time.Millisecond
}

// maxDelay returns the longest delay that the subject must accept.
func (s Subject) maxDelay() time.Duration {
	if s.Horizon > 0 {
		return max(s.Horizon-s.Tick, 0)
	}
	return end
}

// mayRefuse reports whether deadline may be refused when the clock is at clock.
func (s Subject) mayRefuse(clock, deadline time.Duration) bool {
	return s.Horizon > 0 && max(deadline, 0)-clock > s.maxDelay()
}

// dueAt returns the first instant at which Expire hands out a value whose
// deadline was ahead of the clock when it was scheduled.
func (s Subject) dueAt(clock, deadline time.Duration) time.Duration {
	if s.Due != nil && deadline > clock {
		return max(s.Due(clock, deadline), deadline)
	}
	return roundUp(max(deadline, 0), s.Tick)
}

// spread returns n ascending delays, one unit apart where the longest delay allows it
// and closer where it does not.
func (s Subject) spread(n int) []time.Duration {
	gap := min(s.unit(), s.maxDelay()/time.Duration(n))
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = time.Duration(i+1) * gap
	}
	return delays
}

// delays returns ascending delays at the places where placement goes wrong
// first: zero, one tick, and powers of two of a tick, each with its neighbours
// one nanosecond and one tick away.
func (s Subject) delays() []time.Duration {
	delays := []time.Duration{0, 1}
	last := delays[1]
	unit, most := s.unit(), s.maxDelay()
	for at := unit; at <= min(most, end/4); at *= 2 {
		for _, d := range []time.Duration{at - unit - 1, at - unit, at - 1, at, at + 1, at + unit} {
			if d > last && d <= most {
				delays = append(delays, d)
				last = d
			}
		}
	}
	return delays
}

// roundUp returns the first multiple of tick at or after d, or the end of time
// if there is none. A tick of 0 leaves d as it is.
func roundUp(d, tick time.Duration) time.Duration {
	down := roundDown(d, tick)
	switch {
	case down == d:
		return d
	case down > end-tick:
		return end
	}
	return down + tick
}

// roundDown returns the last multiple of tick at or before d, which is not
// negative. A tick of 0 leaves d as it is.
func roundDown(d, tick time.Duration) time.Duration {
	if tick == 0 {
		return d
	}
	return d - d%tick
}

// later returns t + d for a t that is not negative, or the end of time where
// the sum is beyond it.
func later(t, d time.Duration) time.Duration {
	if d > end-t {
		return end
	}
	return t + d
}
