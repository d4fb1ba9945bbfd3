package tune

import (
	"fmt"
	"strings"
	"time"

	"schedbench/catalog"
)

// snippet is a Go file: with imports, what makes a scheduler, and the driver's options.
const snippet = `package timers

import (
%s	"schedbench/driver"
	"schedbench/%s"
)

// New starts a driver: %v.
func New() (*driver.Driver, error) {
%s
	return driver.Start(s%s)
}
`

// noDriver is a Go file for a program that needs no driver.
const noDriver = `package timers

import "time"

// New arms a timer: there is nothing to start. Its Stop cancels it, its Reset gives it another delay.
func New(delay time.Duration, expired func()) *time.Timer {
	return time.AfterFunc(delay, expired)
}
`

// Snippet returns the source of a Go file that starts a driver of a configuration, or arms a time.AfterFunc. It compiles
// inside this module.
func Snippet(c catalog.Config) string {
	if c.Scheduler == catalog.RuntimeTimer {
		return noDriver
	}
	imports, made := "", fmt.Sprintf("\ts := %s.New[driver.Task]()", c.Scheduler)
	if c.Wheel() {
		made = fmt.Sprintf("\ts, err := %s.New[driver.Task](%s, %d)\n\tif err != nil {\n\t\treturn nil, err\n\t}",
			c.Scheduler, durationSource(c.Tick), c.Slots)
	}
	if c.Wheel() || c.Waking == catalog.Ticking {
		imports = "\t\"time\"\n\n"
	}
	options := "" // to sleep until something is due, by the runtime's timers, is the default
	if c.Waking == catalog.Ticking {
		options += ",\n\t\tdriver.WithWaking(driver.FixedTick(" + durationSource(c.Tick) + "))"
	}
	if c.Waiting == catalog.Precise {
		options += ",\n\t\tdriver.WithWaiting(driver.Precise{})"
	}
	return fmt.Sprintf(snippet, imports, c.Scheduler, c, made, options)
}

// durationSource returns a duration as an expression.
func durationSource(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%u.unit == 0 {
			return strings.TrimPrefix(fmt.Sprintf("%d*time.%s", d/u.unit, u.name), "1*")
		}
	}
	return fmt.Sprintf("%d*time.Nanosecond", d)
}
