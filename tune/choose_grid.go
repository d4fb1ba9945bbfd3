package tune

import (
	"time"

	"schedbench/catalog"
)

// The ticks that are considered: so many a decade, round numbers, between the
// shortest that makes sense and the longest that a load may want.
var tickSteps = []float64{1, 1.5, 2, 3, 4, 5, 6, 8}

const (
	shortestTick = 10 * time.Microsecond
	longestTick  = time.Minute
	enoughTick   = time.Second // considered even for shorter delays
)

// The numbers of slots that are considered for a wheel with rounds, and for a level
// of a hierarchical one: powers of two.
const (
	fewestRounds, mostRounds = 64, 65536
	fewestLevel, mostLevel   = 16, 1024
)

// mostListed is how many pending timers a sorted list is considered for: however well a
// load suits it, one deadline that comes before all others costs a walk over all of them.
const mostListed = 1000

// reserve, and a quarter more, is how much longer a delay may be than those that were
// seen before a single wheel refuses it.
const reserve = 50 * time.Millisecond

// ticks returns the ticks that are considered for a load, in order.
func ticks(l *Load) (list []time.Duration) {
	longest := min(max(l.Horizon, enoughTick), longestTick)
	for decade := shortestTick; ; decade *= 10 {
		for _, s := range tickSteps {
			tick := time.Duration(s * float64(decade))
			if tick > longest {
				return list
			}
			list = append(list, tick)
		}
	}
}

// candidates returns every configuration that is considered for a load: each wheel, and
// with a tick for the driver alone the others, with each way of waking and waiting; and
// the timers of the Go runtime, which need none of that.
func candidates(l *Load) (all []catalog.Config) {
	add := func(c catalog.Config, wakings ...catalog.Waking) {
		for _, c.Waking = range wakings {
			for _, c.Waiting = range catalog.Waitings() {
				all = append(all, c)
			}
		}
	}
	all = append(all, catalog.Config{Scheduler: catalog.RuntimeTimer})
	exact := []string{catalog.Heap}
	if l.MostPending <= mostListed {
		exact = append(exact, catalog.List)
	}
	for _, s := range exact {
		add(catalog.Config{Scheduler: s}, catalog.Tickless)
	}
	for _, tick := range ticks(l) {
		for _, c := range wheels(l, tick) {
			add(c, catalog.Tickless, catalog.Ticking)
		}
		for _, s := range exact {
			add(catalog.Config{Scheduler: s, Tick: tick}, catalog.Ticking)
		}
	}
	return all
}

// wheels returns the wheels of a tick.
func wheels(l *Load, tick time.Duration) (all []catalog.Config) {
	if needed := (l.Horizon+l.Horizon/4+reserve)/tick + 2; needed <= catalog.MostSlots {
		c := catalog.Config{Scheduler: catalog.Single, Tick: tick, Slots: int(needed)}
		c.Slots = c.RealSlots()
		all = append(all, c)
	}
	for slots := fewestRounds; slots <= mostRounds; slots *= 2 {
		all = append(all, catalog.Config{Scheduler: catalog.Rounds, Tick: tick, Slots: slots})
	}
	for slots := fewestLevel; slots <= mostLevel; slots *= 2 {
		all = append(all, catalog.Config{Scheduler: catalog.Hier, Tick: tick, Slots: slots})
	}
	return all
}
