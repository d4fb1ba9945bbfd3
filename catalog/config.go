package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"schedbench/driver"
	"schedbench/fifosched"
	"schedbench/harness"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/internal/words"
	"schedbench/listsched"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// The names of the schedulers.
const (
	Heap   = "heapsched"
	List   = "listsched"
	Single = "singlewheel"
	Rounds = "roundswheel"
	Hier   = "hierwheel"
	FIFO   = "fifosched" // queues, one for each distinct delay of a program
)

// The names of the schedulers that only presets have.
const (
	// NoCascade is a hierarchical wheel in which no timer ever moves: each level is linuxCoarser times coarser.
	NoCascade = "nocascade"
	// A sequenceHeap. A cancelled timer leaves at once, or when it is due, or when it becomes the first.
	binaryHeap           = "binaryheap"
	binaryHeapUntilDue   = "binaryheap-until-due"
	binaryHeapUntilFirst = "binaryheap-until-first"
)

// Schedulers returns the names of the schedulers, the simplest first. Heap and queues need no tick, the hierarchical wheel no
// horizon. The single wheel suits some loads. Rounds and a list need care. Of schedulers that are as fast, the
// simplest is named first.
func Schedulers() []string { return []string{Heap, FIFO, Hier, Single, Rounds, List} }

// Config is a scheduler with a driver. Two equal Configs behave alike.
type Config struct {
	// Scheduler is the name of a scheduler, or RuntimeTimer, which has no driver and nothing to choose.
	Scheduler string
	// Tick is the tick of a wheel, and of a driver that ticks. Without both it is 0.
	Tick time.Duration
	// Slots is the number of slots of a wheel, or of a level of a hierarchical one. Without a wheel it is 0.
	Slots int
	// Waking says when the driver wakes, and Waiting what it sleeps on until then.
	Waking  Waking
	Waiting Waiting
	Running driver.Running // where tasks run; nil is driver.Inline
	Inbox   driver.Inbox   // nil is driver.Locked; driver.Sharded does not fit, since it has several schedulers
	// Least is the shortest sleep of a driver that does not tick (driver.SkipAtLeast); 0 is any.
	Least time.Duration
	// Resolution is that of the driver's clock (driver.WithResolution); 0 is the clock as it is.
	Resolution time.Duration
	// AtOnce has Stop and Reset change the scheduler at once (driver.WithAtOnce), as the originals of presets do.
	AtOnce bool
	// MaxPending is how many timers may be pending (driver.WithMaxPending); 0 is any number.
	MaxPending int
}

// Waking says when a driver wakes.
type Waking uint8

const (
	// Tickless drivers sleep until something is due (driver.SkipToNext).
	Tickless Waking = iota
	// Ticking drivers wake at every tick, due or not (driver.FixedTick).
	Ticking
)

// String returns "sleeping" or "ticking".
func (w Waking) String() string { return [...]string{"sleeping", "ticking"}[w] }

// Waiting says what a driver sleeps on.
type Waiting uint8

const (
	// Runtime is a timer of the Go runtime (driver.Runtime).
	Runtime Waiting = iota
	// Precise is a timer of the operating system (driver.Precise).
	Precise
	// Kernel is one as threads of the JVM have it, with the kernel's slack (driver.Kernel).
	Kernel
)

// String returns "runtime", "precise" or "kernel".
func (w Waiting) String() string { return [...]string{"runtime", "precise", "kernel"}[w] }

// Waitings returns the ways of waiting to choose from. Kernel is for presets only.
func Waitings() []Waiting { return []Waiting{Runtime, Precise} }

// Fit returns a Config of the scheduler that suits a geometry, with the usual slots.
func Fit(scheduler string, g harness.Geometry) Config {
	c := Config{Scheduler: scheduler}
	switch scheduler {
	case Single: // one more than the ticks to the horizon, since a deadline is rounded up
		c.Tick, c.Slots = g.Tick, 1
		if g.Tick > 0 { // or New refuses it
			c.Slots = int(min(g.Horizon/g.Tick+1, 1<<31))
		}
	case Rounds:
		c.Tick, c.Slots = g.Tick, roundsSlots
	case Hier:
		c.Tick, c.Slots = g.Tick, HierSlots
	}
	return c
}

const mostSlots = 1 << 30

// ErrConfig means that a Config makes no scheduler or no driver.
var ErrConfig = errors.New("bad configuration")

// Wheel reports whether the scheduler has ticks and slots.
func (c Config) Wheel() bool {
	return slices.Contains([]string{Single, Rounds, Hier, NoCascade}, c.Scheduler)
}

func (c Config) levels() bool { return c.Scheduler == Hier || c.Scheduler == NoCascade }

// RealSlots returns the number of slots of a wheel, or of each level: Slots rounded up to a power of two.
func (c Config) RealSlots() int {
	if c.Slots < 1 {
		return 0
	}
	return 1 << bits.Len(uint(c.Slots-1))
}

// String returns the configuration in short, such as "hierwheel 5ms x 256, sleeping, runtime waiting". It names the other
// fields only if they are not the usual ones.
func (c Config) String() string {
	if c.Scheduler == RuntimeTimer {
		return c.Scheduler
	}
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
		fmt.Fprintf(&b, ", %s running", policy(c.Running))
	}
	if c.Inbox != nil {
		fmt.Fprintf(&b, ", %s inbox", policy(c.Inbox))
	}
	if c.Least != 0 {
		fmt.Fprintf(&b, ", sleeps of %v at least", c.Least)
	}
	if c.Resolution != 0 {
		fmt.Fprintf(&b, ", a clock of %v", c.Resolution)
	}
	if c.MaxPending != 0 {
		fmt.Fprintf(&b, ", %d pending at most", c.MaxPending)
	}
	return b.String()
}

// policy returns the name of an option of a driver, such as queued.
func policy(option any) string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", option), "driver."))
}

// Check returns an error that wraps ErrConfig unless the configuration makes a scheduler and a driver.
func (c Config) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...)
	}
	known := append(Schedulers(), NoCascade, binaryHeap, binaryHeapUntilDue, binaryHeapUntilFirst, RuntimeTimer)
	least := 1
	if c.levels() {
		least = 2
	}
	switch {
	case c.Scheduler == RuntimeTimer && c != Config{Scheduler: RuntimeTimer}:
		return bad("%s has no tick, no slots and no driver", RuntimeTimer)
	case !slices.Contains(known, c.Scheduler):
		return bad("scheduler %q, want one of %s", c.Scheduler, strings.Join(known, ", "))
	case (c.Wheel() || c.Waking == Ticking) && c.Tick <= 0:
		return bad("a tick of %v for %s, want more than 0", c.Tick, c.Scheduler)
	case !c.Wheel() && c.Waking != Ticking && c.Tick != 0:
		return bad("a tick of %v for %s, whose driver does not tick, want none", c.Tick, c.Scheduler)
	case c.Wheel() && (c.Slots < least || c.Slots > mostSlots):
		return bad("%d slots for %s, want %d to %d", c.Slots, c.Scheduler, least, mostSlots)
	case !c.Wheel() && c.Slots != 0:
		return bad("%d slots for %s, which has none", c.Slots, c.Scheduler)
	case c.Wheel() && !c.levels() && time.Duration(c.RealSlots()) > math.MaxInt64/c.Tick:
		return bad("%d slots of %v are longer than a duration can be, want at most %d", c.Slots, c.Tick, math.MaxInt64/c.Tick)
	}
	return nil
}

// New makes the scheduler of a configuration. The errors are those of its New, and ErrConfig for an unknown name.
func New[T any](c Config) (schedulers.Scheduler[T], error) {
	switch c.Scheduler {
	case Heap:
		return heapsched.New[T](), nil
	case List:
		return listsched.New[T](), nil
	case Single:
		return singlewheel.New[T](c.Tick, c.Slots)
	case Rounds:
		return roundswheel.New[T](c.Tick, c.Slots)
	case Hier:
		return hierwheel.New[T](c.Tick, c.Slots)
	case FIFO:
		return fifosched.New[T](), nil
	case NoCascade:
		return hierwheel.NewNoCascade[T](c.Tick, c.Slots, linuxCoarser)
	case binaryHeap:
		return newSequenceHeap[T](leave), nil
	case binaryHeapUntilDue:
		return newSequenceHeap[T](stayUntilDue), nil
	case binaryHeapUntilFirst:
		return newSequenceHeap[T](stayUntilFirst), nil
	}
	return nil, fmt.Errorf("%w: no scheduler is called %q", ErrConfig, c.Scheduler)
}

// Bare makes the scheduler of a configuration for replays, whose values are numbers. Its errors are those of New, which
// would compile all structures once more for each package that calls it.
func (c Config) Bare() (schedulers.Scheduler[uint64], error) { return New[uint64](c) }

// Start starts a driver of the configuration. The options of the configuration come after opts and win; waiting by the
// runtime adds none. A panic of a task is logged and the driver goes on, unless opts have another handler. The errors are
// those of New and driver.Start.
func (c Config) Start(opts ...driver.Option) (*driver.Driver, error) {
	s, err := New[driver.Task](c)
	if err != nil {
		return nil, err
	}
	return driver.Start(s, slices.Concat([]driver.Option{driver.WithPanicsLogged()}, opts, c.options())...)
}

// options returns the options of the configuration's driver.
func (c Config) options() []driver.Option {
	opts := []driver.Option{
		driver.WithWaking(driver.SkipToNext{}),
		driver.WithRunning(cmp.Or[driver.Running](c.Running, driver.Inline{})),
		driver.WithInbox(cmp.Or[driver.Inbox](c.Inbox, driver.Locked{})),
	}
	if c.AtOnce {
		opts = append(opts, driver.WithAtOnce())
	}
	if c.Waking == Ticking {
		opts[0] = driver.WithWaking(driver.FixedTick(c.Tick))
	} else if c.Least > 0 {
		opts[0] = driver.WithWaking(driver.SkipAtLeast(c.Least))
	}
	switch c.Waiting {
	case Precise:
		opts = append(opts, driver.WithWaiting(driver.Precise{}))
	case Kernel:
		opts = append(opts, driver.WithWaiting(driver.Kernel{}))
	}
	if c.Resolution != 0 {
		opts = append(opts, driver.WithResolution(c.Resolution))
	}
	if c.MaxPending != 0 {
		opts = append(opts, driver.WithMaxPending(c.MaxPending))
	}
	return opts
}

// slots returns how many slots a wheel has, as text, and "" for any other scheduler.
func (c Config) slots() string {
	switch said := words.Count(float64(c.RealSlots())) + " slots"; {
	case !c.Wheel():
		return ""
	case c.levels():
		return said + " a level"
	default:
		return said
	}
}
