package tune

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/judge"
)

// Candidate is a configuration and its measurements.
type Candidate struct {
	// Name is that of the contestant, or of the catalog's system, that the user asked about; "" otherwise.
	Name   string
	Config catalog.Config
	// Contestant is that of the program with the Name; of a system it says only whether it is early by design.
	Contestant harness.Contestant
	// Ruled is the rule that excludes the candidate; "" is none.
	Ruled string
	// Heat has the figures of the replay, and Final those of the real clock; nil means not measured.
	Heat, Final *Figures
	// Note says why there are no figures, such as a delay that the scheduler cannot hold.
	Note string

	blocks []Sample // of the final
}

// Figures are what a candidate costs.
type Figures struct {
	// CPU is a share of a core. Lateness is in seconds at the percentile of the requirements: NaN where no timer fired.
	// Candidates that played side by side have the same blocks.
	CPU, Lateness judge.Average
	// Wakeups are per second, and Memory is in bytes.
	Wakeups, Memory float64
	// Fired is the number of timers that Lateness is of; 0 in a replay.
	Fired  int64
	Played time.Duration
}

// Best returns the figures of the real clock, or else those of the heat.
func (c *Candidate) Best() *Figures { return cmp.Or(c.Final, c.Heat) }

func (c *Candidate) ticks() bool { return c.Config.Waking == catalog.Ticking }

// bySimplicity orders candidates by rank, then ticks that are powers of ten before others, then short ticks first. It
// uses no measurement.
func bySimplicity(a, b *Candidate) int {
	unusual := func(c *Candidate) int {
		for tick := time.Nanosecond; tick <= c.Config.Tick; tick *= 10 {
			if tick == c.Config.Tick {
				return 0
			}
		}
		return min(int(c.Config.Tick), 1)
	}
	return cmp.Or(a.rank()-b.rank(), unusual(a)-unusual(b), cmp.Compare(a.Config.Tick, b.Config.Tick))
}

// rank orders candidates from the simplest to the oddest: time.AfterFunc, drivers that sleep until due, drivers that
// tick, precise drivers.
func (c *Candidate) rank() int {
	r := slices.Index(simplicity(), c.Config.Scheduler)
	if c.Name != "" && r < 0 {
		r = len(simplicity())
	}
	if c.ticks() {
		r += 20
	}
	if c.Config.Waiting == catalog.Precise {
		r += 40
	}
	return r
}

// simplicity returns what a candidate may be built of, the simplest first.
func simplicity() []string { return append([]string{catalog.RuntimeTimer}, catalog.Schedulers()...) }

const (
	shortestTick = 10 * time.Microsecond
	longestTick  = time.Second
	// runtimeLate is how late a timer of the Go runtime may be on Linux, whose clock has milliseconds; preciseLate is how
	// late a precise sleep may be. They order the list and exclude nothing.
	runtimeLate, preciseLate = 1100 * time.Microsecond, 150 * time.Microsecond
	// closeToRuntime is the lateness from which on waiting precisely is of no use.
	closeToRuntime = 4 * time.Millisecond
	// mostListed is the largest number of pending timers for which a sorted list is a candidate.
	mostListed = 1000
	// mostSlots is the largest number of slots of a wheel.
	mostSlots = 1 << 20
)

// Candidates returns the candidates for a part of a workload, the simplest first. Those that a rule excludes are among
// them.
func Candidates(s *Segment, r Requirements) (all []*Candidate) {
	precise := !r.NotPrecise && r.Lateness > 0 && r.Lateness < closeToRuntime
	add := func(c catalog.Config) { all = append(all, &Candidate{Config: c, Ruled: r.rule(c)}) }
	add(catalog.Config{Scheduler: catalog.RuntimeTimer})
	for _, waiting := range catalog.Waitings() {
		if waiting == catalog.Precise && !precise {
			continue
		}
		var exact []catalog.Config
		for _, name := range catalog.Schedulers() {
			if c := (catalog.Config{Scheduler: name, Waiting: waiting}); !c.Wheel() && (name != catalog.List || s.Pending <= mostListed) {
				exact = append(exact, c)
				add(c)
			}
		}
		for _, tick := range r.ticks(s.Horizon, waiting) {
			for _, c := range append(exact, wheelsOf(s, tick)...) {
				c.Tick, c.Waiting = tick, waiting
				if c.Wheel() {
					add(c)
				}
				c.Waking = catalog.Ticking
				if c.Scheduler != catalog.List {
					add(c)
				}
			}
		}
	}
	slices.SortStableFunc(all, bySimplicity)
	return all
}

// wheelsOf returns the wheels with a tick, in their usual sizes.
func wheelsOf(s *Segment, tick time.Duration) (all []catalog.Config) {
	g := harness.Geometry{Tick: tick, Horizon: s.Horizon + s.Horizon/4 + tick + 50*time.Millisecond}
	for _, name := range catalog.Schedulers() {
		c := catalog.Fit(name, g)
		c.Slots = c.RealSlots()
		if c.Wheel() && c.Slots <= mostSlots {
			all = append(all, c)
		}
	}
	return all
}

// ticks returns ticks of 1, 2 and 5 times a power of ten. The last may be the first that is too late, which shows what
// the limit costs.
func (r Requirements) ticks(horizon time.Duration, waiting catalog.Waiting) (list []time.Duration) {
	least, most := time.Millisecond, max(min(longestTick, horizon), time.Millisecond)
	if waiting == catalog.Precise {
		least = max(shortestTick, r.Lateness/20)
	}
	list = roundDurations(least, most)
	if late := slices.IndexFunc(list, r.lateBy); late >= 0 {
		return list[:late+1]
	}
	return list
}

// roundDurations returns the durations from least to most that are 1, 2 or 5 times a power of ten nanoseconds.
func roundDurations(least, most time.Duration) (list []time.Duration) {
	for decade := time.Nanosecond; decade <= most; decade *= 10 {
		for _, step := range []time.Duration{1, 2, 5} {
			if d := step * decade; least <= d && d <= most {
				list = append(list, d)
			}
		}
	}
	return list
}

// lateBy reports whether a tick alone uses up the limit for lateness, or nearly: the sleep adds to it.
func (r Requirements) lateBy(tick time.Duration) bool {
	return r.Lateness > 0 && r.Share()*float64(tick) > clearance*float64(r.Lateness)
}

// rule returns the rule by which a configuration cannot keep the requirements; "" is none.
func (r Requirements) rule(c catalog.Config) string {
	ticks := c.Waking == catalog.Ticking
	switch {
	case r.MustTick && !ticks:
		return "does not wake at every tick"
	case r.MustNotTick && ticks:
		return "wakes at every tick"
	case r.NotPrecise && c.Waiting == catalog.Precise:
		return "waits precisely"
	case r.lateBy(c.Tick):
		late := time.Duration(r.Share() * float64(c.Tick))
		said := fmt.Sprintf("a tick of %v makes %g %% of the timers up to %v late", c.Tick, 100*r.Share(), late)
		if late <= r.Lateness {
			said += ", which leaves less than 5 % of the limit"
		}
		return said
	case r.Wakeups > 0 && ticks && 1/c.Tick.Seconds() > r.Wakeups:
		return fmt.Sprintf("a tick of %v wakes %.0f times a second", c.Tick, 1/c.Tick.Seconds())
	}
	return ""
}

// assumed returns how late a configuration is at the percentile by rule. It holds until the candidate plays.
func (r Requirements) assumed(c catalog.Config) time.Duration {
	late := runtimeLate
	if c.Waiting == catalog.Precise {
		late = preciseLate
	}
	return time.Duration(r.Share()*float64(c.Tick)) + late
}
