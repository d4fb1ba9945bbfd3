package driver

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Repeating is a task that runs again and again. See Driver.Every and Driver.EveryAtFixedRate.
type Repeating struct {
	c      *core
	f      func()
	task   func() // run, made once: what the driver is given
	period time.Duration
	rate   bool

	stopped func() // called after Stop has ended it; may be nil

	mu     sync.Mutex // protects what follows
	timer  Timer      // of the next run, or of the one that is going on
	next   time.Duration
	ended  bool
	missed uint64
}

// Every runs f again and again: first once period has passed, and then each time once period has passed since the last
// run ended. So runs never overlap, and neither a long run nor a pause of the process makes runs pile up. A run that
// panics is reported, and the next one still comes. The errors are ErrPeriod and those of AfterFunc.
func (d *Driver) Every(period time.Duration, f func()) (*Repeating, error) {
	return d.repeat(period, f, false)
}

// EveryAtFixedRate runs f at every multiple of period from now on. Runs never overlap. The multiples that pass during a
// run, or while the process stands still, are left out and counted as missed; the next one is kept. So the rate holds
// in the long run if runs are shorter than the period, and no burst of runs catches up. The errors are those of Every.
func (d *Driver) EveryAtFixedRate(period time.Duration, f func()) (*Repeating, error) {
	return d.repeat(period, f, true)
}

func (c *core) repeat(period time.Duration, f func(), rate bool) (*Repeating, error) {
	if f == nil {
		return nil, ErrNilFunc
	}
	if period <= 0 {
		return nil, fmt.Errorf("%w: %v", ErrPeriod, period)
	}
	if err := c.admit(); err != nil {
		return nil, err
	}
	r := &Repeating{c: c, f: f, period: period, rate: rate}
	r.task = r.run
	c.repeating.Store(r, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next = c.in(period)
	if err := r.arm(); err != nil {
		return nil, err
	}
	return r, nil
}

// arm schedules the next run, or ends the repetition. The caller holds mu.
func (r *Repeating) arm() (err error) {
	if r.timer, err = r.c.intake.add(r.next, taskRun{r.task, ^int64(r.next)}); err != nil {
		r.end()
	}
	return err
}

// end releases a repetition that has no timer. The caller holds mu.
func (r *Repeating) end() {
	r.ended = true
	r.c.release(1)
	r.c.repeating.Delete(r)
}

// run runs f, unless the repetition was stopped since the driver began the task: it may have waited in a Pool's queue.
func (r *Repeating) run() {
	r.mu.Lock()
	ended := r.ended
	r.mu.Unlock()
	if ended {
		return
	}
	defer r.rearm()
	r.f()
}

func (r *Repeating) rearm() {
	if err := r.armNext(); err != nil && !errors.Is(err, ErrClosed) {
		r.c.log().Error("timer task does not repeat any more", "error", err)
	}
}

func (r *Repeating) armNext() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return nil
	}
	now := r.c.now()
	if !r.rate {
		r.next = after(now, r.period)
	} else {
		r.next = after(r.next, r.period)
		if late := now - r.next; late >= 0 {
			passed := late/r.period + 1
			r.missed += uint64(passed)
			r.next = after(r.next, passed*r.period)
		}
	}
	return r.arm()
}

// Stop ends the repetition and reports whether it did so. True means that no further run begins. Stop does not wait for
// a run that has begun: the function of that one may be called a moment later. False means that the repetition had ended
// already, by an earlier Stop or by Close.
func (r *Repeating) Stop() bool {
	if !r.stop() {
		return false
	}
	if r.stopped != nil {
		r.stopped()
	}
	return true
}

// stop is Stop without the call of stopped.
func (r *Repeating) stop() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	if r.timer.in.inbox.stop(r.timer.id) {
		r.ended = true
		r.c.repeating.Delete(r)
		return true
	}
	if r.c.closed.Load() { // Close has taken it, unless a run goes on
		return false
	}
	r.end()
	return true
}

// Missed returns how many runs at a fixed rate were left out so far.
func (r *Repeating) Missed() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.missed
}

// repetitions returns the Repeatings that have not ended, by the timer of the next run.
func (c *core) repetitions() map[Timer]*Repeating {
	of := map[Timer]*Repeating{}
	c.repeating.Range(func(key, _ any) bool {
		r := key.(*Repeating)
		r.mu.Lock()
		defer r.mu.Unlock()
		of[r.timer] = r
		return true
	})
	return of
}
