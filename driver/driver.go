package driver

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"schedbench/schedulers"
)

// The errors of this package. They may come wrapped: test with errors.Is.
var (
	// ErrClosed means that the driver has been closed.
	ErrClosed = errors.New("driver is closed")
	// ErrNilFunc means that AfterFunc or Every was given no function to run.
	ErrNilFunc = errors.New("nil task function")
	// ErrPeriod means that Every was given a period that is not positive.
	ErrPeriod = errors.New("period is not positive")
	// ErrMaxPending means that as many timers are pending as WithMaxPending allows.
	ErrMaxPending = errors.New("too many timers pending")
	// ErrScheduler means that Start was given a scheduler that is nil, holds values, or was given to Start before.
	ErrScheduler = errors.New("unusable scheduler")
	// ErrOption means that an option of Start was given an unusable value.
	ErrOption = errors.New("bad driver option")
)

const (
	forever = time.Duration(math.MaxInt64) // an instant that never comes
	awake   = time.Duration(math.MinInt64) // stands for the end of a sleep while the worker is awake
)

// Task is the number of a record, without pointers. A driver keeps one in its scheduler for each timer.
type Task struct{ n int64 }

// taskRun is a task that is to begin.
type taskRun struct {
	f func()
	n int64 // the deadline, or its complement if the task repeats
}

func (t taskRun) repeats() bool { return t.n < 0 }

func (t taskRun) deadline() time.Duration {
	if t.n < 0 {
		return time.Duration(^t.n)
	}
	return time.Duration(t.n)
}

// Driver runs the tasks of one scheduler on time. Any goroutine may call its methods, and so may tasks. Make one with
// Start; end it with Close.
type Driver struct {
	// The worker and the timers refer to the core alone, so a Driver that was dropped without Close can be noticed.
	*core
}

// Start makes a driver of s, which must be new. The driver owns s from then on, after Close too: no other code may call s
// or start a second driver of it. Start notices a second driver if s is a schedulers.Claimer, as all schedulers of this
// module are. The errors are ErrScheduler, ErrOption, schedulers.ErrTick for a fixed tick that is not positive, those of
// Sharded's constructor, and those of the system for precise waiting.
func Start(s schedulers.Scheduler[Task], opts ...Option) (*Driver, error) {
	cfg, err := configure(opts)
	if err != nil {
		return nil, err
	}
	c := &core{config: cfg, start: time.Now(), done: make(chan struct{})}
	if err := cfg.inbox.open(c, s); err != nil {
		return nil, err
	}
	if c.wait, err = cfg.waiting.newWaiter(); err != nil {
		return nil, fmt.Errorf("driver: %w", err)
	}
	c.run = cfg.running.start(c)
	return watch(c), nil
}

// AfterFunc arranges for f to run once delay has passed, and returns the timer that can take it back. A delay of zero
// or less is due at once. A delay that reaches beyond the maximum duration, counted from the start of the driver, is
// shortened to it. The cost is one insertion into the scheduler, or into the queue of a Queued driver.
// It is four atomic operations if a stopped timer has left a place in time: see Places in the package comment.
//
// The errors are ErrClosed, ErrNilFunc, ErrMaxPending, and those of the scheduler, such as
// schedulers.ErrBeyondHorizon. After an error the driver keeps nothing.
//
// A Queued driver asks its scheduler later, when the worker moves the timer: see Queued.
func (d *Driver) AfterFunc(delay time.Duration, f func()) (Timer, error) {
	return d.AtFunc(d.in(delay), f)
}

// AtFunc is AfterFunc for a deadline on the driver's own clock, which Now returns. A program that knows the instant
// saves a reading of the clock, and does not drift. An instant that has passed is due at once.
func (d *Driver) AtFunc(at time.Duration, f func()) (Timer, error) {
	if f == nil {
		return Timer{}, ErrNilFunc
	}
	if err := d.admit(); err != nil {
		return Timer{}, err
	}
	at = max(at, 0)
	t, err := d.intake.add(at, taskRun{f, int64(at)})
	if err != nil {
		d.release(1)
	}
	runtime.KeepAlive(d)
	return t, err
}

// Now returns the time since the driver was started.
func (d *Driver) Now() time.Duration { return d.now() }

// Len returns the number of timers whose tasks have not begun. The cost is constant.
func (d *Driver) Len() (n int) {
	for _, in := range d.inboxes {
		n += in.len()
	}
	return n
}

// Pending is a timer that was pending when All looked at it.
type Pending struct {
	// Timer stops it or moves its deadline. For a task that repeats it is the zero Timer.
	Timer Timer
	// Repeating stops the task if it repeats, and is nil if not.
	Repeating *Repeating
	// Remaining is the time that was left until its deadline: zero or negative if it was due.
	Remaining time.Duration
	// Func is the function that was given to AfterFunc or Every.
	Func func()
}

// All returns the pending timers, in no particular order. It returns each timer that is pending all the while, and none
// twice. The error is ErrClosed, also if the driver is closed meanwhile. The cost is O(n), with the scheduler locked.
func (d *Driver) All() ([]Pending, error) {
	if d.closed.Load() {
		return nil, ErrClosed
	}
	now := d.now()
	var all, repeating []Pending
	for _, in := range d.inboxes {
		err := in.list(func(t Timer, task taskRun) {
			to := &all
			if task.repeats() {
				to = &repeating
			}
			*to = append(*to, Pending{Timer: t, Remaining: task.deadline() - now, Func: task.f})
		})
		if err != nil {
			return nil, err
		}
	}
	if d.closed.Load() { // the list may lack timers that Close has taken
		return nil, ErrClosed
	}
	of := d.repetitions()
	for _, p := range repeating {
		if r := of[p.Timer]; r != nil { // else it has begun or was stopped since
			all = append(all, Pending{Repeating: r, Remaining: p.Remaining, Func: r.f})
		}
	}
	return all, nil
}

// after returns the instant delay after now, at most the maximum duration.
func after(now, delay time.Duration) time.Duration {
	if delay <= 0 {
		return now
	}
	return now + min(delay, forever-now)
}

// manyDrivers is more drivers than a program has on purpose: one serves any number of timers.
const manyDrivers = 64

// alive counts the drivers of the process that are not closed. The limit is one for the process, and so is the warning.
var (
	alive  atomic.Int64
	warned atomic.Bool
)

// watch returns the driver of a core. It reports a driver that is dropped without Close, and very many drivers.
func watch(c *core) *Driver {
	if n := alive.Add(1); n > manyDrivers && !warned.Swap(true) {
		c.log().Warn("more timer drivers are open than are likely to be meant; one serves any number of timers", "drivers", n)
	}
	d := &Driver{c}
	runtime.AddCleanup(d, (*core).dropped, c)
	return d
}

// dropped reports that the program can no longer close the driver. Its timers go on.
func (c *core) dropped() {
	if !c.closed.Load() {
		c.log().Warn("a timer driver was dropped without Close; its worker goes on")
	}
}

// log returns where the driver writes to.
func (c *core) log() *slog.Logger { return cmp.Or(c.logger, slog.Default()) }
