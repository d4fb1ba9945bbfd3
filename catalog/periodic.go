package catalog

import (
	"fmt"
	"sync"
	"time"

	"schedbench/driver"
)

// Periodic is a task that runs again and again in the way of the JDK, which
// differs from that of driver.Repeating: a run that panics is the last, and at a
// fixed rate the runs that were missed are made up for, one after the other.
// Runs never overlap.
type Periodic struct {
	d    *driver.Driver
	f    func()
	next again

	mu      sync.Mutex // protects what follows
	planned time.Time  // of the next run, or of the one that goes on
	timer   driver.Timer
	ended   bool
}

// again returns when to run next, after a run that was planned for one instant,
// began at another and has just ended.
type again func(planned, began time.Time) time.Time

// fromPlanned keeps the rate: the next run is planned a period after the last.
func fromPlanned(period time.Duration) again {
	return func(planned, _ time.Time) time.Time { return planned.Add(period) }
}

// fromBegin has runs begin at least a period apart.
func fromBegin(period time.Duration) again {
	return func(_, began time.Time) time.Time { return began.Add(period) }
}

// fromEnd has a period pass between runs.
func fromEnd(period time.Duration) again {
	return func(_, _ time.Time) time.Time { return time.Now().Add(period) }
}

// repeat runs f on d, for the first time after initial, and then whenever next
// says.
func repeat(d *driver.Driver, initial, period time.Duration, f func(), next func(time.Duration) again) (*Periodic, error) {
	if f == nil {
		return nil, driver.ErrNilFunc
	}
	if period <= 0 {
		return nil, fmt.Errorf("%w: %v", driver.ErrPeriod, period)
	}
	p := &Periodic{d: d, f: f, next: next(period)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.arm(time.Now().Add(max(initial, 0))); err != nil {
		return nil, err
	}
	return p, nil
}

// arm plans the next run. The caller holds mu.
func (p *Periodic) arm(planned time.Time) (err error) {
	p.planned = planned
	p.timer, err = p.d.AfterFunc(time.Until(planned), p.run)
	return err
}

// run runs f, unless the task was stopped when it stood in the queue of a pool,
// and plans the next run, unless f panicked.
func (p *Periodic) run() {
	p.mu.Lock()
	planned, ended := p.planned, p.ended
	p.mu.Unlock()
	if ended {
		return
	}
	began, returned := time.Now(), false
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.ended = p.ended || !returned; !p.ended {
			p.ended = p.arm(p.next(planned, began)) != nil
		}
	}()
	p.f()
	returned = true
}

// Stop ends the repetition and reports whether it did so. True means that no
// further run begins; one that goes on is not waited for. False means that the
// repetition had ended already: by an earlier Stop, a run that panicked, or the
// end of the driver during a run.
func (p *Periodic) Stop() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.ended = true
	p.timer.Stop()
	return true
}
