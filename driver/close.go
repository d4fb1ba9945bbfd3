package driver

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"
)

// Unfired is a task that Close took away before it began.
type Unfired struct {
	// Remaining is the time that was left until its deadline when Close was
	// called: zero or negative if it was due, or overdue, already.
	Remaining time.Duration
	// Func is the function that was given to AfterFunc or Every.
	Func func()
}

// Close ends the driver. Once it has been called no further task begins: it
// returns every task that has not begun, each once, in the order of their
// deadlines, and waits until the running tasks and the worker have ended.
//
// If ctx is done before the running tasks are, Close returns ctx's error,
// together with the unfired tasks; the running ones go on and nothing of the
// driver outlives them. If no task is running the state of ctx does not matter.
// The driver holds no task and no scheduler from then on: timers are stale,
// AfterFunc returns ErrClosed. A second Close returns ErrClosed, at once.
//
// A task may call Close, and then Close does not wait for running tasks, since
// it would wait for itself. It recognises a task by the stack it is called on.
// That has two limits: a task that has another goroutine call Close and waits
// for it waits until ctx is done; and a task of one driver that closes another
// does not wait for that other driver's running tasks.
//
// The cost is O(n log n) for n unfired tasks.
func (d *Driver) Close(ctx context.Context) (unfired []Unfired, err error) {
	unfired, err = d.core.close(ctx)
	runtime.KeepAlive(d)
	return unfired, err
}

func (c *core) close(ctx context.Context) ([]Unfired, error) {
	now := c.now()
	if c.closed.Swap(true) {
		return nil, ErrClosed
	}
	unwatch()
	var unfired []Unfired
	for _, in := range c.inboxes {
		unfired = append(unfired, in.takeAll(now)...)
	}
	slices.SortStableFunc(unfired, func(a, b Unfired) int { return cmp.Compare(a.Remaining, b.Remaining) })
	for i, u := range unfired {
		if r := c.repetition(u.Func); r != nil {
			unfired[i].Func = r.f
		}
	}
	c.repeating.Clear()
	// No timer is taken from here on, so a worker that has not started never will.
	if !c.started.Load() {
		c.wait.close()
		return unfired, nil
	}
	idle := c.active.Load() <= 1 // the worker, if it has not ended already
	c.wait.kick()
	return unfired, c.await(ctx, idle)
}

// await waits for the tasks that are running, if any and unless called by one,
// and for the worker.
func (c *core) await(ctx context.Context, idle bool) error {
	if idle {
		<-c.done
		return nil
	}
	if insideTask() {
		return nil
	}
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
