package driver_test

import (
	"fmt"
	"math"
	"time"

	"schedbench/driver"
	"schedbench/listsched"
	"schedbench/schedulers"
)

// plain is a list that hides its optional interfaces, with a horizon.
type plain struct {
	schedulers.Scheduler[driver.Task]
	horizon, clock time.Duration
}

func newPlain() *plain { return newPlainWithin(math.MaxInt64) }

// newPlainWithin returns one that refuses what is further ahead than a horizon.
func newPlainWithin(horizon time.Duration) *plain {
	return &plain{Scheduler: listsched.New[driver.Task](), horizon: horizon}
}

func (p *plain) Schedule(deadline time.Duration, task driver.Task) (schedulers.ID, error) {
	if deadline-p.clock > p.horizon {
		return 0, fmt.Errorf("%w: %v ahead", schedulers.ErrBeyondHorizon, deadline-p.clock)
	}
	return p.Scheduler.Schedule(deadline, task)
}

func (p *plain) Expire(now time.Duration, due []driver.Task) int {
	p.clock = max(p.clock, now)
	return p.Scheduler.Expire(now, due)
}
