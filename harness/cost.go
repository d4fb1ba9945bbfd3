package harness

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"schedbench/schedulers"
)

// Cost asks what single operations cost.
const Cost = "Cost"

// The operations of cost cells.
const (
	OpInsert   = "insert"    // insert into what is pending
	OpPair     = "pair"      // cancel a random pending timer and insert another
	OpReset    = "reset"     // move a random pending timer to another deadline
	OpExpire   = "expire"    // run timers out, an Expire for each millisecond
	OpRunout   = "runout"    // insert timers and run them out
	OpTick     = "tick"      // an Expire with nothing due
	OpLivePair = "live-pair" // AfterFunc and Stop through the driver
)

// Ops lists the operations of cost cells. OpExpire comes with OpRunout.
func Ops() []string { return []string{OpPair, OpInsert, OpReset, OpRunout, OpTick, OpLivePair} }

const (
	// middling is the largest pending count for which a plan that is not of
	// everything has all delay distributions, and operations that take long.
	middling = 100_000
	// rounds of a population above middling are as few as give an interval.
	fewestRounds = 6

	costTick = time.Millisecond
	// perOp is what an operation is taken to cost when the length of an epoch
	// is turned into a count, the same for all contestants.
	perOp = 100 * time.Nanosecond
	// perVisit is what passing one node of a sorted list is taken to cost.
	perVisit = 4 * time.Nanosecond
)

// costGeometry fits the delays of a cost cell and the time of arrival.
func costGeometry(op string) Geometry {
	g := Geometry{Tick: costTick, Horizon: longest + time.Minute}
	if op == OpTick || op == OpLivePair { // deadlines lie notYet further ahead
		g.Horizon += notYet
	}
	return g
}

// costCells returns a cell for each operation, pending count and distribution
// that somebody can take part in.
func (p *Plan) costCells() (cells []Cell) {
	for _, op := range p.Ops {
		for _, n := range p.Pending {
			switch {
			case op == OpRunout:
				cells = append(cells, p.runoutCells(n)...)
			case op == OpLivePair && p.takes(n):
				cells = append(cells, p.livePairCells(n)...)
			case op != OpLivePair && len(p.costContestants(op, n)) > 1: // the control is not alone
				for _, d := range p.delaysOf(op, n) {
					cells = append(cells, p.costCell(op, n, d))
				}
			}
		}
	}
	return cells
}

// delaysOf returns the delay distributions with which an operation is measured.
func (p *Plan) delaysOf(op string, n int) []string {
	switch {
	case op == OpTick && p.takes(n):
		return []string{"uniform"}
	case op == OpTick:
		return nil
	case p.Every || op == OpPair && p.takes(n):
		return p.Delays
	}
	return p.Delays[:min(1, len(p.Delays))]
}

// takes reports whether a plan has cells that take long with n pending.
func (p *Plan) takes(n int) bool { return p.Every || p.Asked || n <= middling }

// costCell returns the cell of an operation on a population of n.
func (p *Plan) costCell(op string, n int, delayName string) Cell {
	contestants := p.costContestants(op, n)
	fill := time.Duration(n) * 200 * time.Nanosecond
	return Cell{
		Experiment: Cost,
		Name:       fmt.Sprintf("cost-%s-%d-%s", op, n, delayName),
		Time:       time.Duration(len(contestants)) * (fill + time.Duration(p.rounds(n))*p.Epoch),
		run:        func(s *session) ([]*Series, error) { return s.cost(contestants, op, n, delayName) },
	}.withoutGC()
}

// fewRounds returns how many rounds a cell has that does with as few as give an interval.
func (p *Plan) fewRounds() int { return min(p.Rounds, fewestRounds) }

// rounds returns how many rounds a cell of n has.
func (p *Plan) rounds(n int) int {
	if n > middling {
		return p.fewRounds()
	}
	return p.Rounds
}

// costContestants returns who takes part in a cell: the control and those who
// can, and for pairs one of them a second time.
func (p *Plan) costContestants(op string, n int) []Contestant {
	list := append([]Contestant{emptyContestant()}, p.which(func(c Contestant) bool {
		return c.virtual() && !(c.LinearInsert && p.tooSlow(n)) && !(c.Runtime && op == OpTick)
	})...)
	if op == OpPair && len(list) > 1 {
		list = withAgain(list)
	}
	return list
}

// tooSlow reports whether the cell of a sorted list of n takes too long, at the
// fewest operations that are worth a sample.
func (p *Plan) tooSlow(n int) bool {
	return time.Duration(n)*perVisit*fewestOps*time.Duration(p.rounds(n)) > p.ListCell
}

const fewestOps = 32

// ops returns how many operations an epoch has for a contestant.
func (p *Plan) ops(c Contestant, n int) int {
	ops := max(int(p.Epoch/perOp), fewestOps)
	if c.LinearInsert {
		return min(ops, max(int(p.Epoch/(time.Duration(n)*perVisit)), fewestOps))
	}
	return ops
}

// cost runs a cost cell.
func (s *session) cost(contestants []Contestant, op string, n int, delayName string) ([]*Series, error) {
	draw, err := delayOf(delayName)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprint(op, n, delayName)
	further := time.Duration(0)
	if op == OpTick {
		further = notYet
	}
	r := s.random(name)
	delays := drawn(n, func() time.Duration { return draw(r) + further })
	var competitors []*competitor
	for _, c := range contestants {
		pop, err := newVirtual(c, costGeometry(op))
		if err != nil {
			free(competitors)
			return nil, err
		}
		series := newSeries(Cost, "op", op, "impl", c.Name, "pending", n, "delay", delayName)
		// Each contestant draws from a source of its own, seeded alike, so all
		// make the same replacements in the same order.
		turn := s.costTurn(pop, c, op, n, draw, s.random(name+"script"))
		competitors = append(competitors, &competitor{series: series, turn: turn, done: pop.close})
		if err := s.aged(pop, c, op, delays, draw, s.random(name+"age")); err != nil {
			free(competitors)
			return nil, fmt.Errorf("%s: %w", series.Name(), err)
		}
	}
	return interleave(s, s.plan.rounds(n), competitors)
}

// aged fills a population, and replaces half of it before it is measured. Fresh ones lie
// in memory in the order of insertion, and a scheduler that cancels lazily has
// nothing to clean up in them: both would flatter. A sorted list is filled in the order of
// deadlines, since it would take n²/3 steps otherwise, and stays fresh.
func (s *session) aged(pop population, c Contestant, op string, delays []time.Duration, draw delay, r *rand.Rand) error {
	if c.LinearInsert {
		return pop.fill(s.ctx, slices.Sorted(slices.Values(delays)))
	}
	err := pop.fill(s.ctx, delays)
	rs := newReplacements(1 << 12)
	for done := 0; err == nil && op != OpTick && done < len(delays)/2; done += len(rs.picks) {
		rs.draw(r, len(delays), draw)
		var wrong int
		if wrong, err = s.replace(pop, rs); wrong > 0 {
			return fmt.Errorf("%d operations gave a wrong answer", wrong)
		}
	}
	return err
}

// costTurn returns the turn of a competitor: an epoch, timed and checked.
func (s *session) costTurn(pop population, c Contestant, op string, n int, draw delay, r *rand.Rand) func(int) (int, sample, error) {
	if op == OpTick {
		c.LinearInsert = false // nothing is inserted, so a list need not do fewer
	}
	rs := newReplacements(s.plan.ops(c, n))
	tick := time.Duration(0)
	return func(int) (int, sample, error) {
		rs.draw(r, n, draw)
		runtime.GC() // fresh memory from the system would be timed otherwise
		before, metered := pop.work()
		var took time.Duration
		var wrong int
		ops := len(rs.picks)
		switch op {
		case OpPair:
			took, wrong = timed(func() int { return pop.pairs(rs) })
		case OpReset:
			took, wrong = timed(func() int { return pop.resets(rs) })
		case OpInsert:
			took, ops, wrong = inserts(pop, rs.delays, n)
		case OpTick:
			ops = min(ops, int(shortest/costTick))
			took, wrong = timed(func() int { return idleTicks(pop, &tick, ops) })
		}
		values := sample{NsPerOp: float64(took.Nanoseconds()) / float64(ops)}
		if metered {
			after, _ := pop.work()
			addWork(values, after.Sub(before), float64(ops))
		}
		return ops, values, unless(wrong == 0 && (pop.len() == n || c.Name == EmptyControl), wrongAnswers, wrong, ops, pop.len(), n)
	}
}

const wrongAnswers = "%d of %d operations gave a wrong answer, %d are pending, want %d"

// timed returns how long f took and what it returned.
func timed(f func() int) (time.Duration, int) {
	start := time.Now()
	wrong := f()
	return time.Since(start), wrong
}

// inserts times insertions into a population of n, a few at a time, so that n
// stays about what it is. The timers are cancelled off the clock.
func inserts(pop population, delays []time.Duration, n int) (took time.Duration, ops, wrong int) {
	batch := max(n/8, 32)
	for len(delays) > ops {
		part := delays[ops:min(ops+batch, len(delays))]
		t, w := timed(func() int { return pop.add(part) })
		took += t
		wrong += w + pop.drop()
		ops += len(part)
	}
	return took, ops, wrong
}

// idleTicks calls Expire for each of some ticks, when nothing is due.
func idleTicks(p population, now *time.Duration, ticks int) (wrong int) {
	s := p.(*virtual).s
	due := make([]uint64, 16)
	for range ticks {
		*now += costTick
		wrong += s.Expire(*now, due)
	}
	return wrong
}

// addWork adds the counts of work done to values.
func addWork(values sample, w schedulers.Work, ops float64) {
	for unit, count := range map[string]uint64{
		VisitsPerOp: w.Visits, MovesPerOp: w.Moves, LevelsPerOp: w.Levels,
		SlotsPerOp: w.Slots, CascadesPerOp: w.Cascades, SweptPerOp: w.Swept,
	} {
		values[unit] = float64(count) / ops
	}
}
