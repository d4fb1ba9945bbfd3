package driver

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Unfired is a task that Close took away before it began.
type Unfired struct {
	// Remaining is the time that was left until its deadline when Close was
	// called: zero or negative if it was due, or overdue, already.
	Remaining time.Duration
	// Func is the function that was given to AfterFunc.
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
	now := d.now()
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, ErrClosed
	}
	d.closed = true
	unfired = d.takeAll()
	idle := d.live.Load() == 1
	d.wait.kick()
	d.mu.Unlock()

	slices.SortStableFunc(unfired, func(a, b Unfired) int {
		return cmp.Compare(a.Remaining, b.Remaining)
	})
	for i := range unfired {
		unfired[i].Remaining -= now
	}
	return unfired, d.await(ctx, idle)
}

// takeAll returns all tasks, with their deadlines in place of what remains, and
// lets go of the table and the scheduler. The caller holds mu.
func (d *Driver) takeAll() []Unfired {
	all := make([]Unfired, 0, d.tasks.used)
	for r := range d.tasks.all() {
		all = append(all, Unfired{r.deadline, r.f})
	}
	d.tasks = table{}
	d.s, d.resetter, d.due = nil, nil, nil
	return all
}

// await waits for the tasks that are running, if any and unless called by one,
// and for the worker.
func (d *Driver) await(ctx context.Context, idle bool) error {
	if idle {
		<-d.done
		return nil
	}
	if insideTask() {
		return nil
	}
	select {
	case <-d.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
