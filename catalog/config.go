package catalog

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"schedbench/driver"
	"schedbench/harness"
)

// The names of the five schedulers.
const (
	Heap   = "heapsched"
	List   = "listsched"
	Single = "singlewheel"
	Rounds = "roundswheel"
	Hier   = "hierwheel"
)

// The names of the schedulers that only presets have.
const (
	// NoCascade is a hierarchical wheel in which no timer ever moves, with levels
	// that are LinuxCoarser times coarser each.
	NoCascade = "nocascade"
	// BinaryHeap is a heap that keeps the order of those that are due at once. The
	// cancelled leave at once, or stay until they are due, or until they are the first.
	BinaryHeap           = "binaryheap"
	BinaryHeapUntilDue   = "binaryheap-until-due"
	BinaryHeapUntilFirst = "binaryheap-until-first"
)

// Schedulers returns the names of the five, in the order of their history.
func Schedulers() []string { return []string{Heap, List, Single, Rounds, Hier} }

// Config is a scheduler with a driver. Two that are equal behave alike.
type Config struct {
	// Scheduler is one of the names of schedulers.
	Scheduler string
	// Tick is the tick of a wheel, and of a driver that ticks. It is 0 for a heap
	// or a list whose driver does not.
	Tick time.Duration
	// Slots is the number of slots of a wheel, for each level of a hierarchical
	// one. It is 0 for a heap or a list.
	Slots int
	// Waking says when the driver wakes, and Waiting what it sleeps on until then.
	Waking  Waking
	Waiting Waiting
	// Running says where tasks run, and Inbox how timers come to the scheduler;
	// nil is driver.Inline, and driver.Locked. driver.Sharded is not meant: it has
	// several schedulers.
	Running driver.Running
	Inbox   driver.Inbox
}

// Waking says when a driver wakes.
type Waking uint8

const (
	// Tickless drivers sleep until something is due (driver.SkipToNext).
	Tickless Waking = iota
	// Ticking drivers wake at every tick, due or not (driver.FixedTick).
	Ticking
)

// String returns "tickless" or "ticking".
func (w Waking) String() string {
	if w == Ticking {
		return "ticking"
	}
	return "tickless"
}

// Waiting says what a driver sleeps on.
type Waiting uint8

const (
	// Runtime is a timer of the Go runtime (driver.Runtime).
	Runtime Waiting = iota
	// Precise is a timer of the operating system (driver.Precise).
	Precise
)

// String returns "runtime" or "precise".
func (w Waiting) String() string {
	if w == Precise {
		return "precise"
	}
	return "runtime"
}

// Waitings returns the ways of waiting.
func Waitings() []Waiting { return []Waiting{Runtime, Precise} }

// Fit returns a scheduler with what it needs for a geometry, and the usual slots.
func Fit(scheduler string, g harness.Geometry) Config {
	c := Config{Scheduler: scheduler}
	switch scheduler {
	case Single:
		c.Tick, c.Slots = g.Tick, singleSlots(g)
	case Rounds:
		c.Tick, c.Slots = g.Tick, RoundsSlots
	case Hier:
		c.Tick, c.Slots = g.Tick, HierSlots
	}
	return c
}

// singleSlots returns how many slots a single wheel needs for a geometry: one
// more than the ticks to the horizon, since a deadline is rounded up.
func singleSlots(g harness.Geometry) int {
	if g.Tick <= 0 {
		return 1 // New refuses the tick
	}
	return int(min(g.Horizon/g.Tick+1, 1<<31))
}

// MostSlots is the most slots of a wheel, and of a level.
const MostSlots = 1 << 30

// ErrConfig means that a Config makes no scheduler or no driver.
var ErrConfig = errors.New("bad configuration")

// Wheel reports whether the scheduler has ticks and slots.
func (c Config) Wheel() bool {
	return slices.Contains([]string{Single, Rounds, Hier, NoCascade}, c.Scheduler)
}

// levels reports whether a wheel has levels.
func (c Config) levels() bool { return c.Scheduler == Hier || c.Scheduler == NoCascade }

// RealSlots returns the number of slots that a wheel really has, or each of its
// levels: the next power of two.
func (c Config) RealSlots() int {
	if c.Slots < 1 {
		return 0
	}
	return 1 << bits.Len(uint(c.Slots-1))
}

// String returns the configuration in short, such as "hierwheel 5ms x 256,
// tickless, runtime waiting". It says where tasks run and how timers come to the
// scheduler only if that is not as usual.
func (c Config) String() string {
	var b strings.Builder
	b.WriteString(c.Scheduler)
	if c.Wheel() {
		fmt.Fprintf(&b, " %v x %d", c.Tick, c.Slots)
	}
	fmt.Fprintf(&b, ", %v", c.Waking)
	if c.Waking == Ticking && !c.Wheel() {
		fmt.Fprintf(&b, " every %v", c.Tick)
	}
	fmt.Fprintf(&b, ", %v waiting", c.Waiting)
	if c.Running != nil {
		fmt.Fprintf(&b, ", %T%+v", c.Running, c.Running)
	}
	if c.Inbox != nil {
		fmt.Fprintf(&b, ", %T%+v", c.Inbox, c.Inbox)
	}
	return b.String()
}

// Check returns an error that wraps ErrConfig unless the configuration makes a
// scheduler and a driver.
func (c Config) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...)
	}
	known := append(Schedulers(), NoCascade, BinaryHeap, BinaryHeapUntilDue, BinaryHeapUntilFirst)
	least := 1
	if c.levels() {
		least = 2
	}
	switch {
	case !slices.Contains(known, c.Scheduler):
		return bad("scheduler %q, want one of %s", c.Scheduler, strings.Join(known, ", "))
	case (c.Wheel() || c.Waking == Ticking) && c.Tick <= 0:
		return bad("a tick of %v for %s, want more than 0", c.Tick, c.Scheduler)
	case !c.Wheel() && c.Waking != Ticking && c.Tick != 0:
		return bad("a tick of %v for %s, whose driver does not tick, want none", c.Tick, c.Scheduler)
	case c.Wheel() && (c.Slots < least || c.Slots > MostSlots):
		return bad("%d slots for %s, want %d to %d", c.Slots, c.Scheduler, least, MostSlots)
	case !c.Wheel() && c.Slots != 0:
		return bad("%d slots for %s, which has none", c.Slots, c.Scheduler)
	case c.Wheel() && !c.levels() && time.Duration(c.RealSlots()) > math.MaxInt64/c.Tick:
		return bad("%d slots of %v are longer than a duration can be, want at most %d", c.Slots, c.Tick, math.MaxInt64/c.Tick)
	}
	return nil
}
