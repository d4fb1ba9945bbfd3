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

// Candidate is a configuration, with what is known of it.
type Candidate struct {
	// Name is that of a known system, or of a contestant of the program, that the user asked for; "" otherwise.
	Name   string
	Config catalog.Config
	// System makes the contestant of a Name.
	System harness.Contestant
	// Ruled says by which arithmetic it cannot keep a requirement; "" if it can.
	Ruled string
	// Heat is what the replay showed, and Final what the real clock showed; nil: not measured.
	Heat  *Figures
	Final *Figures
	// Note says why there are no figures, such as that it cannot hold a delay.
	Note string

	blocks []Sample // of the final
}

// Figures are what a candidate costs.
type Figures struct {
	// CPU is a share of a core. Lateness is in seconds at the percentile asked for: NaN where no
	// timer fired. Wakeups are per second, and Memory is in bytes. Those of one candidate have the
	// same blocks as those of another that was played beside it.
	CPU, Lateness judge.Average
	Wakeups       float64
	Memory        float64
	// Fired is how many timers the lateness is of, 0 in a replay.
	Fired  int64
	Played time.Duration
}

// Best returns the figures that count: of the real clock, or else of the heat.
func (c *Candidate) Best() *Figures { return cmp.Or(c.Final, c.Heat) }

func (c *Candidate) ticks() bool { return c.Config.Waking == catalog.Ticking }

// bySimplicity orders candidates by rank, then ticks that are powers of ten before others, then short ticks
// first. No measurement takes part in it.
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

// rank orders candidates from the simplest to the oddest: time.AfterFunc, which is there already; then
// drivers that sleep until due, ones that tick, and precise ones.
func (c *Candidate) rank() int {
	r := slices.Index(simplicity, c.Config.Scheduler)
	if c.Name != "" && r < 0 {
		r = len(simplicity)
	}
	if c.ticks() {
		r += 20
	}
	if c.Config.Waiting == catalog.Precise {
		r += 40
	}
	return r
}

// simplicity ranks the schedulers: heap and queues need no tick, the hierarchical wheel no horizon, the single
// wheel suits some loads, rounds and a list need care.
var simplicity = []string{catalog.RuntimeTimer, catalog.Heap, catalog.FIFO, catalog.Hier, catalog.Single, catalog.Rounds, catalog.List}

const (
	shortestTick = 10 * time.Microsecond
	longestTick  = time.Second
	// runtimeLate is how late a timer of the Go runtime may be on Linux, by its clock of milliseconds; preciseLate
	// is the same of a precise sleep. They order the list and rule nothing out.
	runtimeLate, preciseLate = 1100 * time.Microsecond, 150 * time.Microsecond
	// closeToRuntime is the lateness from which on waiting precisely is of no use.
	closeToRuntime = 4 * time.Millisecond
	// mostListed is up to how many pending timers a sorted list is tried.
	mostListed = 1000
	// mostTicked is how many slots a single wheel has at most: more is not usual.
	mostTicked = 1 << 20
)

// Candidates returns the candidates for a part of a workload, the simplest first. A candidate that the
// requirements rule out has the rule.
func Candidates(s *Segment, r Requirements) (all []*Candidate) {
	precise := !r.NotPrecise && r.Lateness > 0 && r.Lateness < closeToRuntime
	add := func(c catalog.Config) {
		if precise || c.Scheduler == catalog.RuntimeTimer || c.Waiting != catalog.Precise {
			all = append(all, &Candidate{Config: c, Ruled: r.rule(c)})
		}
	}
	add(catalog.Config{Scheduler: catalog.RuntimeTimer})
	for _, waiting := range catalog.Waitings() {
		bases := []catalog.Config{{Scheduler: catalog.Heap, Waiting: waiting}, {Scheduler: catalog.FIFO, Waiting: waiting}}
		if s.Pending <= mostListed {
			bases = append(bases, catalog.Config{Scheduler: catalog.List, Waiting: waiting})
		}
		for _, c := range bases {
			add(c)
		}
		for _, tick := range r.ticks(s.Horizon, waiting) {
			wheels := wheelsOf(s, tick)
			for _, c := range append(bases, wheels...) {
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

// wheelsOf returns the wheels of a tick, in their usual sizes.
func wheelsOf(s *Segment, tick time.Duration) (all []catalog.Config) {
	g := harness.Geometry{Tick: tick, Horizon: s.Horizon + s.Horizon/4 + tick + 50*time.Millisecond}
	for _, name := range []string{catalog.Hier, catalog.Rounds, catalog.Single} {
		c := catalog.Fit(name, g)
		c.Slots = c.RealSlots()
		if c.Slots <= mostTicked {
			all = append(all, c)
		}
	}
	return all
}

// ticks returns ticks of 1, 2 and 5 times a power of ten: up to the first that arithmetic rules out, which
// shows what the limit costs.
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

// lateBy reports whether a tick alone makes timers as late as asked for, or nearly: a sleep adds to it.
func (r Requirements) lateBy(tick time.Duration) bool {
	return r.Lateness > 0 && r.Share()*float64(tick) > clearance*float64(r.Lateness)
}

// rule returns the arithmetic by which a configuration cannot keep the requirements; "" is none.
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

// assumed is how late a configuration is taken to be at the percentile until it is played: by rule.
func (r Requirements) assumed(c catalog.Config) time.Duration {
	late := runtimeLate
	if c.Waiting == catalog.Precise {
		late = preciseLate
	}
	return time.Duration(r.Share()*float64(c.Tick)) + late
}
