package durable

import (
	"context"
	"fmt"
	"sync"
)

// store is a database. Its methods may be called from any goroutine.
type store interface {
	// run runs all steps in one transaction, or none.
	run(ops []*op) error
	// watch calls wake with the wake of timers that others have scheduled, until ctx ends.
	watch(ctx context.Context, wake func(at int64))
	// undone reports whether an error of run says that no step was run. A connection that was lost leaves that open.
	undone(err error) bool
	// shared reports whether other processes may hold leases. Then run waits for a network, and callers do not run it themselves.
	shared() bool
	close()
}

// group gathers the requests of many callers: those that come while a transaction runs share the next one.
type group struct {
	store
	mu           sync.Mutex // protects what follows
	waiting      []*request
	busy, closed bool
}

type request struct {
	ops  []*op
	err  error
	done chan struct{}
}

// do runs steps in one transaction. When ctx ends before the database answers it is not known whether they were run.
func (g *group) do(ctx context.Context, ops ...*op) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{ops: ops, done: make(chan struct{})}
	g.mu.Lock()
	leads, closed := !g.busy, g.closed
	if !closed {
		g.waiting, g.busy = append(g.waiting, r), true
	}
	g.mu.Unlock()
	switch {
	case closed:
		return ErrClosed
	case leads && g.shared():
		go g.lead()
	case leads:
		g.lead()
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return fmt.Errorf("%w: no answer: %w", ErrStore, context.Cause(ctx))
	}
}

// lead runs the requests that wait, and has another goroutine run those that came meanwhile.
func (g *group) lead() {
	g.mu.Lock()
	n := min(len(g.waiting), 128) // requests share a transaction
	batch := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	g.mu.Unlock()
	var ops []*op
	for _, r := range batch {
		ops = append(ops, r.ops...)
	}
	err := g.run(ops)
	for _, r := range batch {
		// The fault may be of one. Steps that may have been run are not run again: meanwhile another process may have begun the timer
		// that they make, and its attempts would be counted from nought.
		if r.err = err; err != nil && len(batch) > 1 && g.undone(err) {
			r.err = g.run(r.ops)
		}
		close(r.done)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy = len(g.waiting) > 0; g.busy {
		go g.lead()
	}
}

// end waits for the requests that are there, until ctx ends, refuses further ones, and closes the store.
func (g *group) end(ctx context.Context) {
	_ = g.do(ctx)
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.close()
}
