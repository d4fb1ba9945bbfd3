package driver

import (
	"fmt"
	"time"
	"unsafe"

	"schedbench/schedulers"
)

// Sharded spreads timers over several schedulers, each under its own mutex, all served by one worker. A goroutine
// mostly keeps to one of them, so goroutines that make and stop their own timers hardly wait for each other. Tasks of
// different shards that are due at once begin shard by shard; within a shard they begin in the order of the scheduler.
type Sharded struct {
	// Shards is the number of schedulers, at least 1.
	Shards int
	// New makes one more scheduler like that given to Start.
	New func() (schedulers.Scheduler[Task], error)
}

func (o Sharded) open(c *core, s schedulers.Scheduler[Task]) error {
	const most = 1 << 10
	if o.Shards < 1 || o.Shards > most {
		return fmt.Errorf("%w: %d shards, want 1 to %d", ErrOption, o.Shards, most)
	}
	if o.New == nil {
		return fmt.Errorf("%w: Sharded without New, want a function that makes a scheduler", ErrOption)
	}
	var to shards
	for {
		sh, err := newShard(c, s)
		if err != nil {
			return err
		}
		to, c.inboxes = append(to, sh), append(c.inboxes, sh)
		if len(to) == o.Shards {
			c.intake = to
			return nil
		}
		if s, err = o.New(); err != nil {
			return fmt.Errorf("driver: scheduler of shard %d: %w", len(to), err)
		}
	}
}

// shards is the intake of a Sharded driver.
type shards []*shard

func (all shards) add(deadline time.Duration, task taskRun) (Timer, error) {
	sh := all[goroutineHint()%len(all)]
	t, i, r := sh.start(deadline, task)
	if t.in != nil {
		return t, nil
	}
	if r != nil { // it belongs to that shard
		sh.mu.Lock()
	} else {
		sh = all.lockOne()
	}
	t, err := sh.addLocked(deadline, task, i, r)
	sh.mu.Unlock()
	return t, err
}

// goroutineHint returns a number that mostly differs from goroutine to goroutine: the address of the stack, without the low
// bits, which depend on the depth of calls.
func goroutineHint() int {
	var here byte
	return int((uint64(uintptr(unsafe.Pointer(&here))) >> 11 * 0x9e3779b97f4a7c15) >> 33)
}

// lockOne locks the shard that a new timer goes to, and returns it. Mostly that is the goroutine's own shard, else the next
// free one. So goroutines that make and stop their own timers do not wait for each other.
func (all shards) lockOne() *shard {
	n := len(all)
	i := goroutineHint() % n
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
