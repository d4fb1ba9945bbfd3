package driver

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/schedulers"
)

// core is what a driver consists of.
type core struct {
	config
	start   time.Time
	wait    waiter
	run     taskRunner
	intake  intake  // where new timers go
	inboxes []inbox // one, or the shards of a Sharded driver, which the worker serves in turn

	launch  sync.Once // starts the worker
	started atomic.Bool
	closed  atomic.Bool
	reserve atomic.Int64 // timers pending, counted only where they are limited

	repeating sync.Map // from the closure of a task to the Repeating that it runs

	// active counts the worker and the tasks that have begun and not ended. The
	// one that brings it to zero, after Close, closes done.
	active atomic.Int64
	done   chan struct{}

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
	for _, in := range c.inboxes {
		in.addTo(&st)
	}
	return st
}

func newCore(s schedulers.Scheduler[Task], cfg config) (*core, error) {
	c := &core{config: cfg, start: time.Now(), done: make(chan struct{})}
	var err error
	if c.intake, c.inboxes, err = cfg.inbox.open(c, s); err != nil {
		return nil, err
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
	t, err := c.intake.add(deadline, newTask(f, deadline))
	if err != nil {
		c.release(1)
	}
	return t, err
}

// begin starts the worker, with the first timer.
func (c *core) begin() {
	c.launch.Do(func() {
		c.active.Add(1)
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
	c.active.Add(1)
	if !task.repeats() {
		c.release(1)
	}
}
