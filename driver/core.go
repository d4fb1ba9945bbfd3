package driver

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// core is the state of a driver.
type core struct {
	config
	start   time.Time
	wait    waiter
	run     func(taskRun) // by way of runTask
	intake  intake        // where new timers go
	inboxes []inbox       // one, or the shards of a Sharded driver, which the worker serves in turn

	launch  sync.Once // starts the worker
	started atomic.Bool
	closed  atomic.Bool
	reserve atomic.Int64 // timers pending, counted only under WithMaxPending

	repeating sync.Map // the keys are the Repeatings that have not ended

	// active counts the tasks that have begun and not ended, and workerUnit for the worker. The one that brings it to zero closes done.
	active atomic.Int64
	done   chan struct{}

	wakeups, kicks, panics, rejected atomic.Uint64

	looked time.Duration // when the worker, which alone uses this, read the clock
}

// Stats are counts since the start of a driver, except Pending. A task counts as fired once it has begun.
type Stats struct {
	// Pending is how many timers are pending now, as Driver.Len.
	Pending int
	// Wakeups counts the sleeps of the worker that ended, for any reason: the cost of an idle driver.
	Wakeups uint64
	// Kicks counts the sleeps that were cut short for an earlier deadline, or because a queue had grown long.
	Kicks uint64
	// Scheduled counts the timers that AfterFunc made, and one for each run of a task that repeats.
	Scheduled uint64
	// Reset counts the deadlines that Timer.ResetPending has changed.
	Reset uint64
	// Fired counts the tasks that began.
	Fired uint64
	// LatenessSum adds up how long after their deadlines tasks began, and LatenessWorst is the longest. The worker reads
	// the clock once for all that is due together, so the time of inline tasks before does not count. Nor does the wait
	// of a task for its goroutine.
	LatenessSum, LatenessWorst time.Duration
	// Stopped counts the timers that Stop took back.
	Stopped uint64
	// Panics counts the tasks that panicked, if there is a handler.
	Panics uint64
	// Rejected counts the tasks that a full Pool dropped, and the timers that the scheduler of a Queued driver
	// refused after AfterFunc had returned.
	Rejected uint64
}

// Stats returns the counts so far. It may be called after Close.
func (c *core) Stats() Stats {
	st := Stats{
		Wakeups: c.wakeups.Load(), Kicks: c.kicks.Load(), Panics: c.panics.Load(), Rejected: c.rejected.Load(),
	}
	for _, in := range c.inboxes {
		in.addTo(&st)
		st.Pending += in.len()
	}
	return st
}

func (c *core) now() time.Duration {
	now := time.Since(c.start)
	if c.resolution > 0 {
		now -= now % c.resolution
	}
	return now
}

// in returns the instant that is delay from now. With a resolution it rounds delay up to a multiple of that.
func (c *core) in(delay time.Duration) time.Duration {
	if c.resolution > 0 && delay%c.resolution > 0 {
		delay = after(delay, c.resolution-delay%c.resolution)
	}
	return after(c.now(), delay)
}

// begin starts the worker, with the first timer.
func (c *core) begin() {
	c.launch.Do(func() {
		c.active.Add(workerUnit)
		c.started.Store(true)
		go c.work()
	})
}

// kick wakes the worker for an earlier deadline.
func (c *core) kick() {
	c.kicks.Add(1)
	c.wait.kick()
}

// admit counts one more pending timer, or refuses it. Without WithMaxPending it does nothing.
func (c *core) admit() error {
	if c.maxPending == 0 {
		return nil
	}
	return c.admitOne()
}

// admitOne does not count a timer that it refuses, not even for a moment: another might be refused meanwhile.
func (c *core) admitOne() error {
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

// begun notes that a task is about to run, and returns how late it is. A task that repeats stays pending.
func (c *core) begun(task taskRun) (late time.Duration) {
	c.active.Add(1)
	if !task.repeats() {
		c.release(1)
	}
	return c.looked - task.deadline()
}

// lateness adds up the lateness of the tasks of an inbox. The mutex of the inbox protects it.
type lateness struct{ sum, worst time.Duration }

func (l *lateness) add(late time.Duration) {
	l.sum = after(l.sum, late)
	l.worst = max(l.worst, late)
}

// Unfired is a task that Close took away before it began.
type Unfired struct {
	// Remaining is the time from the call of Close to its deadline: zero or negative if it was due.
	Remaining time.Duration
	// Func is the function that was given to AfterFunc or Every.
	Func func()
}

// Close ends the driver: it takes every task that has not begun, and returns each once, in the order of their deadlines. No
// task begins once they are taken. It waits until the running tasks and the worker have ended. A task or a handler
// calls CloseNow instead: Close would wait for it until ctx is done.
//
// If ctx is done before the running tasks are, Close returns ctx's error together with the unfired tasks. The running
// tasks go on, and nothing of the driver outlives them. If no task is running, the state of ctx does not matter. The
// driver holds no task and no scheduler from then on: timers are stale, and AfterFunc and Close return ErrClosed. The cost
// is O(n log n) for n unfired tasks.
func (d *Driver) Close(ctx context.Context) (unfired []Unfired, err error) {
	defer runtime.KeepAlive(d)
	unfired, idle, err := d.end()
	if err != nil || !d.started.Load() {
		return unfired, err
	}
	if idle {
		ctx = context.Background() // it takes no time
	}
	select {
	case <-d.done:
		return unfired, nil
	case <-ctx.Done():
		return unfired, ctx.Err()
	}
}

// CloseNow is Close without waiting: running tasks and the worker end by themselves. Tasks and handlers may call it.
func (d *Driver) CloseNow() (unfired []Unfired, err error) {
	unfired, _, err = d.end()
	runtime.KeepAlive(d)
	return unfired, err
}

// end closes the driver and ends the worker. idle means that no task was running.
func (c *core) end() (unfired []Unfired, idle bool, err error) {
	now := c.now()
	if c.closed.Swap(true) {
		return nil, false, ErrClosed
	}
	alive.Add(-1)
	unfired = c.takeAll(now)
	c.repeating.Clear()
	// From here on add refuses timers, so a worker that has not started never will.
	if !c.started.Load() {
		c.wait.close()
		return unfired, true, nil
	}
	idle = c.active.Load()%workerUnit == 0 // the worker alone, or none
	c.wait.kick()
	return unfired, idle, nil
}

// takeAll takes what is pending out of all inboxes.
func (c *core) takeAll(now time.Duration) (unfired []Unfired) {
	var repeating []Timer
	for _, in := range c.inboxes {
		unfired = slices.Grow(unfired, in.len())
		in.takeAll(func(t Timer, task taskRun) {
			if task.repeats() {
				repeating = append(repeating, t)
			} else {
				unfired = append(unfired, Unfired{task.deadline() - now, task.f})
			}
		})
	}
	of := c.repetitions()
	for _, t := range repeating {
		unfired = append(unfired, Unfired{of[t].next - now, of[t].f})
	}
	slices.SortStableFunc(unfired, func(a, b Unfired) int { return cmp.Compare(a.Remaining, b.Remaining) })
	return unfired
}
