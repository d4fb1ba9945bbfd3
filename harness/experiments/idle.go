package experiments

import (
	"cmp"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/live"
)

// idleHorizon is how far ahead deadlines may lie.
const idleHorizon = 2*time.Hour + time.Minute

const (
	// settling is the rest of participants before the first block, as a multiple of a block.
	settling = 4
	// windows is the number of blocks, unless the plan gives one. In a block that the host disturbs, all participants read
	// several times as much. Six such blocks of 24 do not move the interval of the median.
	windows = 24
)

// idleCells returns a cell for each pending count, and none if the system does not count what a process uses. All
// participants are watched at the same time. Each has its own process, which has done nothing but make its timers. The
// idle process has none, and is also the A/A.
func idleCells(p *harness.Plan) (cells []harness.Cell) {
	if _, ok := live.ReadUsage(); !ok {
		return nil
	}
	blocks := cmp.Or(p.Blocks, windows)
	cell := func(name string, n int, variants []variant, params func(variant) []any) harness.Cell {
		return harness.Cell{
			Experiment: rundata.Idle, Name: fmt.Sprintf("%s-%d", name, n), NoGC: true, ParallelBlocks: blocks,
			Time:   time.Duration(blocks+settling)*p.Watch + time.Duration(n)*400,
			Weight: weightOfControls, // figures of next to nothing scatter
			Make: harness.Made(func(s *harness.Session) []*harness.Turns {
				return lists.Each(variants, func(r variant) *harness.Turns {
					return idleTurns(s, r, n, append([]any{"impl", r.Name, "waking", r.waking, "pending", n}, params(r)...))
				})
			}),
		}
	}
	for _, n := range idlePending(p) {
		all := variants(p)
		for _, name := range []string{rundata.ProcessControl, rundata.ProcessControl + rundata.AASuffix} {
			all = append(all, variant{Contestant: harness.Contestant{Name: name}, waking: rundata.NoWaking})
		}
		cells = append(cells, cell("idle", n, all, func(variant) []any { return nil }))
	}
	if compareWaiting(p) {
		cells = append(cells, cell("idle-waiting", slices.Max(others(p)), waitingVariants(p), func(r variant) []any { return []any{"waiting", r.name} }))
	}
	return cells
}

// idlePending returns the pending counts of idle cells: those of the plan, or the largest up to middling. A plan of
// everything has 0, 1, middling and the largest.
func idlePending(p *harness.Plan) []int {
	if p.PendingGiven || !p.Full {
		return p.Counts(middling)
	}
	counts := append(p.Counts(middling, math.MaxInt), 0, 1)
	slices.Sort(counts)
	return slices.Compact(counts)
}

// idleTurns has n timers pending, an hour away, and nothing happening.
func idleTurns(s *harness.Session, r variant, n int, params []any) *harness.Turns {
	c := &harness.Turns{Series: rundata.NewSeries(rundata.Idle, params...)}
	if r.Launch != nil {
		c.Turn = func(int) (int, rundata.Values, error) { return idleElsewhere(s, r, n) }
		return c
	}
	var timers started
	var pop livePopulation
	c.Build = func() (err error) {
		if r.waking != rundata.NoWaking { // the idle process has none
			if timers, err = r.start(time.Millisecond, idleHorizon); err != nil {
				return err
			}
			pop = timers.population(notYet)
			draw, random := uniform(0, time.Hour), s.Random(fmt.Sprint("idle", n))
			// A sorted list needs the order; the others do not care.
			if err := pop.fill(s.Ctx, n, ascending(n, func() time.Duration { return draw(random) })); err != nil {
				return err
			}
			time.Sleep(r.quiet(n))
		}
		// The runtime would return unneeded memory bit by bit, at 1 % of a core, into the first windows.
		debug.FreeOSMemory()
		time.Sleep(settling * s.Plan.Watch)
		return nil
	}
	c.Turn = func(int) (int, rundata.Values, error) {
		values := watch(timers.wakeups, rundata.WakeupsPerSecond, wholeTicks(s.Plan.Watch, r.tick))
		if timers.own != nil { // own timers do not count wake-ups
			delete(values, rundata.WakeupsPerSecond)
		}
		return 1, values, nil
	}
	if r.waking == rundata.NoWaking {
		return c
	}
	c.Holds = r.burden(s, n, delayBytes, time.Millisecond, idleHorizon)
	c.Done = func() {
		if pop != nil {
			pop.close()
			pop = nil
			s.Collect() // the next is not to be measured beside this one's garbage
		}
	}
	return c
}

const (
	// presetQuiet is longer than the tick of any preset. Presets with a queue move at most movedPerTick timers into the
	// scheduler in each tick.
	presetQuiet  = 150 * time.Millisecond
	movedPerTick = 100_000
)

// quiet returns the time until a variant with n new timers has nothing left to do.
func (r variant) quiet(n int) time.Duration {
	if !r.AsItIs() {
		return 0
	}
	return presetQuiet * time.Duration(1+n/movedPerTick)
}

// wholeTicks makes a slice longer to hold whole ticks: with two and a half, a window shows two wake-ups or three. A tick
// longer than the slice leaves it as it is.
func wholeTicks(slice, tick time.Duration) time.Duration {
	if tick <= 0 || tick > slice {
		return slice
	}
	return (slice + tick - 1) / tick * tick
}

// watch measures what the process uses while it sleeps for length. Under unit it adds the growth of count per second.
func watch(count func() float64, unit string, length time.Duration) rundata.Values {
	counted, start := count(), time.Now()
	values := watchUsage(live.ReadUsage, length)
	values[unit] = (count() - counted) / time.Since(start).Seconds()
	return values
}

// watchUsage measures what a process uses while this one sleeps for a while.
func watchUsage(usage func() (live.Usage, bool), length time.Duration) rundata.Values {
	start := time.Now()
	before, _ := usage()
	time.Sleep(length)
	after, _ := usage()
	took := time.Since(start).Seconds()
	return rundata.Values{
		rundata.CPUPerSecond:      float64(after.CPU-before.CPU) / took,
		rundata.SwitchesPerSecond: float64(after.Switches-before.Switches) / took,
	}
}
