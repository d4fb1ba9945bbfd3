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

const (
	idleHorizon = 2*time.Hour + time.Minute
	settling    = 4  // blocks: the rest of participants before the first one
	windows     = 24 // blocks, unless the plan gives a number: 6 that the host disturbs do not move the interval
)

func init() {
	register(harness.Experiment{Name: rundata.Idle, Cells: idleCells, Reads: "cpu p99 pending ticks"})
}

// idleCells returns a cell for each pending count, and none if the system does not count what a process uses. All
// participants are watched at the same time, each in a process that has only made its timers. The idle process is the A/A.
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
			Make: func(s *harness.Session) ([]*harness.Turns, error) {
				return lists.Each(variants, func(r variant) *harness.Turns {
					return idleTurns(s, r, n, append([]any{"impl", r.Name, "waking", r.waking, "pending", n}, params(r)...))
				}), nil
			},
		}
	}
	for _, n := range idlePending(p) {
		all := variants(p)
		for _, name := range []string{rundata.ProcessControl, rundata.ProcessControl + rundata.AASuffix} {
			all = append(all, variant{Contestant: harness.Contestant{Name: name, Runtime: true}, waking: rundata.NoWaking})
		}
		cells = append(cells, cell("idle", n, all, func(variant) []any { return nil }))
	}
	if compareWaiting(p) {
		cells = append(cells, cell("idle-waiting", slices.Max(others(p)), waitingVariants(p), func(r variant) []any { return []any{"waiting", r.name} }))
	}
	return cells
}

// idlePending returns the pending counts asked for, or the largest up to middling; in a full plan also 0, 1 and the largest.
func idlePending(p *harness.Plan) []int {
	if p.PendingGiven || !p.Full {
		return p.Counts(middling)
	}
	counts := append(p.Counts(middling, math.MaxInt), 0, 1)
	slices.Sort(counts)
	return slices.Compact(counts)
}

// idleTurns has n timers pending, an hour away, and nothing happening. The idle process has none.
func idleTurns(s *harness.Session, r variant, n int, params []any) *harness.Turns {
	c := &harness.Turns{Series: rundata.NewSeries(rundata.Idle, params...)}
	if r.Launch != nil {
		c.Turn = func(int) (int, rundata.Values, error) { return idleElsewhere(s, r, n) }
		return c
	}
	if r.waking == rundata.NoWaking {
		n = 0
	}
	var timers started
	var pop livePopulation
	c.Holds = n
	c.Build = func() (err error) {
		if timers, err = r.start(costTick, idleHorizon); err != nil {
			return err
		}
		pop = timers.population()
		pop.reserve(n)
		draw, random := uniform(0, time.Hour), s.Random(fmt.Sprint("idle", n))
		// A sorted list needs the order; the others do not care.
		sorted := ascending(n, func() time.Duration { return draw(random) })
		if err := pop.fill(look(s, n), n, sorted); err != nil {
			return err
		}
		if r.AsItIs() { // until it has nothing left to do
			time.Sleep(presetQuiet * time.Duration(1+n/movedPerTick))
		}
		// The runtime would return unneeded memory bit by bit, at 1 % of a core, into the first windows.
		debug.FreeOSMemory()
		time.Sleep(settling * s.Plan.Watch)
		return nil
	}
	c.Turn = func(int) (int, rundata.Values, error) {
		start, woken := time.Now(), timers.wakeups()
		values := watchUsage(live.ReadUsage, func() { time.Sleep(wholeTicks(s.Plan.Watch, r.tick)) })
		if timers.own == nil { // own timers do not count wake-ups
			values[rundata.WakeupsPerSecond] = (timers.wakeups() - woken) / time.Since(start).Seconds()
		}
		return 1, values, nil
	}
	c.Done = func() {
		if pop != nil {
			timers.close(pop)
			pop = nil
			s.Collect() // the next is not to be measured beside this one's garbage
		}
	}
	return c
}

const (
	presetQuiet  = 150 * time.Millisecond // longer than the tick of any preset
	movedPerTick = 100_000                // timers from the queue of a preset, at most
)

// wholeTicks makes a slice longer to hold whole ticks: 2.5 ticks would show two wake-ups or three.
func wholeTicks(slice, tick time.Duration) time.Duration {
	if tick <= 0 || tick > slice {
		return slice
	}
	return (slice + tick - 1) / tick * tick
}

func watchUsage(usage func() (live.Usage, bool), during func()) rundata.Values {
	start := time.Now()
	before, _ := usage()
	during()
	after, _ := usage()
	took := time.Since(start).Seconds()
	return rundata.Values{
		rundata.CPUPerSecond:      float64(after.CPU-before.CPU) / took,
		rundata.SwitchesPerSecond: float64(after.Switches-before.Switches) / took,
	}
}
