package driver

import (
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
)

// manyDrivers is more drivers than a program has on purpose, as a rule: one
// serves any number of timers.
const manyDrivers = 64

// alive counts the drivers of the process that are not closed. It is the
// process that has too many, so it is the process that counts.
var (
	alive   atomic.Int64
	tooMany sync.Once
)

// watch returns the driver of a core and has the program told if it drops the
// driver without Close, or has very many of them.
func watch(c *core) *Driver {
	if n := alive.Add(1); n > manyDrivers {
		tooMany.Do(func() {
			c.log().Warn("more timer drivers are open than are likely to be meant; one serves any number of timers", "drivers", n)
		})
	}
	d := &Driver{c}
	runtime.AddCleanup(d, (*core).dropped, c)
	return d
}

// unwatch notes that a driver has been closed.
func unwatch() { alive.Add(-1) }

// dropped reports that nobody can close the driver any more. Its timers go on.
func (c *core) dropped() {
	if !c.closed.Load() {
		c.log().Warn("a timer driver was dropped without Close; its worker goes on")
	}
}

// log returns where the driver writes to.
func (c *core) log() *slog.Logger {
	if c.logger != nil {
		return c.logger
	}
	return slog.Default()
}
