package tune

import (
	"fmt"
	"strings"
	"time"

	"schedbench/catalog"
)

// Snippet returns the source of a Go file that starts a driver of a configuration. It
// compiles inside this module.
func Snippet(c catalog.Config) string {
	fails, size := "", ""
	if c.Wheel() { // a size may be refused
		fails, size = ", err", fmt.Sprintf("%s, %d", durationSource(c.Tick), c.Slots)
	}
	var b strings.Builder
	b.WriteString("package timers\n\nimport (\n")
	if c.Wheel() || c.Waking == catalog.Ticking {
		b.WriteString("\t\"time\"\n\n")
	}
	fmt.Fprintf(&b, "\t\"schedbench/driver\"\n\t\"schedbench/%s\"\n)\n\n", c.Scheduler)
	fmt.Fprintf(&b, "// New starts a driver of what bench tune has chosen: %v.\n", c)
	b.WriteString("func New() (*driver.Driver, error) {\n")
	fmt.Fprintf(&b, "\ts%s := %s.New[driver.Task](%s)\n", fails, c.Scheduler, size)
	if fails != "" {
		b.WriteString("\tif err != nil {\n\t\treturn nil, err\n\t}\n")
	}
	b.WriteString("\treturn driver.Start(s,\n")
	for _, option := range optionsSource(c) {
		fmt.Fprintf(&b, "\t\t%s,\n", option)
	}
	b.WriteString("\t)\n}\n")
	return b.String()
}

// optionsSource returns the options of the driver as expressions.
func optionsSource(c catalog.Config) []string {
	waking, waiting := "driver.SkipToNext{}", "driver.Runtime{}"
	if c.Waking == catalog.Ticking {
		waking = "driver.FixedTick(" + durationSource(c.Tick) + ")"
	}
	if c.Waiting == catalog.Precise {
		waiting = "driver.Precise{}"
	}
	return []string{"driver.WithWaking(" + waking + ")", "driver.WithWaiting(" + waiting + ")"}
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
