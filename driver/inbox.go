package driver

import (
	"fmt"

	"schedbench/schedulers"
)

// Inbox decides how timers get into the scheduler: Locked, Sharded or Queued.
type Inbox interface {
	// schedulers returns those of a driver that is given s.
	schedulers(s schedulers.Scheduler[Task]) ([]schedulers.Scheduler[Task], error)
}

// Locked puts timers into the scheduler at once, under a mutex. It is the
// simplest and, as long as one goroutine at a time makes or stops timers, the
// fastest.
type Locked struct{}

func (Locked) schedulers(s schedulers.Scheduler[Task]) ([]schedulers.Scheduler[Task], error) {
	return []schedulers.Scheduler[Task]{s}, nil
}

// Sharded spreads timers over several schedulers, each under a mutex of its own,
// all served by one worker. A goroutine keeps to one of them as a rule, so that
// goroutines which make and stop their own timers hardly wait for each other.
// Tasks of different shards that are due at once begin shard by shard; within a
// shard they begin in the order of the scheduler.
type Sharded struct {
	// Shards is the number of schedulers, at least 1.
	Shards int
	// New makes one more scheduler like that given to Start.
	New func() (schedulers.Scheduler[Task], error)
}

func (o Sharded) schedulers(s schedulers.Scheduler[Task]) ([]schedulers.Scheduler[Task], error) {
	const most = 1 << 10
	if o.Shards < 1 || o.Shards > most {
		return nil, fmt.Errorf("%w: %d shards, want 1 to %d", ErrOption, o.Shards, most)
	}
	if o.New == nil {
		return nil, fmt.Errorf("%w: Sharded without New, want a function that makes a scheduler", ErrOption)
	}
	all := []schedulers.Scheduler[Task]{s}
	for len(all) < o.Shards {
		s, err := o.New()
		if err != nil {
			return nil, fmt.Errorf("driver: scheduler of shard %d: %w", len(all), err)
		}
		all = append(all, s)
	}
	return all, nil
}
