package driver

import (
	"time"

	"schedbench/schedulers"
)

// work begins tasks and sleeps until Close. If an inline task ends the goroutine by runtime.Goexit, another takes over.
func (c *core) work() {
	finished := false
	defer func() {
		if finished {
			c.wait.close()
			c.leaveAs(workerUnit)
		} else {
			go c.work()
		}
	}()
	for !c.closed.Load() {
		if !c.runDue() {
			c.sleep()
		}
	}
	finished = true
}

// tasksALook is how many tasks of an inbox run before the worker serves the others and reads the clock again: a task may
// start one that is due already.
const tasksALook = 256

// runDue runs tasks that are due now, and reports whether there were any.
func (c *core) runDue() (ran bool) {
	instant := c.look()
	for _, in := range c.inboxes {
		for range tasksALook {
			task, ok := in.next(instant)
			if !ok {
				break
			}
			ran = true
			c.run(task)
		}
	}
	return ran
}

// look reads the clock for the worker, and returns the time for Expire.
func (c *core) look() time.Duration {
	c.looked = c.now()
	return c.waking.instant(c.looked)
}

// sleep waits until there is work.
func (c *core) sleep() {
	c.wait.drain() // before each inbox is asked
	until := forever
	for _, in := range c.inboxes {
		until = min(until, in.rest(c.looked)) // a tick that has come since then ends the sleep at once
	}
	if c.closed.Load() {
		return
	}
	if until != forever {
		until -= c.now()
	}
	c.wait.wait(until)
	c.wakeups.Add(1)
}

// sleepUntil returns the instant until which the worker may sleep for s.
func (c *core) sleepUntil(s schedulers.Scheduler[Task], now time.Duration) time.Duration {
	return after(c.waking.until(s, now), c.slack)
}
