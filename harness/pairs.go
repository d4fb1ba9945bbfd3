package harness

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/driver"
	"schedbench/live"
)

// Turns of AfterFunc and Stop on the real clock. Each turn makes a population,
// ages it, times what replaces timers in it, and lets it go, so that only one
// contestant's timers are alive at a time: the garbage collector, which runs as
// it does by default, then works for that contestant alone. See
// docs/decisions/0006.

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

// pairsTime returns how long a turn with n pending is expected to take.
func (p *Plan) pairsTime(n, goroutines int) time.Duration {
	const perLivePair = 250 * time.Nanosecond
	return time.Duration(2*n+p.pairOps(Contestant{}, n, goroutines))*perLivePair + putOff + 4*time.Millisecond
}

// livePairCells returns the cells of AfterFunc and Stop on the real clock, n pending
// in all, shared among one goroutine and, in a plan of everything, among two: as
// far as there is somebody to take part. What becomes of many goroutines is for
// Parallel.
func (p *Plan) livePairCells(n int) (cells []Cell) {
	for goroutines := 1; goroutines == 1 || goroutines == 2 && p.Every; goroutines++ {
		runners := withRunnerAgain(slices.DeleteFunc(p.tickless(), func(r runner) bool {
			return r.LinearInsert && p.tooSlow(n) || r.Preset && n > middling || n < goroutines
		}))
		if len(runners) == 0 {
			continue
		}
		name := fmt.Sprintf("cost-%s-%d-%d", OpLivePair, n, goroutines)
		cells = append(cells, p.pairsCell(Cost, name, runners, n, goroutines, func(r runner) *Series {
			return newSeries(Cost, "op", OpLivePair, "impl", r.Name, "pending", n, "delay", "uniform", "goroutines", goroutines)
		}))
	}
	return cells
}

// pairsCell returns a cell of live pairs: each runner's goroutines replace timers of
// their own, of n pending in all, through one driver. The fewest rounds will do, since
// each turn begins with a population of its own.
func (p *Plan) pairsCell(experiment, name string, runners []runner, n, goroutines int, of func(runner) *Series) Cell {
	return turnsCell(experiment, name, p.fewBlocks(), len(runners), p.pairsTime(n, goroutines), func(s *session) []*competitor {
		return each(runners, func(r runner) *competitor {
			return &competitor{series: of(r), turn: func(round int) (int, sample, error) {
				t := &pairsTurn{s: s, r: r, seed: s.random(fmt.Sprint(OpLivePair, n, goroutines, round)).Uint64()}
				return t.run(n, goroutines)
			}}
		})
	})
}

// pairsTurn is a turn of live pairs.
type pairsTurn struct {
	s    *session
	r    runner
	seed uint64

	d    *driver.Driver // nil for the runtime's own timers
	pops []livePopulation
}

// run makes a population, times the pairs, and checks the answers.
func (t *pairsTurn) run(n, goroutines int) (int, sample, error) {
	defer t.close()
	if err := t.fill(n/goroutines, goroutines); err != nil {
		return 0, nil, err
	}
	wrong := 0
	if !t.r.LinearInsert {
		wrong = t.churn(n / 2 / goroutines)
	}
	ops := max(t.s.plan.pairOps(t.r.Contestant, n, goroutines)/goroutines, 1)
	runtime.GC()
	before, metered := live.ReadUsage()
	took, w := timed(func() int { return t.churn(ops) })
	if err := t.s.ctx.Err(); err != nil {
		return 0, nil, err
	}
	wrong += w
	ops *= goroutines
	values := sample{NsPerOp: float64(took.Nanoseconds()) / float64(ops)}
	if metered {
		time.Sleep(putOff)
		after, _ := live.ReadUsage()
		values[CPUPerOp] = float64(after.CPU-before.CPU) / float64(ops)
	}
	return ops, values, unless(wrong == 0 && t.len() == n/goroutines*goroutines, wrongAnswers, wrong, ops, t.len(), n)
}

// fill makes a population of n for each goroutine, of one driver.
func (t *pairsTurn) fill(n, goroutines int) (err error) {
	if t.d, err = t.r.start(costTick, costGeometry(OpLivePair).Horizon); err != nil {
		return err
	}
	source := &splitMix{t.seed}
	for range goroutines {
		delays := source.delays(n)
		if t.r.LinearInsert { // see session.aged
			slices.Sort(delays)
		}
		pop := newLiveTimers(t.d, notYet)
		t.pops = append(t.pops, pop)
		if err := pop.fill(t.s.ctx, delays); err != nil {
			return err
		}
	}
	return nil
}

// churn replaces ops timers of each goroutine's, all at once, or fewer if the run
// is interrupted.
func (t *pairsTurn) churn(ops int) (wrong int) {
	t.seed++
	if len(t.pops) == 1 {
		return t.churnOne(t.pops[0], &splitMix{t.seed}, ops)
	}
	var sum atomic.Int64
	var wg sync.WaitGroup
	for i, pop := range t.pops {
		wg.Go(func() { sum.Add(int64(t.churnOne(pop, &splitMix{t.seed + uint64(i)<<32}, ops))) })
	}
	wg.Wait()
	return int(sum.Load())
}

// churnOne replaces ops timers of one goroutine's. It looks for an interruption
// so seldom that this takes no time that could be measured.
func (t *pairsTurn) churnOne(pop livePopulation, source *splitMix, ops int) (wrong int) {
	const atOnce = 1 << 16
	for ; ops > 0 && t.s.ctx.Err() == nil; ops -= atOnce {
		wrong += pop.churn(source, min(ops, atOnce))
	}
	return wrong
}

// len returns how many timers are pending, as the driver counts them.
func (t *pairsTurn) len() (n int) {
	if t.d != nil {
		return t.d.Len()
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
