package durable

import (
	"expvar"
	"time"
)

// Health is what this process does, since Open.
type Health struct {
	Near, Due, Running              int           // timers that are leased, those of them that wait to begin, and that have begun
	Begun, Completed, Retried, Dead uint64        // tasks
	Late, Latest                    time.Duration // how late the last task began, and the latest
	Trouble                         error         // the last one of the database, nil once it answers a worker again
}

// Health returns the figures of now.
func (t *Timers) Health() Health {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.health
	h.Near, h.Running = len(t.held), t.running
	for _, k := range t.kinds {
		h.Due += len(k.due)
	}
	return h
}

// troubled notes an error of the database, or that there is none, logs one that is new, and returns how long to wait after so many.
func (t *Timers) troubled(what string, count *int, err error) (wait time.Duration) {
	t.mu.Lock()
	old := t.health.Trouble
	t.health.Trouble = err
	t.mu.Unlock()
	if *count++; err == nil || t.work.Err() != nil {
		*count = 0
	} else if old == nil || old.Error() != err.Error() {
		t.opts.Logger.Error(what, "err", err)
	}
	return min(50*time.Millisecond<<min(*count, 10), 5*time.Second)
}

// Var returns Health as a variable to be published: expvar.Publish("timers", timers.Var()).
func (t *Timers) Var() expvar.Var { return expvar.Func(func() any { return t.Health() }) }
