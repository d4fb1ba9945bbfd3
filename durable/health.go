package durable

import (
	"expvar"
	"sync/atomic"
	"time"
)

// Health is what this process does, since Open.
type Health struct {
	// Near is how many timers are leased, Due how many of them wait to begin, Running how many have begun.
	Near, Due, Running int
	// Begun, Completed, Retried and Dead count tasks.
	Begun, Completed, Retried, Dead uint64
	// Late is how late the last task began, Latest the latest.
	Late, Latest time.Duration
	// Trouble is the last error of the database, nil once it answers a worker again.
	Trouble error
}

type figures struct {
	begun, completed, retried, dead atomic.Uint64
	late, latest                    atomic.Int64
	last                            atomic.Pointer[error]
}

// began counts a task. It is called by one goroutine.
func (f *figures) began(late time.Duration) {
	f.begun.Add(1)
	f.late.Store(int64(late))
	f.latest.Store(max(f.latest.Load(), int64(late)))
	f.last.Store(nil)
}

// trouble notes an error of the database, and reports whether it is a new one.
func (f *figures) trouble(err error) bool {
	old := f.last.Swap(&err)
	return old == nil || (*old).Error() != err.Error()
}

// Health returns the figures of now.
func (t *Timers) Health() Health {
	f := &t.figures
	h := Health{
		Begun: f.begun.Load(), Completed: f.completed.Load(), Retried: f.retried.Load(), Dead: f.dead.Load(),
		Late: time.Duration(f.late.Load()), Latest: time.Duration(f.latest.Load()),
	}
	if p := f.last.Load(); p != nil {
		h.Trouble = *p
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	h.Near, h.Running = len(t.held), t.running
	for _, k := range t.kinds {
		h.Due += len(k.due)
	}
	return h
}

// Var returns Health as a variable to be published: expvar.Publish("timers", timers.Var()).
func (t *Timers) Var() expvar.Var { return expvar.Func(func() any { return t.Health() }) }
