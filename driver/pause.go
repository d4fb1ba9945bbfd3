package driver

import "time"

// Pause tells of a time in which the worker slept on although something was
// due: the process was stopped, the machine suspended or overloaded, or a
// garbage collection took long. Whatever came due meanwhile has begun since,
// each task once, in the order of the scheduler.
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

// endPause reports the pause that the worker has caught up with, if any. The
// handler runs like a task, so that it may close the driver or panic.
func (c *core) endPause() {
	pause := c.pause
	c.pause = Pause{}
	if pause.Late > 0 {
		c.active.Add(1)
		c.runTask(func() { c.onPause(pause) })
	}
}
