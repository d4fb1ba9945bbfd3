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

// candidates returns every configuration that is considered for a load.
func candidates(l *Load) (all []catalog.Config) {
	all = append(all, policies(catalog.Config{Scheduler: catalog.Heap})...)
	all = append(all, policies(catalog.Config{Scheduler: catalog.List})...)
	for _, tick := range ticks(l) {
		for _, c := range geometries(l, tick) {
			all = append(all, policies(c)...)
		}
		for _, s := range []string{catalog.Heap, catalog.List} {
			all = append(all, ticked(catalog.Config{Scheduler: s, Tick: tick})...)
		}
	}
	return all
}

// geometries returns the wheels of a tick.
func geometries(l *Load, tick time.Duration) (all []catalog.Config) {
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

// policies returns a configuration with each way of waking and waiting: of ticks
// only if it has one.
func policies(c catalog.Config) []catalog.Config {
	precise := c
	precise.Waiting = catalog.Precise
	if c.Tick == 0 {
		return []catalog.Config{c, precise}
	}
	return append([]catalog.Config{c, precise}, ticked(c)...)
}

// ticked returns a configuration that ticks, with each way of waiting.
func ticked(c catalog.Config) []catalog.Config {
	c.Waking = catalog.Ticking
	precise := c
	precise.Waiting = catalog.Precise
	return []catalog.Config{c, precise}
}
