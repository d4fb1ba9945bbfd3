package tune

import (
	"fmt"
	"time"

	"schedbench/catalog"
)

// snippet is a Go file: with imports, what makes a scheduler, and the driver's options.
const snippet = `package timers

import (
%s	"schedbench/driver"
	"schedbench/%s"
)

// New starts a driver of what bench tune has chosen: %v.
func New() (*driver.Driver, error) {
%s
	return driver.Start(s,
		driver.WithWaking(%s),
		driver.WithWaiting(%s),
	)
}
`

// Snippet returns the source of a Go file that starts a driver of a configuration. It
// compiles inside this module.
func Snippet(c catalog.Config) string {
	imports, made := "", fmt.Sprintf("\ts := %s.New[driver.Task]()", c.Scheduler)
	if c.Wheel() {
		made = fmt.Sprintf("\ts, err := %s.New[driver.Task](%s, %d)\n\tif err != nil {\n\t\treturn nil, err\n\t}",
			c.Scheduler, durationSource(c.Tick), c.Slots)
	}
	if c.Wheel() || c.Waking == catalog.Ticking {
		imports = "\t\"time\"\n\n"
	}
	waking, waiting := "driver.SkipToNext{}", "driver.Runtime{}"
	if c.Waking == catalog.Ticking {
		waking = "driver.FixedTick(" + durationSource(c.Tick) + ")"
	}
	if c.Waiting == catalog.Precise {
		waiting = "driver.Precise{}"
	}
	return fmt.Sprintf(snippet, imports, c.Scheduler, c, made, waking, waiting)
}

// durationSource returns a duration as an expression.
func durationSource(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		switch {
		case d == u.unit:
			return "time." + u.name
		case d >= u.unit && d%u.unit == 0:
			return fmt.Sprintf("%d*time.%s", d/u.unit, u.name)
		}
	}
	return fmt.Sprintf("%d*time.Nanosecond", d)
}
