package driver

import (
	"fmt"
	"time"

	"schedbench/schedulers"
)

// Waking decides when the worker wakes: SkipToNext, SkipAtLeast or FixedTick.
type Waking interface {
	check() error
	// instant returns the time that the worker passes to Expire when the clock shows now.
	instant(now time.Duration) time.Duration
	// until returns the instant until which the worker sleeps when nothing more is due; forever means until it is kicked.
	until(s schedulers.Scheduler[Task], now time.Duration) time.Duration
	// interrupted reports whether to end a sleep until an instant, after an earlier deadline was scheduled.
	interrupted(s schedulers.Scheduler[Task], until time.Duration) bool
}

// SkipToNext lets the worker sleep until the scheduler has work to do, however far off that is: an idle driver costs
// nothing. A new deadline that is earlier interrupts the sleep at once.
type SkipToNext struct{}

func (SkipToNext) check() error { return nil }

func (SkipToNext) instant(now time.Duration) time.Duration { return now }

func (SkipToNext) until(s schedulers.Scheduler[Task], _ time.Duration) time.Duration {
	if next, ok := s.Next(); ok {
		return next
	}
	return forever
}

// interrupted asks the scheduler: a wheel may have the new deadline in the slot that the worker waits for.
func (SkipToNext) interrupted(s schedulers.Scheduler[Task], until time.Duration) bool {
	next, ok := s.Next()
	return ok && next < until
}

// SkipAtLeast is SkipToNext with a least duration of each sleep. What comes due during a sleep costs one wake-up, and
// is late by less than that duration. It must be positive.
type SkipAtLeast time.Duration

func (l SkipAtLeast) check() error {
	if l <= 0 {
		return fmt.Errorf("%w: sleeps of %v at least, want more than 0", ErrOption, time.Duration(l))
	}
	return nil
}

func (SkipAtLeast) instant(now time.Duration) time.Duration { return now }

func (l SkipAtLeast) until(s schedulers.Scheduler[Task], now time.Duration) time.Duration {
	return max(SkipToNext{}.until(s, now), after(now, time.Duration(l)))
}

// interrupted lets a sleep last that ends at most l after the new deadline.
func (l SkipAtLeast) interrupted(s schedulers.Scheduler[Task], until time.Duration) bool {
	return SkipToNext{}.interrupted(s, until-time.Duration(l))
}

// FixedTick is a tick duration. The worker wakes at every multiple of it since the start of the driver, due or not, and
// gives the scheduler that multiple as the time. So a task begins at the first multiple at or after the instant at
// which the scheduler has it due. A worker that is late expires all the ticks it has missed at once, and keeps to the
// same multiples: it never drifts. FixedTick must be positive.
type FixedTick time.Duration

func (t FixedTick) check() error {
	if t <= 0 {
		return fmt.Errorf("%w: fixed tick of %v", schedulers.ErrTick, time.Duration(t))
	}
	return nil
}

func (t FixedTick) instant(now time.Duration) time.Duration {
	return now - now%time.Duration(t)
}

func (t FixedTick) until(_ schedulers.Scheduler[Task], now time.Duration) time.Duration {
	return after(t.instant(now), time.Duration(t))
}

func (FixedTick) interrupted(schedulers.Scheduler[Task], time.Duration) bool { return false }
