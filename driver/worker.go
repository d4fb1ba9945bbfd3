package driver

import (
	"time"

	"schedbench/schedulers"
)

// work is the worker: it begins tasks and sleeps until Close. A task run
// inline may end the goroutine by runtime.Goexit; then another takes over.
func (c *core) work() {
	finished := false
	defer func() {
		if finished {
			c.wait.close()
			c.leave()
		} else {
			go c.work()
		}
	}()
	for !c.closed.Load() {
		if !c.runDue() {
			c.endPause()
			c.sleep()
		}
	}
	finished = true
}

// runDue runs what is due now, and reports whether anything was.
func (c *core) runDue() (ran bool) {
	instant := c.waking.instant(c.now())
	for _, in := range c.inboxes {
		for task, ok := in.next(instant); ok; task, ok = in.next(instant) {
			ran = true
			c.pause.Fired++
			c.run.run(task)
		}
	}
	return ran
}

// sleep waits until there is work. The kicks up to its beginning are void, since
// each inbox is asked after that what it has.
func (c *core) sleep() {
	c.wait.drain()
	now := c.now()
	until := forever
	for _, in := range c.inboxes {
		until = min(until, in.rest(now))
	}
	if c.closed.Load() {
		return
	}
	if until == forever {
		c.wait.wait(forever)
	} else {
		c.wait.wait(until - now)
		c.overslept(until)
	}
	c.wakeups.Add(1)
}

// sleepUntil returns the instant until which the worker may sleep for what s
// holds.
func (c *core) sleepUntil(s schedulers.Scheduler[Task], now time.Duration) time.Duration {
	return after(c.waking.until(s, now), c.slack)
}
