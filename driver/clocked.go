package driver

import (
	"errors"
	"fmt"
	"time"

	"schedbench/schedulers"
)

// clocked is a scheduler and how far its clock has come, which stands still while
// the worker sleeps. Whoever calls it holds the mutex of the inbox that has it.
type clocked struct {
	driver    *core
	s         schedulers.Scheduler[Task]
	clock     time.Duration // the last instant that Expire was given
	precision time.Duration // how exactly that must be the present for Schedule; 0 if it need not
}

// newClocked refuses a scheduler that a driver cannot use.
func newClocked(c *core, s schedulers.Scheduler[Task]) (clocked, error) {
	if s == nil {
		return clocked{}, fmt.Errorf("%w: nil", ErrScheduler)
	}
	if n := s.Len(); n != 0 {
		return clocked{}, fmt.Errorf("%w: holds %d values", ErrScheduler, n)
	}
	return clocked{driver: c, s: s, precision: precision(s)}, nil
}

// precision returns how exactly the clock of s must be the present when something
// is scheduled: to the tick, if s is later the farther a deadline is from its clock.
func precision(s schedulers.Scheduler[Task]) time.Duration {
	if _, ok := s.(schedulers.Approximate); !ok {
		return 0
	}
	if r, ok := s.(schedulers.Resolution); ok {
		return r.Tick()
	}
	return 1
}

// schedule puts a task into the scheduler. A horizon is counted from the
// scheduler's clock, so one that refuses a deadline may take it once that clock
// has been moved to now.
func (k *clocked) schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	if k.precision > 0 {
		now := k.driver.now()
		k.advance(now - now%k.precision)
	}
	id, err := k.s.Schedule(deadline, task)
	if err != nil && errors.Is(err, schedulers.ErrBeyondHorizon) && k.advance(k.driver.now()) {
		id, err = k.s.Schedule(deadline, task)
	}
	return id, err
}

// advance moves the scheduler's clock to now, and reports whether it stood behind.
// What is due is left to the worker, which is about to wake for it anyway.
func (k *clocked) advance(now time.Duration) bool {
	now = k.driver.waking.instant(now)
	if now <= k.clock {
		return false
	}
	k.clock = now
	k.s.Expire(now, nil)
	return true
}
