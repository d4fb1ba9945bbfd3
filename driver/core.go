package driver

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"schedbench/schedulers"
)

// core is what a driver consists of.
type core struct {
	config
	start  time.Time
	wait   waiter
	run    runner
	shards []*shard

	launch  sync.Once // starts the worker
	started atomic.Bool
	closed  atomic.Bool
	reserve atomic.Int64 // timers pending, counted only where they are limited

	repeating sync.Map // from the closure of a task to the Repeating that it runs

	// live counts the worker and the tasks that have begun and not ended. The
	// one that brings it to zero, after Close, closes done.
	live atomic.Int64
	done chan struct{}

	wakeups, kicks, panics, exits, rejected atomic.Uint64

	pause Pause // under way: of the worker alone
}

// Stats are counts since the start of a driver. A task that has begun counts
// as fired, whether it has ended or not.
type Stats struct {
	// Wakeups counts the sleeps of the worker that ended, for any reason. At
	// rest it is what an idle driver costs.
	Wakeups uint64
	// Kicks counts the sleeps that were cut short for an earlier deadline, or
	// because a queue had grown long.
	Kicks uint64
	// Scheduled counts the timers that AfterFunc made, and Reset anew.
	Scheduled uint64
	// Fired counts the tasks that began.
	Fired uint64
	// Stopped counts the timers that Stop took back, and Reset to make another.
	Stopped uint64
	// Panics counts the tasks that panicked.
	Panics uint64
	// Exits counts the tasks that ended their goroutine by runtime.Goexit.
	Exits uint64
	// Rejected counts the tasks that a full Pool dropped, and the timers that the
	// scheduler of a Queued driver refused too late for AfterFunc to say so.
	Rejected uint64
}

// Stats returns the counts so far. It may be called after Close.
func (c *core) Stats() Stats {
	st := Stats{
		Wakeups: c.wakeups.Load(), Kicks: c.kicks.Load(), Panics: c.panics.Load(),
		Exits: c.exits.Load(), Rejected: c.rejected.Load(),
	}
	for _, sh := range c.shards {
		sh.addTo(&st)
	}
	return st
}

func newCore(s schedulers.Scheduler[Task], cfg config) (*core, error) {
	c := &core{config: cfg, start: time.Now(), done: make(chan struct{})}
	all, err := cfg.inbox.schedulers(s)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if err := check(s); err != nil {
			return nil, err
		}
		sh, err := newShard(c, s)
		if err != nil {
			return nil, err
		}
		c.shards = append(c.shards, sh)
	}
	if c.wait, err = cfg.waiting.newWaiter(); err != nil {
		return nil, fmt.Errorf("driver: %w", err)
	}
	c.run = cfg.running.runner(c)
	return c, nil
}

// now returns the time since the start of the driver.
func (c *core) now() time.Duration { return time.Since(c.start) }

func (c *core) atFunc(deadline time.Duration, f func()) (Timer, error) {
	if f == nil {
		return Timer{}, ErrNilFunc
	}
	if err := c.admit(); err != nil {
		return Timer{}, err
	}
	t, err := c.add(deadline, newTask(f, deadline))
	if err != nil {
		c.release(1)
	}
	return t, err
}

// add puts a task into the scheduler of a shard, or into the queue.
func (c *core) add(deadline time.Duration, task Task) (Timer, error) {
	if q := c.shards[0].q; q != nil {
		return q.add(deadline, task)
	}
	sh := c.pick()
	t, err := sh.add(deadline, task)
	sh.mu.Unlock()
	return t, err
}

// pick locks the shard that a new timer goes to, and returns it: one that
// belongs to this goroutine as a rule, so that goroutines that make and stop
// their own timers do not wait for each other.
//
// Where a goroutine's stack lies tells it from others at no cost. The low bits
// depend on how deep in calls it is.
func (c *core) pick() *shard {
	i := 0
	if n := len(c.shards); n > 1 {
		var here byte
		i = int((uint64(uintptr(unsafe.Pointer(&here)))>>11*0x9e3779b97f4a7c15)>>33) % n
		for range n {
			if sh := c.shards[i]; sh.mu.TryLock() {
				return sh
			}
			if i++; i == n {
				i = 0
			}
		}
	}
	sh := c.shards[i]
	sh.mu.Lock()
	return sh
}

// begin starts the worker, with the first timer.
func (c *core) begin() {
	c.launch.Do(func() {
		c.live.Add(1)
		c.started.Store(true)
		go c.work()
	})
}

// kick wakes the worker for an earlier deadline.
func (c *core) kick() {
	c.kicks.Add(1)
	c.wait.kick()
}

// admit counts one more pending timer, or refuses it. It never counts one that
// it refuses, since that might refuse another for which there is room.
func (c *core) admit() error {
	if c.maxPending == 0 {
		return nil
	}
	for {
		n := c.reserve.Load()
		switch {
		case n < int64(c.maxPending):
			if c.reserve.CompareAndSwap(n, n+1) {
				return nil
			}
		case c.closed.Load():
			return ErrClosed
		default:
			return fmt.Errorf("%w: %d, the limit is %d", ErrMaxPending, n, c.maxPending)
		}
	}
}

// release counts n pending timers less.
func (c *core) release(n int) {
	if c.maxPending != 0 {
		c.reserve.Add(-int64(n))
	}
}

// begun notes that a task is about to run. One that repeats keeps its room among
// the pending.
func (c *core) begun(task Task) {
	c.live.Add(1)
	if !task.repeats() {
		c.release(1)
	}
}
