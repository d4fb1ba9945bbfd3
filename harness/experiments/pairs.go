package experiments

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/quiet"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/schedulers"
)

// All populations of a cell are alive at once, and turns take 1 ms: a slow machine slows all. See docs/decisions/0041.

const (
	turnsOfPairs = 8                     // of a contestant in a block, each at least an epoch
	perLivePair  = 250 * time.Nanosecond // assumed for a pair. No reset costs more
	aroundPairs  = putOff + 100*time.Microsecond
	fewWarm      = 1 << 10
)

// liveOps returns the number of timed operations of a contestant in a block, over all goroutines: n/2, at least an epoch
// for each turn. A sorted list does fewer, as in other cells.
func liveOps(p *harness.Plan, c harness.Contestant, n int) int {
	if c.LinearInsert {
		return ops(p, c, n)
	}
	return max(turnsOfPairs*int(p.Epoch/perOp), n/2)
}

// warmOps returns how many operations warm the caches before the timed ones of a turn: few where not all timers fit.
func warmOps(n, ops int) int {
	if n > distributed {
		return fewWarm
	}
	return min(n, ops/turnsOfPairs)
}

// livePairCells returns the cells of live pairs and resets, n pending in all, by one goroutine and by as many as processors.
// Contestants that take all turns of a block at once have cells of their own: they take up to ten times as long as the others.
func livePairCells(p *harness.Plan, n int) (cells []harness.Cell) {
	variants := pairVariants(p, n)
	together := lists.Only(variants, func(r variant) bool { return !r.AsItIs() })
	apart := lists.Only(variants, func(r variant) bool { return r.AsItIs() })
	for _, goroutines := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
		if n < goroutines {
			continue
		}
		name := fmt.Sprintf("cost-%s-%d-%d", rundata.OpLivePair, n, goroutines)
		of := pairsCell{
			Cell: harness.Cell{Experiment: rundata.Cost, Name: name, Pending: n}, goroutines: goroutines, variants: withAA(together),
			series: func(r variant) []*rundata.Series {
				ops := []string{rundata.OpLivePair, rundata.OpLiveReset}
				if r.Open != nil || r.Launch != nil { // they have no Reset
					ops = ops[:1]
				}
				return lists.Each(ops, func(op string) *rundata.Series {
					return rundata.NewSeries(rundata.Cost, "op", op, "impl", r.Name, "pending", n, "delay", "uniform", "goroutines", goroutines)
				})
			},
		}
		cells = append(cells, of.cells(p)...)
		of.others = memoryOfTurns(len(of.variants), n)
		of.Name, of.Weight, of.Apart = name+"-apart", weightToExplain, true
		of.variants = lists.Only(apart, func(r variant) bool { return r.Launch == nil || goroutines == 1 })
		if len(together) == 0 {
			of.variants = withAA(of.variants)
		}
		cells = append(cells, of.cells(p)...)
	}
	return cells
}

func pairVariants(p *harness.Plan, n int) []variant {
	return slices.DeleteFunc(tickless(p), func(r variant) bool {
		return r.LinearInsert && n > distributed && !p.PendingGiven || tooSlow(p, r.Contestant, fewestPassed(n)) || r.AsItIs() && n > middling || r.AddOnly
	})
}

// pairsCell is a cell of live pairs, and of resets if there is a second series. The goroutines of a variant share n timers
// and one driver.
type pairsCell struct {
	harness.Cell
	goroutines int
	variants   []variant
	series     func(variant) []*rundata.Series
	others     int // bytes of caches that others would fill between two turns, if it is Apart
}

func (c pairsCell) cells(p *harness.Plan) []harness.Cell {
	phases := lists.Most(c.variants, func(r variant) int { return len(c.series(r)) })
	c.Rounds = phases * turnsOfPairs
	ops := liveOps(p, harness.Contestant{}, c.Pending)
	pairs := 3*c.Pending/2 + phases*ops + c.Rounds*warmOps(c.Pending, ops)
	turn := time.Duration(pairs)*perLivePair + time.Duration(c.Rounds)*aroundPairs
	return shared{c.Cell, c.variants, turn, func(s *harness.Session) (func(variant) *harness.Turns, error) {
		crew := newCrew(p, c.goroutines)
		return func(r variant) *harness.Turns {
			return (&pairsTurn{s: s, r: r, n: c.Pending, goroutines: c.goroutines, crew: crew, others: c.others}).participant(c.series(r))
		}, nil
	}}.cells(p)
}

type pairsTurn struct {
	s             *harness.Session
	r             variant
	n, goroutines int
	phases        []pairsPhase
	crew          *crew
	seed          uint64
	others        int      // bytes of caches that others fill between two turns
	caches        []uint64 // which they would fill

	timers started
	pops   []livePopulation
}

func (t *pairsTurn) participant(series []*rundata.Series) *harness.Turns {
	for i, of := range series {
		t.phases = append(t.phases, pairsPhase{series: of, do: []changeMany{livePopulation.churn, livePopulation.resets}[i]})
	}
	turns := &harness.Turns{
		Series: series[0], Also: series[1:], Holds: t.n,
		Build: t.build, Turn: adding(t.turn), Done: t.close,
	}
	if t.r.Launch != nil {
		turns.Build, turns.Turn = nil, t.runElsewhere
	}
	return turns
}

func (t *pairsTurn) horizon() time.Duration {
	return costGeometry(rundata.OpLivePair, t.n, longest).Horizon
}

func (t *pairsTurn) build() error {
	t.seed = t.s.Random(fmt.Sprint(rundata.OpLivePair, t.n, t.goroutines, t.s.First)).Uint64()
	err := t.fill(nil)
	t.caches = make([]uint64, t.others/8)
	return err
}

// turn times pairs in the first rounds of a block, and resets in the others.
func (t *pairsTurn) turn(round int) error {
	i := round % harness.RoundsApart
	if i/turnsOfPairs == len(t.phases) { // a contestant without Reset has no turns of resets
		return nil
	}
	for at := 0; at < len(t.caches); at += 8 { // a cache line
		t.caches[at]++
	}
	phase := &t.phases[i/turnsOfPairs]
	t.crew.begin(t.s)
	err := t.timed(phase)
	if err == nil && (i+1)%turnsOfPairs == 0 {
		t.add(phase)
	}
	return err
}

// leavesGarbage is the least garbage, in bytes, of a timed part whose operations leave garbage. The harness leaves less.
const leavesGarbage = 1 << 12

// timed lets the goroutines change timers for a turn. A contestant that leaves garbage goes on until it has left its share
// of what makes a collection due: on average it has one collection in a block. The turn goes on while garbage is collected,
// which charges the contestant that began it, and ends at the garbage of a whole collection, when the next is due. Only
// the first part finds the caches as for others: see docs/decisions/0050.
func (t *pairsTurn) timed(phase *pairsPhase) error {
	ops := liveOps(t.s.Plan, t.r.Contestant, t.n)
	each := max(ops/turnsOfPairs/t.goroutines, 1)
	phase.parts.Ops = each * t.goroutines
	phase.cpu.Ops = phase.parts.Ops
	phase.parts.NewTurn()
	phase.cpu.NewTurn()
	if warm := warmOps(t.n, ops) / t.goroutines; warm > 0 && !t.r.LinearInsert {
		if p := t.crew.work(t, phase.do, warm); p.wrong > 0 {
			return t.check(p.wrong, warm*t.goroutines)
		}
	}
	t.crew.garbage.Start()
	for begun, more := quiet.Allocated(), true; more; {
		before := quiet.Allocated()
		p := t.crew.work(t, phase.do, each)
		if err := cmp.Or(t.s.Ctx.Err(), t.check(p.wrong, phase.parts.Ops)); err != nil {
			return err
		}
		collected, after := t.crew.garbage.Ran(), quiet.Allocated()
		phase.parts.Add(p.took, collected)
		phase.cpu.Add(p.cpu, collected)
		left := after - begun
		more = collected && left < turnsOfPairs*t.crew.share || after-before > leavesGarbage && left < t.crew.share
	}
	return nil
}

func (t *pairsTurn) check(wrong, ops int) error {
	return check.That(wrong == 0 && t.len() == t.n/t.goroutines*t.goroutines, wrongAnswers, wrong, ops, t.len(), t.n)
}

// fill makes a population for each goroutine, of one driver, and weighs it if there are scales. Then it replaces half of the
// timers: fresh ones lie in memory in the order of insertion.
func (t *pairsTurn) fill(w *scales) (err error) {
	if t.timers, err = t.r.start(costTick, t.horizon()); err != nil {
		return err
	}
	n, source := t.n/t.goroutines, &splitMix{t.seed}
	draw := source.delay
	if t.r.LinearInsert { // see costed.build; sorted over all goroutines
		draw = ascending(n*t.goroutines, draw)
	}
	for range t.goroutines {
		pop := t.timers.population()
		t.pops = append(t.pops, pop)
		w.named(pop.reserve(n))
	}
	look := look(t.s, t.n)
	for _, pop := range t.pops {
		if err := pop.fill(look, n, draw); err != nil {
			return err
		}
	}
	if w.weigh(rundata.BytesPerTimer); t.r.LinearInsert {
		return nil
	}
	for _, pop := range t.pops {
		t.seed++
		wrong := t.inParts(livePopulation.churn, pop, &splitMix{t.seed}, t.n/2/t.goroutines)
		if err := cmp.Or(t.s.Ctx.Err(), t.check(wrong, t.n/2/t.goroutines)); err != nil {
			return err
		}
	}
	return nil
}

func (t *pairsTurn) len() (n int) {
	if d := t.timers.driver; d != nil {
		return d.Len()
	}
	for _, p := range t.pops {
		n += p.len()
	}
	return n
}

// close stops what is pending, and the driver. It drops them, or collections would mark them.
func (t *pairsTurn) close() {
	t.crew.end()
	t.timers.close(t.pops...)
	t.timers, t.pops, t.caches = started{}, nil, nil
}

// shardsPerProcessor is so large that two goroutines seldom meet in a shard, and so small that the worker has few.
const shardsPerProcessor = 4

func inboxes(c harness.Contestant) []policy {
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

func init() {
	register(harness.Experiment{Name: rundata.Parallel, Cells: parallelCells, Reads: "pending"})
}

// atOnce returns how many goroutines call at once: 1, 2, 4 and so on, up to one for each processor. More would begin and
// end one after another.
func atOnce() (goroutines []int) {
	most := runtime.GOMAXPROCS(0)
	for n := 1; n < most; n *= 2 {
		goroutines = append(goroutines, n)
	}
	return append(goroutines, most)
}

// parallelCells returns the cells of live pairs through each kind of inbox of one contestant, and of time.AfterFunc.
func parallelCells(p *harness.Plan) (cells []harness.Cell) {
	variants := withAA(variantsOf(representatives(p), inboxes))
	for _, n := range p.Counts(inFull(p, 1_000, middling)...) {
		for _, goroutines := range atOnce() {
			if n < goroutines {
				continue
			}
			cell := harness.Cell{Experiment: rundata.Parallel, Name: fmt.Sprintf("parallel-%d-%d", n, goroutines), Pending: n, Weight: weightToExplain}
			cells = append(cells, pairsCell{Cell: cell, goroutines: goroutines, variants: variants, series: func(r variant) []*rundata.Series {
				return []*rundata.Series{rundata.NewSeries(rundata.Parallel, "impl", r.Name, "inbox", r.name, "pending", n, "goroutines", goroutines)}
			}}.cells(p)...)
		}
	}
	return cells
}
