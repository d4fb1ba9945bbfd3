package record

import (
	"errors"
	"sync"
	"time"

	"schedbench/workload/trace"
)

// Runtime is for programs that have no driver: its AfterFunc is time.AfterFunc, and is
// recorded. It may be called from any goroutine.
type Runtime struct {
	began   time.Time
	log     *log
	written chan error
	over    sync.Once
	err     error
}

// OfRuntime returns a Runtime that has sink told of its timers. The error is of an option.
//
// A goroutine writes the events out; it ends with Close.
func OfRuntime(sink Sink, opts ...Option) (*Runtime, error) {
	if sink == nil {
		return nil, errors.New("record: no sink, want one")
	}
	r := &Runtime{began: time.Now(), written: make(chan error, 1)}
	var err error
	if r.log, err = newLog(configure(opts).room, nil); err != nil {
		return nil, err
	}
	go func() { r.written <- r.log.writeTo(sink) }()
	return r, nil
}

// AfterFunc is time.AfterFunc: it runs f in a goroutine of its own once delay has passed.
func (r *Runtime) AfterFunc(delay time.Duration, f func()) *Timer {
	t := &Timer{r: r, f: f}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.note(func(l *log, at time.Duration) { t.arm(l, at, delay) })
	t.t = time.AfterFunc(delay, t.fire)
	return t
}

// Counts returns the counts so far. It may be called after Close.
func (r *Runtime) Counts() Counts { return r.log.countsSoFar() }

// Close ends the recording, and returns when all events are written, with the first error of
// the sink, which is flushed and not closed. The timers go on: those that have not fired are
// pending at the end of the trace, and what they do then is not recorded.
func (r *Runtime) Close() error {
	r.over.Do(func() {
		for !r.log.allWritten(r.now()) {
			time.Sleep(time.Millisecond) // there was no room
		}
		r.log.handOver(true)
		r.err = <-r.written
	})
	return r.err
}

// now returns the time since the recording began.
func (r *Runtime) now() time.Duration { return time.Since(r.began) }

// Timer is a *time.Timer of time.AfterFunc that is recorded.
type Timer struct {
	r *Runtime
	f func()

	mu     sync.Mutex // protects what follows
	t      *time.Timer
	n      uint32
	armed  bool // it has a number, and its firing has not been noted
	absent bool // it is not in the trace, because there was no room
	noted  int  // firings under way that have been noted already
}

// Stop is that of time.Timer: it reports whether it has stopped the timer.
func (t *Timer) Stop() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.r.now()
	if !t.t.Stop() {
		return false
	}
	t.note(func(l *log, _ time.Duration) { t.end(l, at, trace.Cancel) })
	return true
}

// Reset is that of time.Timer: it makes the timer fire after another delay, also if it has
// fired or was stopped, and reports whether it was pending.
func (t *Timer) Reset(delay time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.t.Reset(delay)
	t.note(func(l *log, at time.Duration) {
		switch {
		case was && t.armed:
			if !t.absent && !l.put(at, delay, t.n, trace.Reset) {
				l.counts.Resets++
			}
			return
		case t.armed: // it has fired, and waits for mu
			t.noted++
			t.end(l, at, trace.Fire)
		}
		t.arm(l, at, delay)
	})
	return was
}

// fire is what the timer runs.
func (t *Timer) fire() {
	t.mu.Lock()
	if t.noted > 0 {
		t.noted--
	} else {
		t.note(func(l *log, at time.Duration) { t.end(l, at, trace.Fire) })
	}
	t.mu.Unlock()
	t.f()
}

// note notes something now, unless the recording has ended. The caller holds mu.
func (t *Timer) note(what func(l *log, at time.Duration)) {
	at, l := t.r.now(), t.r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		what(l, at)
	}
}

// arm notes that the timer is armed. The caller holds mu and that of the log.
func (t *Timer) arm(l *log, at, delay time.Duration) {
	t.n, t.absent = l.arm(at, delay)
	t.armed = true
}

// end notes how it ended, if it was armed. The caller holds mu and that of the log.
func (t *Timer) end(l *log, at time.Duration, kind trace.Kind) {
	if t.armed {
		t.armed = false
		l.release(at, t.n, t.absent, kind)
	}
}
