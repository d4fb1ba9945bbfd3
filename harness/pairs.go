package harness

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/live"
)

// Turns of AfterFunc, Stop and Reset on the real clock. Each turn makes a population,
// ages it, times what replaces or moves timers in it, and lets it go, so that only one
// contestant's timers are alive at a time: the garbage collector, which runs as
// it does by default, then works for that contestant alone. See
// docs/decisions/0006.

// OpLiveReset is an operation of cost cells that comes with OpLivePair: Reset through the
// driver.
const OpLiveReset = "live-reset"

// putOff is how long a driver is left alone after the last operation before its
// CPU time is read: what its worker has put off is charged too.
const putOff = 5 * time.Millisecond

// pairOps returns how many pairs a turn has, over all goroutines. A contestant
// that leaves as much garbage as it holds is collected twice in them; a sorted
// list does fewer, as in other cells. Goroutines get longer: the first may be
// done before the system runs the last.
func (p *Plan) pairOps(c Contestant, n, goroutines int) int {
	if c.LinearInsert {
		return p.ops(c, n)
	}
	ops := int(p.Epoch / perOp)
	if goroutines > 1 {
		ops *= 4
	}
	return max(ops, n*5/2)
}

// resetOps returns how many resets a turn has: so many that each timer is moved once on
// average, or as many as a sorted list can do.
func (p *Plan) resetOps(c Contestant, n int) int {
	if c.LinearInsert {
		return p.ops(c, n)
	}
	return max(int(p.Epoch/perOp), n)
}

const (
	// perLivePair is what a pair is taken to cost, and no reset costs more.
	perLivePair = 250 * time.Nanosecond
	// aroundPairs is what goes before and after operations that are timed together.
	aroundPairs = putOff + 4*time.Millisecond
)

// pairsTime returns how long a turn of pairs with n pending is expected to take.
func (p *Plan) pairsTime(n, goroutines int) time.Duration {
	return time.Duration(2*n+p.pairOps(Contestant{}, n, goroutines))*perLivePair + aroundPairs
}

// livePairCells returns the cells of AfterFunc, Stop and Reset on the real clock, n pending
// in all, shared among one goroutine and, in a plan of everything, among two: as
// far as there is somebody to take part. What becomes of many goroutines is for
// Parallel.
func (p *Plan) livePairCells(n int) (cells []Cell) {
	for goroutines := 1; goroutines == 1 || goroutines == 2 && p.Every; goroutines++ {
		runners := withRunnerAgain(slices.DeleteFunc(p.tickless(), func(r runner) bool {
			return r.LinearInsert && p.tooSlow(n) || r.asItIs() && n > middling || n < goroutines || r.AddOnly ||
				r.Launch != nil && goroutines > 1
		}))
		if len(runners) == 0 {
			continue
		}
		series := func(op string, r runner) *Series {
			return newSeries(Cost, "op", op, "impl", r.Name, "pending", n, "delay", "uniform", "goroutines", goroutines)
		}
		name := fmt.Sprintf("cost-%s-%d-%d", OpLivePair, n, goroutines)
		turn := p.pairsTime(n, goroutines) + time.Duration(p.resetOps(Contestant{}, n))*perLivePair + aroundPairs
		cells = append(cells, p.pairsCell(Cost, name, n, runners, turn, func(r runner) *pairsTurn {
			t := &pairsTurn{r: r, n: n, goroutines: goroutines, series: series(OpLivePair, r)}
			if r.resets() {
				t.resets = series(OpLiveReset, r)
			}
			return t
		}))
	}
	return cells
}

// pairsCell returns a cell of live pairs: each runner's goroutines replace timers of
// their own, of n pending in all, through one driver. The fewest blocks will do, since
// each turn begins with a population of its own.
func (p *Plan) pairsCell(experiment, name string, n int, runners []runner, turn time.Duration, of func(runner) *pairsTurn) Cell {
	blocks := p.atMost(p.fewBlocks(), n)
	return turnsCell(experiment, name, blocks, len(runners), turn, func(s *session) []*competitor {
		return each(runners, func(r runner) *competitor {
			t := of(r)
			t.s = s
			made := func() (population, error) {
				timers, err := r.start(costTick, t.horizon())
				return timers.population(notYet), err
			}
			turn := t.run
			if r.Launch != nil {
				turn = t.runElsewhere
			}
			c := &competitor{series: t.series, turn: turn, holds: burdenOf(r.Contestant, t.n, made)}
			if t.resets != nil {
				c.also = []*Series{t.resets}
			}
			return c
		})
	}).launching(blocks, runners)
}

// pairsTurn are the turns of a runner's live pairs, of n pending in all.
type pairsTurn struct {
	s             *session
	r             runner
	n, goroutines int
	series        *Series
	resets        *Series // nil: there are none
	seed          uint64

	timers started
	pops   []livePopulation
}

// horizon is how far ahead deadlines may lie.
func (t *pairsTurn) horizon() time.Duration { return costGeometry(OpLivePair, t.n).Horizon }

// run makes a population, times the pairs and the resets, now these and now those first,
// and checks the answers.
func (t *pairsTurn) run(round int) (ops int, values sample, err error) {
	t.timers, t.pops, t.seed = started{}, nil, t.s.random(fmt.Sprint(OpLivePair, t.n, t.goroutines, round)).Uint64()
	defer t.close()
	if err := t.fill(t.n/t.goroutines, t.goroutines); err != nil {
		return 0, nil, err
	}
	if !t.r.LinearInsert {
		if err := t.check(t.atOnce(livePopulation.churn, t.n/2/t.goroutines), t.n/2); err != nil {
			return 0, nil, err
		}
	}
	pairs := func() (err error) {
		ops, values, err = t.timed(livePopulation.churn, t.s.plan.pairOps(t.r.Contestant, t.n, t.goroutines))
		return err
	}
	resets := func() error {
		if t.resets == nil {
			return nil
		}
		ops, values, err := t.timed(livePopulation.resets, t.s.plan.resetOps(t.r.Contestant, t.n))
		if err == nil {
			t.resets.add(ops, values)
		}
		return err
	}
	parts := []func() error{pairs, resets}
	if round%2 == 1 {
		slices.Reverse(parts)
	}
	for _, part := range parts {
		if err := part(); err != nil {
			return 0, nil, err
		}
	}
	return ops, values, nil
}

// timed has the goroutines do ops operations in all, and returns how many they did, and
// what each took.
func (t *pairsTurn) timed(do changeMany, ops int) (int, sample, error) {
	perGoroutine := max(ops/t.goroutines, 1)
	ops = perGoroutine * t.goroutines
	runtime.GC()
	before, metered := live.ReadUsage()
	took, wrong := timed(func() int { return t.atOnce(do, perGoroutine) })
	if err := t.s.ctx.Err(); err != nil {
		return 0, nil, err
	}
	values := sample{NsPerOp: float64(took.Nanoseconds()) / float64(ops)}
	if metered {
		time.Sleep(putOff)
		after, _ := live.ReadUsage()
		values[CPUPerOp] = float64(after.CPU-before.CPU) / float64(ops)
	}
	return ops, values, t.check(wrong, ops)
}

// check returns an error if some of the answers to operations were wrong.
func (t *pairsTurn) check(wrong, ops int) error {
	return unless(wrong == 0 && t.len() == t.n/t.goroutines*t.goroutines, wrongAnswers, wrong, ops, t.len(), t.n)
}

// fill makes a population of n for each goroutine, of one driver.
func (t *pairsTurn) fill(n, goroutines int) (err error) {
	if t.timers, err = t.r.start(costTick, t.horizon()); err != nil {
		return err
	}
	source := &splitMix{t.seed}
	draw := source.delay
	if t.r.LinearInsert { // see session.aged; of all together, or the second would pass the first
		draw = ascending(n*goroutines, draw)
	}
	for range goroutines {
		pop := t.timers.population(notYet)
		t.pops = append(t.pops, pop)
		if err := pop.fill(t.s.ctx, n, draw); err != nil {
			return err
		}
	}
	return nil
}

// changeMany is a method of a population that changes ops of its timers.
type changeMany func(pop livePopulation, source *splitMix, ops int) (wrong int)

// atOnce changes ops timers of each goroutine's, all at once, or fewer if the run
// is interrupted.
func (t *pairsTurn) atOnce(do changeMany, ops int) (wrong int) {
	t.seed++
	if len(t.pops) == 1 {
		return t.inParts(do, t.pops[0], &splitMix{t.seed}, ops)
	}
	var sum atomic.Int64
	var wg sync.WaitGroup
	for i, pop := range t.pops {
		wg.Go(func() { sum.Add(int64(t.inParts(do, pop, &splitMix{t.seed + uint64(i)<<32}, ops))) })
	}
	wg.Wait()
	return int(sum.Load())
}

// inParts changes ops timers of one goroutine's. It looks for an interruption
// so seldom that this takes no time that could be measured.
func (t *pairsTurn) inParts(do changeMany, pop livePopulation, source *splitMix, ops int) (wrong int) {
	const part = 1 << 16
	for ; ops > 0 && t.s.ctx.Err() == nil; ops -= part {
		wrong += do(pop, source, min(ops, part))
	}
	return wrong
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

// close stops what is pending, and with the first population the driver.
func (t *pairsTurn) close() {
	for _, p := range t.pops {
		p.close()
	}
}
