package driver

import (
	"fmt"
	"time"
	"unsafe"

	"schedbench/schedulers"
)

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

func (o Sharded) open(c *core, s schedulers.Scheduler[Task]) (intake, []inbox, error) {
	all, err := o.schedulers(s)
	if err != nil {
		return nil, nil, err
	}
	var to shards
	var inboxes []inbox
	for _, s := range all {
		sh, err := newShard(c, s)
		if err != nil {
			return nil, nil, err
		}
		to, inboxes = append(to, sh), append(inboxes, sh)
	}
	return to, inboxes, nil
}

// schedulers returns s and those made like it.
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

// shards are those of a Sharded driver.
type shards []*shard

func (all shards) add(deadline time.Duration, task Task) (Timer, error) {
	sh := all.lockOne()
	t, err := sh.addLocked(deadline, task)
	sh.mu.Unlock()
	return t, err
}

// lockOne locks the shard that a new timer goes to, and returns it: one that
// belongs to this goroutine as a rule, so that goroutines that make and stop
// their own timers do not wait for each other.
//
// Where a goroutine's stack lies tells it from others at no cost. The low bits
// depend on how deep in calls it is.
func (all shards) lockOne() *shard {
	var here byte
	n := len(all)
	i := int((uint64(uintptr(unsafe.Pointer(&here)))>>11*0x9e3779b97f4a7c15)>>33) % n
	for range n {
		if sh := all[i]; sh.mu.TryLock() {
			return sh
		}
		if i++; i == n {
			i = 0
		}
	}
	sh := all[i]
	sh.mu.Lock()
	return sh
}
