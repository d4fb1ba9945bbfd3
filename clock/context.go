package clock

import (
	"context"
	"sync"
	"time"
)

// WithTimeout is in place of context.WithTimeout.
func (c *Clock) WithTimeout(parent context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return c.WithDeadline(parent, time.Now().Add(timeout))
}

// WithDeadline is in place of context.WithDeadline. When the parent ends, a goroutine passes its error and cause on. The
// context takes memory of the driver until it is cancelled or ends.
func (c *Clock) WithDeadline(parent context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if before, ok := parent.Deadline(); ok && before.Before(deadline) {
		return context.WithCancel(parent)
	}
	left := time.Until(deadline)
	if left <= 0 || parent.Err() != nil {
		return context.WithDeadline(parent, deadline) // ends at once, without a timer
	}
	e := &expiry{Context: parent, deadline: deadline, done: make(chan struct{})}
	leave := func() bool { return true } // the parent forgets it
	e.a.clock, e.a.do = c, func() { e.end(context.DeadlineExceeded, true); leave() }
	ctx, cancel := context.WithCancel(e)
	if parent.Done() != nil {
		leave = context.AfterFunc(parent, func() { e.end(parent.Err(), false); e.stop() })
	}
	e.a.mu.Lock()
	e.a.set(left)
	e.a.mu.Unlock()
	if e.Err() != nil { // the parent ended meanwhile
		e.stop()
	}
	return ctx, func() { cancel(); leave(); e.stop() }
}

// expiry is a context that ends with its parent or at its deadline. It stands between the parent
// and one context of the standard library, which has the program's children and remembers the cause.
type expiry struct {
	context.Context
	deadline time.Time
	done     chan struct{}
	a        alarm

	mu    sync.Mutex // protects what follows
	err   error
	late  bool   // it ended at its own deadline
	child func() // called at the end
}

// Deadline implements context.Context.
func (e *expiry) Deadline() (time.Time, bool) { return e.deadline, true }

// Done implements context.Context.
func (e *expiry) Done() <-chan struct{} { return e.done }

// Err implements context.Context.
func (e *expiry) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Value hides from context.Cause that the parent ended too, in the instant of the deadline.
func (e *expiry) Value(key any) any {
	e.mu.Lock()
	values := e.Context
	if e.late {
		values = context.WithoutCancel(values)
	}
	e.mu.Unlock()
	return values.Value(key)
}

// AfterFunc saves package context a goroutine that waits for Done.
func (e *expiry) AfterFunc(f func()) (stop func() bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.child = f
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		had := e.child != nil
		e.child = nil
		return had
	}
}

// stop takes the deadline back.
func (e *expiry) stop() {
	e.a.mu.Lock()
	defer e.a.mu.Unlock()
	e.a.clear()
}

// end ends the context, unless it has ended.
func (e *expiry) end(err error, late bool) {
	e.mu.Lock()
	if e.err != nil {
		e.mu.Unlock()
		return
	}
	e.err, e.late = err, late
	close(e.done)
	child := e.child
	e.child = nil
	e.mu.Unlock()
	if child != nil {
		child()
	}
}
