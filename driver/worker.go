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

// runDue runs the tasks that are due now, and reports whether there were any.
func (c *core) runDue() (ran bool) {
	c.looked = c.now()
	instant := c.waking.instant(c.looked)
	for _, in := range c.inboxes {
		for task, ok := in.next(instant); ok; task, ok = in.next(instant) {
			ran = true
			c.pause.Fired++
			c.run(task)
		}
	}
	return ran
}

// sleep waits until there is work.
func (c *core) sleep() {
	c.wait.drain() // before each inbox is asked
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

// sleepUntil returns the instant until which the worker may sleep for s.
func (c *core) sleepUntil(s schedulers.Scheduler[Task], now time.Duration) time.Duration {
	return after(c.waking.until(s, now), c.slack)
}

// Pause is a time in which the worker slept on although something was due: the process was stopped, the machine
// overloaded, or a garbage collection took long. (While a machine is suspended Go's clock stands still, and nothing
// comes due.) Everything that came due meanwhile has begun since, each task once, in the order of the scheduler.
type Pause struct {
	// Late is how long after the instant asked for the worker woke.
	Late time.Duration
	// Fired counts the tasks that began from then on until nothing more was due.
	Fired int
}

// overslept notes a pause if the worker woke long after until.
func (c *core) overslept(until time.Duration) {
	c.pause = Pause{}
	if c.onPause == nil {
		return
	}
	if late := c.now() - until; late >= c.pauseMin {
		c.pause.Late = late
	}
}

// endPause reports the pause that the worker has caught up with, if any. The handler may close the driver or panic.
func (c *core) endPause() {
	pause := c.pause
	c.pause = Pause{}
	if pause.Late > 0 {
		c.active.Add(1)
		c.runTask(func() { c.onPause(pause) })
	}
}
