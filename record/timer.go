package record

import (
	"time"

	"schedbench/driver"
	"schedbench/workload/trace"
)

// Timer is a driver.Timer that is recorded. Like that it is a small value, stale
// once its task has begun or been taken away, and harmless then.
type Timer struct {
	t      driver.Timer
	r      *Driver
	n      uint32 // its number in the trace
	absent bool   // it is not in the trace, because there was no room
}

// Stop is that of driver.Timer.
func (t Timer) Stop() bool {
	if t.r == nil {
		return false
	}
	at := t.r.now()
	if !t.t.Stop() {
		return false
	}
	t.r.ended(at, t.n, t.absent, trace.Cancel)
	return true
}

// Reset is that of driver.Timer.
func (t Timer) Reset(delay time.Duration) (Timer, bool, error) {
	if t.r == nil {
		return Timer{}, false, nil
	}
	moving := &t.r.page(t.n).moving[t.n&pageMask]
	moving.Lock()
	defer moving.Unlock()
	made, ok, err := t.t.Reset(delay)
	if !ok {
		return Timer{}, ok, err
	}
	t.t = made
	t.r.moved(t.n, t.absent, delay)
	return t, true, nil
}

// State is that of driver.Timer.
func (t Timer) State() driver.State { return t.t.State() }

// begin is what the driver runs: it notes that the timer fires, and runs the task.
func (r *Driver) begin(n uint32) {
	p, at := r.page(n), n&pageMask
	p.moving[at].Lock()
	f, absent := p.tasks[at].f, p.absent[at]
	p.tasks[at].f = nil
	p.moving[at].Unlock()
	r.ended(r.now(), n, absent, trace.Fire)
	f()
}

// made returns a number for a new timer, and notes that it is made.
func (r *Driver) made(at, delay time.Duration) (n uint32, p *notePage, absent bool) {
	l := r.log
	l.mu.Lock()
	n = l.notes.get(r)
	p = l.notes.page(n)
	absent = !l.made(at, delay, n)
	if absent || l.absent > 0 {
		l.mark(n, absent)
	}
	l.mu.Unlock()
	return n, p, absent
}

// moved notes another deadline.
func (r *Driver) moved(n uint32, absent bool, delay time.Duration) {
	at := r.now()
	l := r.log
	l.mu.Lock()
	if !absent && !l.put(at, delay, n, trace.Reset) {
		l.counts.Resets++
	}
	l.mu.Unlock()
}

// ended notes the end of a timer, whose number is free from then on.
func (r *Driver) ended(at time.Duration, n uint32, absent bool, kind trace.Kind) {
	l := r.log
	l.mu.Lock()
	if !absent {
		l.over(at, n, kind)
	}
	l.notes.free = append(l.notes.free, n)
	l.mu.Unlock()
}

// postponedWritten notes an end that there was no room for, and reports whether
// none is postponed any more.
func (r *Driver) postponedWritten(n uint32) bool {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.log.writePostponed(r.now(), n)
}
