package driver

import (
	"slices"
	"time"
)

const (
	batch  = 256        // handles asked of the scheduler at a time
	maxDue = 16 * batch // room for found handles that is kept when they are gone
)

// work is the worker: it begins tasks and sleeps until Close. A task run
// inline may end the goroutine by runtime.Goexit; then another takes over.
func (d *Driver) work() {
	finished := false
	defer func() {
		if finished {
			d.leave()
		} else {
			go d.work()
		}
	}()
	for {
		f, sleep, open := d.step()
		if !open {
			break
		}
		if f != nil {
			d.running.run(d, f)
		} else {
			d.wait.wait(sleep)
		}
	}
	finished = true
}

// step finds what the worker does next: run f, or sleep if f is nil. open is
// false once the driver is closed. A task that step returns counts as begun.
func (d *Driver) step() (f func(), sleep time.Duration, open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asleep {
		d.asleep, d.until = false, awake
		d.stats.Wakeups++
	}
	for !d.closed {
		if f := d.begin(); f != nil {
			return f, 0, true
		}
		now := d.now()
		if d.collect(d.waking.instant(now)) == 0 {
			return nil, d.fallAsleep(now), true
		}
	}
	return nil, 0, false
}

// begin takes the next task found due out of the table, or returns nil if none
// is left. It skips those that were stopped or reset since they were found.
func (d *Driver) begin() func() {
	for d.head < len(d.due) {
		h := d.due[d.head]
		d.head++
		r := d.tasks.at(h)
		if r == nil || r.state != found {
			continue
		}
		f := r.f
		d.tasks.free(h, r)
		d.stats.Fired++
		d.live.Add(1)
		return f
	}
	d.due, d.head = d.due[:0], 0
	if cap(d.due) > maxDue {
		d.due = nil
	}
	return nil
}

// collect moves the scheduler's clock to now, adds at most one batch of what is
// due to d.due, and returns how many it added. A full batch means that more may
// be due.
func (d *Driver) collect(now time.Duration) int {
	d.clock = max(d.clock, now)
	d.due = slices.Grow(d.due, batch)
	old := len(d.due)
	n := d.s.Expire(now, d.due[old:old+batch])
	d.due = d.due[:old+n]
	for _, h := range d.due[old:] {
		if r := d.tasks.at(h); r != nil {
			r.state = found
		}
	}
	return n
}

// fallAsleep settles until when the worker sleeps and returns for how long. The
// kicks up to here are void, since what they stood for has been seen.
func (d *Driver) fallAsleep(now time.Duration) time.Duration {
	d.wait.drain()
	d.asleep = true
	d.until = d.waking.until(d.s, now)
	if d.until == forever {
		return forever
	}
	return d.until - now
}
