package driver

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/schedulers"
)

// The errors of this package. They may come wrapped: test with errors.Is.
var (
	// ErrClosed means that the driver has been closed.
	ErrClosed = errors.New("driver is closed")
	// ErrNilFunc means that AfterFunc was given no function to run.
	ErrNilFunc = errors.New("nil task function")
	// ErrScheduler means that Start was given a nil scheduler, or one that
	// holds values already.
	ErrScheduler = errors.New("unusable scheduler")
	// ErrOption means that an option of Start was given a nil value.
	ErrOption = errors.New("bad driver option")
)

const (
	forever = time.Duration(math.MaxInt64) // an instant that never comes
	awake   = time.Duration(math.MinInt64) // sleeping until then: not asleep
)

// Driver runs the tasks of one scheduler on time. Its methods may be called
// from any goroutine, tasks included. Make one with Start; end it with Close.
type Driver struct {
	config
	start time.Time
	wait  waiter

	// live counts the worker and the tasks that have begun and not ended. The
	// one that brings it to zero, after Close, closes done.
	live atomic.Int64
	done chan struct{}

	mu       sync.Mutex // protects what follows
	s        schedulers.Scheduler[uint64]
	resetter schedulers.Resetter // s, if it can reset; else nil
	tasks    table
	until    time.Duration // the instant the worker sleeps until, or awake
	clock    time.Duration // the last instant that Expire was given
	due      []uint64      // handles found due; those from head on have not begun
	head     int
	asleep   bool
	closed   bool
	stats    Stats
}

// Stats are counts since the start of a driver. A task that has begun counts
// as fired, whether it has ended or not.
type Stats struct {
	// Wakeups counts the sleeps of the worker that ended, for any reason. At
	// rest it is what an idle driver costs.
	Wakeups uint64
	// Kicks counts the sleeps that were cut short for an earlier deadline.
	Kicks uint64
	// Scheduled counts the timers that AfterFunc made.
	Scheduled uint64
	// Fired counts the tasks that began.
	Fired uint64
	// Stopped counts the calls of Stop that returned true.
	Stopped uint64
	// Panics counts the tasks that panicked.
	Panics uint64
	// Exits counts the tasks that ended their goroutine by runtime.Goexit.
	Exits uint64
}

// Start makes a driver of s and starts its worker. The driver owns s from then
// on: nobody else may call it. s must be new; a nil scheduler or one that holds
// values is refused with ErrScheduler. The errors of options are ErrOption,
// and schedulers.ErrTick for a fixed tick that is not positive.
func Start(s schedulers.Scheduler[uint64], opts ...Option) (*Driver, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: nil", ErrScheduler)
	}
	if n := s.Len(); n != 0 {
		return nil, fmt.Errorf("%w: holds %d values", ErrScheduler, n)
	}
	c, err := configure(opts)
	if err != nil {
		return nil, err
	}
	d := &Driver{
		config: c,
		start:  time.Now(),
		wait:   newTimerWaiter(),
		done:   make(chan struct{}),
		s:      s,
		until:  awake,
	}
	d.resetter, _ = s.(schedulers.Resetter)
	d.live.Store(1)
	go d.work()
	return d, nil
}

// AfterFunc arranges for f to run once delay has passed, and returns the timer
// that can take it back. A delay of zero or less is due at once; one that
// reaches beyond the maximum duration, counted from the start of the driver, is
// shortened to it. The cost is one insertion into the scheduler.
//
// The errors are ErrClosed, ErrNilFunc, and those of the scheduler, such as
// schedulers.ErrBeyondHorizon; nothing is kept then.
func (d *Driver) AfterFunc(delay time.Duration, f func()) (Timer, error) {
	if f == nil {
		return Timer{}, ErrNilFunc
	}
	now := d.now()
	d.mu.Lock()
	h, err := d.add(now, after(now, delay), f)
	d.mu.Unlock()
	if err != nil {
		return Timer{}, err
	}
	return Timer{d, h}, nil
}

// Len returns the number of timers whose tasks are still to begin, those that
// the worker has found due included. The cost is constant.
func (d *Driver) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tasks.used
}

// Stats returns the counts so far. It may be called after Close.
func (d *Driver) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}

// now returns the time since the start of the driver.
func (d *Driver) now() time.Duration { return time.Since(d.start) }

// after returns the instant delay after now, at most the maximum duration.
func after(now, delay time.Duration) time.Duration {
	if delay <= 0 {
		return now
	}
	if delay > forever-now {
		return forever
	}
	return now + delay
}

// add puts a new task into the table and the scheduler. The caller holds mu.
func (d *Driver) add(now, deadline time.Duration, f func()) (uint64, error) {
	if d.closed {
		return 0, ErrClosed
	}
	h, r, err := d.tasks.take()
	if err != nil {
		return 0, err
	}
	if err := d.arm(r, h, now, deadline); err != nil {
		d.tasks.free(h, r)
		return 0, err
	}
	r.f = f
	d.stats.Scheduled++
	return h, nil
}

// arm schedules the task r of handle h, or moves it if it is pending. An error
// means that the task is as it was. The caller holds mu.
func (d *Driver) arm(r *record, h uint64, now, deadline time.Duration) error {
	id, err := d.place(r, h, deadline)
	if err != nil && d.catchUp(now, err) {
		id, err = d.place(r, h, deadline)
	}
	if err != nil {
		return err
	}
	r.id, r.deadline, r.state = id, deadline, pending
	if deadline < d.until && d.waking.interrupted(d.s, d.until) {
		d.until = awake
		d.stats.Kicks++
		d.wait.kick()
	}
	return nil
}

// place gives the task r of handle h its deadline in the scheduler, and returns
// its ID there. The new place is taken before the old one is given up, since
// the scheduler may refuse.
func (d *Driver) place(r *record, h uint64, deadline time.Duration) (schedulers.ID, error) {
	if r.state != pending {
		return d.s.Schedule(deadline, h)
	}
	if d.resetter != nil {
		_, err := d.resetter.Reset(r.id, deadline)
		return r.id, err
	}
	id, err := d.s.Schedule(deadline, h)
	if err == nil {
		d.s.Cancel(r.id)
	}
	return id, err
}

// catchUp reports whether a scheduler that refused a deadline with err may take
// it now. A horizon is counted from the scheduler's clock, which stands still
// while the worker sleeps, so catchUp moves that clock to now. What is due is
// left to the worker, which is about to wake for it anyway.
func (d *Driver) catchUp(now time.Duration, err error) bool {
	now = d.waking.instant(now)
	if now <= d.clock || !errors.Is(err, schedulers.ErrBeyondHorizon) {
		return false
	}
	for d.collect(now) == batch {
	}
	return true
}
