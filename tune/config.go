package tune

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
)

// The names of the contestants that are chosen among.
const (
	heap   = "heapsched"
	list   = "listsched"
	single = "singlewheel"
	rounds = "roundswheel"
	hier   = "hierwheel"
)

// The names of the ways of waiting, as in Calibration.Latency.
const (
	Runtime = "runtime"
	Precise = "precise"
	// PreciseBrief is precise waiting for a few microseconds.
	PreciseBrief = "precise, briefly"
)

// mostSlots is the most slots of a wheel, and of a level.
const mostSlots = 1 << 30

// ErrConfig means that a Config makes no scheduler or no driver.
var ErrConfig = errors.New("bad configuration")

// ErrRequirements means that requirements contradict each other, or cannot be
// meant.
var ErrRequirements = errors.New("bad requirements")

// wheel reports whether the scheduler has ticks and slots.
func (c Config) wheel() bool {
	return c.Scheduler == single || c.Scheduler == rounds || c.Scheduler == hier
}

// waiting returns the name of the way of waiting.
func (c Config) waiting() string {
	if c.Precise {
		return Precise
	}
	return Runtime
}

// slots returns the number of slots that a wheel really has: the next power of
// two.
func (c Config) slots() int {
	if c.Slots < 1 {
		return 0
	}
	return 1 << bits.Len(uint(c.Slots-1))
}

// String returns the configuration in short, such as "hierwheel 5ms x 256,
// tickless, runtime waiting".
func (c Config) String() string {
	var b strings.Builder
	b.WriteString(c.Scheduler)
	if c.wheel() {
		fmt.Fprintf(&b, " %v x %d", c.Tick, c.Slots)
	}
	switch {
	case !c.Ticking:
		b.WriteString(", tickless")
	case c.wheel():
		b.WriteString(", ticking")
	default:
		fmt.Fprintf(&b, ", ticking every %v", c.Tick)
	}
	return b.String() + ", " + c.waiting() + " waiting"
}

// Check returns an error that wraps ErrConfig unless the configuration makes a
// scheduler and a driver.
func (c Config) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...)
	}
	least := 1
	if c.Scheduler == hier {
		least = 2
	}
	switch {
	case !slices.Contains(schedulerNames(), c.Scheduler):
		return bad("scheduler %q, want one of %s", c.Scheduler, strings.Join(schedulerNames(), ", "))
	case (c.wheel() || c.Ticking) && c.Tick <= 0:
		return bad("a tick of %v for %s, want more than 0", c.Tick, c.Scheduler)
	case !c.wheel() && !c.Ticking && c.Tick != 0:
		return bad("a tick of %v for %s, whose driver does not tick, want none", c.Tick, c.Scheduler)
	case c.wheel() && (c.Slots < least || c.Slots > mostSlots):
		return bad("%d slots for %s, want %d to %d", c.Slots, c.Scheduler, least, mostSlots)
	case !c.wheel() && c.Slots != 0:
		return bad("%d slots for %s, which has none", c.Slots, c.Scheduler)
	case c.Scheduler != hier && c.wheel() && time.Duration(c.slots()) > maxTime/c.Tick:
		return bad("%d slots of %v are longer than a duration can be, want at most %d", c.Slots, c.Tick, maxTime/c.Tick)
	}
	return nil
}

const maxTime = time.Duration(1<<63 - 1)

// schedulerNames returns the names of the contestants.
func schedulerNames() (names []string) {
	for _, c := range catalog.Contestants() {
		names = append(names, c.Name)
	}
	return names
}

// None reports whether there is no limit at all.
func (r Requirements) None() bool { return r.Lateness == 0 && r.CPU == 0 && r.Memory == 0 }

// Check returns an error that wraps ErrRequirements if a limit is out of its
// range, or two of them contradict each other.
func (r Requirements) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrRequirements}, args...)...)
	}
	switch {
	case !(r.Percentile >= 0 && r.Percentile < 1):
		return bad("lateness at the %g %% quantile, want more than 0 %% and less than 100 %%", 100*r.Percentile)
	case r.Lateness < 0:
		return bad("a lateness of at most %v, want more than 0", r.Lateness)
	case r.Lateness == 0 && r.Percentile != 0 && r.Percentile != usualPercentile:
		return bad("the %g %% quantile of lateness is asked for without a limit for it", 100*r.Percentile)
	case !(r.CPU >= 0 && r.CPU <= 1):
		return bad("a CPU share of at most %g %%, want more than 0 %% and at most 100 %% of one core", 100*r.CPU)
	case r.Memory < 0:
		return bad("at most %d bytes of memory, want more than 0", r.Memory)
	case r.MustTick && r.MustNotTick:
		return bad("the driver must tick and must not tick")
	}
	return nil
}

// usualPercentile is where lateness is looked at unless told otherwise.
const usualPercentile = 0.99

// percentile returns where lateness is looked at.
func (r Requirements) percentile() float64 {
	if r.Percentile == 0 {
		return usualPercentile
	}
	return r.Percentile
}
