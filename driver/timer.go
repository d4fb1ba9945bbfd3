package driver

import "time"

// Timer names one task given to AfterFunc. It is a small value, to be copied
// freely; once its task has begun or been taken away it is stale for good, and
// harmless. The zero Timer is stale.
type Timer struct {
	d      *Driver
	handle uint64
}

// Stop takes the task back and reports whether it did so. True means that the
// task has not begun and never will. False means that it has begun, that it was
// stopped before, or that Close has taken it: nothing happens then. Stop does
// not wait for a task that is running. The cost is one Cancel of the scheduler;
// the worker is not woken.
func (t Timer) Stop() bool {
	if t.d == nil {
		return false
	}
	return t.d.stop(t.handle)
}

// Reset moves the deadline of the task to delay from now, as AfterFunc counts
// it, and reports whether it did so. True means that the task had not begun,
// and now begins after delay; the Timer stays the same. False without an error
// means that the Timer is stale, as with Stop: nothing happens then.
//
// An error means that the scheduler refuses the new deadline (for instance with
// schedulers.ErrBeyondHorizon). Reset reports false then and the task stays
// armed as it was. The cost is one Reset of the scheduler, or one Schedule and
// one Cancel if it has none.
func (t Timer) Reset(delay time.Duration) (bool, error) {
	if t.d == nil {
		return false, nil
	}
	return t.d.reset(t.handle, delay)
}

func (d *Driver) stop(h uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.tasks.at(h)
	if r == nil {
		return false
	}
	if r.state == pending {
		d.s.Cancel(r.id)
	}
	d.tasks.free(h, r)
	d.stats.Stopped++
	return true
}

func (d *Driver) reset(h uint64, delay time.Duration) (bool, error) {
	now := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.tasks.at(h)
	if r == nil {
		return false, nil
	}
	if err := d.arm(r, h, now, after(now, delay)); err != nil {
		return false, err
	}
	return true, nil
}
