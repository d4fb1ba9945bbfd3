package experiments

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/quiet"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/live"
	"schedbench/schedulers"
)

// Each turn makes a population, ages it, times what replaces or moves timers in it, and lets it go: the timers of
// one contestant are alive at a time, and the garbage collector works for it alone. See docs/decisions/0006.

// putOff is how long a driver is left alone before its CPU time is read: what its worker put off is charged.
const putOff = 2 * time.Millisecond

// epochsOfPairs is how many epochs a timing lasts: what goes before and after takes far longer than one.
const epochsOfPairs = 3

// partsOfPairs is how many parts a timing has.
const partsOfPairs = 12

// liveOps returns how many operations a timing has, over all goroutines: that many at least. A sorted list does fewer, as
// in other cells.
func liveOps(p *harness.Plan, c harness.Contestant, n, least int) int {
	if c.LinearInsert {
		return ops(p, c, n)
	}
	return max(epochsOfPairs*int(p.Epoch/perOp), least)
}

// pairOps returns how many pairs a timing has. A contestant that leaves as much garbage as it holds is collected in them.
func pairOps(p *harness.Plan, c harness.Contestant, n int) int { return liveOps(p, c, n, n*3/2) }

// resetOps returns how many resets a timing has: each timer is moved once on average.
func resetOps(p *harness.Plan, c harness.Contestant, n int) int { return liveOps(p, c, n, n) }

const (
	// perLivePair is what a pair is taken to cost, and no reset costs more.
	perLivePair = 250 * time.Nanosecond
	// aroundPairs is what goes before and after operations that are timed together.
	aroundPairs = putOff + 4*time.Millisecond
)

// pairsTime returns how long a turn of pairs with n pending, and of resets if it has them, is expected to take.
func pairsTime(p *harness.Plan, n int, resets bool) time.Duration {
	ops, around := pairOps(p, harness.Contestant{}, n), aroundPairs
	if resets {
		ops, around = ops+resetOps(p, harness.Contestant{}, n), 2*around
	}
	return time.Duration(2*n+ops)*perLivePair + around
}

// livePairCells returns the cells of AfterFunc, Stop and Reset on the real clock, n pending
// in all, by one goroutine and by as many as there are processors. Other numbers of goroutines are for Parallel.
func livePairCells(p *harness.Plan, n int) (cells []harness.Cell) {
	for _, goroutines := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
		variants := harness.WithAA(slices.DeleteFunc(tickless(p), func(r variant) bool {
			return r.LinearInsert && (n > distributed && !p.PendingGiven || tooSlow(p, n)) || r.AsItIs() && n > middling || n < goroutines || r.AddOnly ||
				r.Launch != nil && goroutines > 1
		}))
		series := func(op string, r variant) *rundata.Series {
			return rundata.NewSeries(rundata.Cost, "op", op, "impl", r.Name, "pending", n, "delay", "uniform", "goroutines", goroutines)
		}
		name := fmt.Sprintf("cost-%s-%d-%d", rundata.OpLivePair, n, goroutines)
		cells = append(cells, pairsCells(p, rundata.Cost, name, n, variants, pairsTime(p, n, true), func(r variant) *pairsTurn {
			t := &pairsTurn{r: r, n: n, goroutines: goroutines, series: series(rundata.OpLivePair, r)}
			if r.resets() {
				t.resets = series(rundata.OpLiveReset, r)
			}
			if goroutines == 1 && weighed(p, n) && !r.Preset && !r.AddOnly {
				t.weighed = rundata.NewSeries(rundata.Memory, "impl", r.Name, "pending", n, "holding", rundata.HoldingFunctions)
			}
			return t
		})...)
	}
	return cells
}

// pairsCells returns a cell of live pairs, if there are variants: each variant's goroutines replace timers of their
// own, of n pending in all, through one driver. Each turn begins with a population of its own.
func pairsCells(p *harness.Plan, experiment, name string, n int, variants []variant, turn time.Duration, of func(variant) *pairsTurn) []harness.Cell {
	cell := harness.Cell{Experiment: experiment, Name: name, Most: harness.AtMost(n), Pending: n, Memory: harness.MemoryOf(n, 2)}
	cell.Make = harness.Made(func(s *harness.Session) []*harness.Turns {
		garbage := quiet.NewCollections()
		return lists.Each(variants, func(r variant) *harness.Turns {
			t := of(r)
			t.s, t.garbage = s, garbage
			c := &harness.Turns{Series: t.series, Turn: t.run, Holds: r.burden(s, t.n, 0, costTick, t.horizon())}
			if r.Launch != nil {
				c.Turn = t.runElsewhere
			}
			c.Also = slices.DeleteFunc([]*rundata.Series{t.resets, t.weighed}, func(also *rundata.Series) bool { return also == nil })
			return c
		})
	})
	return played{Cell: cell, variants: variants, turn: turn}.cells(p)
}

// pairsTurn are the turns of a variant's live pairs, of n pending in all.
type pairsTurn struct {
	s             *harness.Session
	r             variant
	n, goroutines int
	series        *rundata.Series
	resets        *rundata.Series // nil: there are none
	weighed       *rundata.Series // nil: timers are not weighed
	seed          uint64
	garbage       quiet.Collections

	timers started
	pops   []livePopulation
}

// horizon is how far ahead deadlines may lie.
func (t *pairsTurn) horizon() time.Duration {
	return costGeometry(rundata.OpLivePair, t.n, longest).Horizon
}

// run makes a population, times pairs and resets by turns, and checks the answers.
func (t *pairsTurn) run(round int) (ops int, values rundata.Values, err error) {
	t.seed = t.s.Random(fmt.Sprint(rundata.OpLivePair, t.n, t.goroutines, round)).Uint64()
	defer t.close()
	w := newScales(t.s, t.weighed, t.n, heapTaken)
	if err := t.fill(t.n/t.goroutines, t.goroutines, w); err != nil {
		return 0, nil, err
	}
	if !t.r.LinearInsert {
		if err := t.atOnce(livePopulation.churn, t.n/2/t.goroutines, false, func(p part) (bool, error) {
			return false, t.check(p.wrong, t.n/2)
		}); err != nil {
			return 0, nil, err
		}
	}
	if t.weighed != nil {
		churned := w.churned()
		weights := rundata.Values{rundata.GCNs: collect(t.s)}
		maps.Copy(weights, churned)
		t.weighed.Add(t.s.First, t.n, weights)
	}
	if ops, values, err = t.timed(livePopulation.churn, pairOps(t.s.Plan, t.r.Contestant, t.n)); err != nil || t.resets == nil {
		return ops, values, err
	}
	resets, of, err := t.timed(livePopulation.resets, resetOps(t.s.Plan, t.r.Contestant, t.n))
	if err == nil {
		t.resets.Add(t.s.First, resets, of)
	}
	return ops, values, err
}

// timed has the goroutines do ops operations in all, in parts, and returns how many there were and what each took.
func (t *pairsTurn) timed(do changeMany, ops int) (int, rundata.Values, error) {
	each := max(ops/partsOfPairs/t.goroutines, 1)
	all := quiet.Parts{Ops: each * t.goroutines}
	t.s.Collect()
	t.garbage.Start()
	cpu, metered := time.Duration(0), false
	spin := t.goroutines <= runtime.GOMAXPROCS(0) && !t.s.Plan.Rough // more would disturb each other
	err := t.atOnce(do, each, spin, func(p part) (bool, error) {
		if err := cmp.Or(t.s.Ctx.Err(), t.check(p.wrong, all.Ops)); err != nil {
			return false, err
		}
		all.Add(p.took, t.garbage.Ran())
		cpu += p.cpu
		metered = p.metered
		return all.Len() < ops, nil
	})
	if err != nil {
		return 0, nil, err
	}
	stretch := t.n
	if t.r.LinearInsert { // which does nothing but by the call, and few
		stretch = 1
	}
	values := rundata.Values{rundata.NsPerOp: all.PerOp(stretch)}
	if metered {
		before, _ := live.ReadUsage()
		time.Sleep(putOff)
		after, _ := live.ReadUsage()
		values[rundata.CPUPerOp] = float64(cpu+after.CPU-before.CPU) / float64(all.Len())
	}
	return all.Len(), values, nil
}

func (t *pairsTurn) check(wrong, ops int) error {
	return check.That(wrong == 0 && t.len() == t.n/t.goroutines*t.goroutines, wrongAnswers, wrong, ops, t.len(), t.n)
}

// fill makes a population of n for each goroutine, of one driver, and weighs it if there are scales.
func (t *pairsTurn) fill(n, goroutines int, w *scales) (err error) {
	if t.timers, err = t.r.start(costTick, t.horizon()); err != nil {
		return err
	}
	source := &splitMix{t.seed}
	draw := source.delay
	if t.r.LinearInsert { // see costed.aged; of all together, or the second would pass the first
		draw = ascending(n*goroutines, draw)
	}
	for range goroutines {
		pop := t.timers.population(notYet)
		t.pops = append(t.pops, pop)
		w.named(func() { pop.reserve(n) })
		if err := pop.fill(t.s.Ctx, n, draw); err != nil {
			return err
		}
	}
	w.filled()
	return nil
}

// len returns how many timers are pending, as the driver counts them.
func (t *pairsTurn) len() (n int) {
	if d := t.timers.driver; d != nil {
		return d.Len()
	}
	for _, p := range t.pops {
		n += p.len()
	}
	return n
}

// close stops what is pending, and with the first population the driver. It lets go of them: in the turns of others
// they would be marked in each collection.
func (t *pairsTurn) close() {
	for _, p := range t.pops {
		p.close()
	}
	t.timers, t.pops = started{}, nil
}

// shardsPerProcessor is how many shards a Sharded driver gets for each processor: with four, two goroutines at work are
// in the same one seldom, and a worker still looks at few.
const shardsPerProcessor = 4

// inboxes returns the inboxes that a contestant can be measured with.
func inboxes(c harness.Contestant) []policy {
	if c.Runtime {
		return []policy{{rundata.InboxRuntime, nil}}
	}
	list := []policy{{rundata.InboxLocked, []driver.Option{driver.WithInbox(driver.Locked{})}}}
	if c.Shard != nil {
		list = append(list, policy{rundata.InboxSharded, []driver.Option{driver.WithInbox(driver.Sharded{
			Shards: shardsPerProcessor * runtime.GOMAXPROCS(0),
			New: func() (schedulers.Scheduler[driver.Task], error) {
				return c.Shard(costGeometry(rundata.OpLivePair, 0, longest))
			},
		})}})
	}
	return append(list, policy{rundata.InboxQueued, []driver.Option{driver.WithInbox(driver.Queued{})}})
}

// parallelPending returns the pending counts of parallel cells.
func parallelPending(p *harness.Plan) []int {
	if p.Full {
		return p.Counts(1_000, middling)
	}
	return p.Counts(1_000)
}

// parallelCells returns a cell for each pending count and number of goroutines: the same pairs as OpLivePair, by
// goroutines that each have timers of their own, through every kind of inbox of one contestant, beside time.AfterFunc.
func parallelCells(p *harness.Plan) (cells []harness.Cell) {
	variants := harness.WithAA(variantsOf(representatives(p), inboxes))
	for _, n := range parallelPending(p) {
		for _, goroutines := range p.Goroutines {
			if n < goroutines {
				continue
			}
			name := fmt.Sprintf("parallel-%d-%d", n, goroutines)
			cells = append(cells, pairsCells(p, rundata.Parallel, name, n, variants, pairsTime(p, n, false), func(r variant) *pairsTurn {
				series := rundata.NewSeries(rundata.Parallel, "impl", r.Name, "inbox", r.name, "pending", n, "goroutines", goroutines)
				return &pairsTurn{r: r, n: n, goroutines: goroutines, series: series}
			})...)
		}
	}
	return cells
}
