package harness

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"time"

	"schedbench/schedulers"
)

// Cost asks what single operations cost.
const Cost = "Cost"

func costExperiment() Experiment {
	return Experiment{Name: Cost, Unit: NsPerOp, Control: EmptyControl, cells: (*Plan).costCells}
}

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
func (p *Plan) costCells() []Cell {
	var cells []Cell
	for _, op := range p.Ops {
		for _, n := range p.Pending {
			switch op {
			case OpRunout:
				cells = append(cells, p.runoutCells(n)...)
			case OpTick:
				if p.contested(op, n) && p.takes(n) {
					cells = append(cells, p.costCell(op, n, "uniform"))
				}
			case OpLivePair:
				if p.takes(n) {
					cells = append(cells, p.livePairCells(n)...)
				}
			default:
				for i, d := range p.Delays {
					if p.contested(op, n) && (p.Every || i == 0 || op == OpPair && p.takes(n)) {
						cells = append(cells, p.costCell(op, n, d))
					}
				}
			}
		}
	}
	return cells
}

// takes reports whether a plan has cells that take long with n pending.
func (p *Plan) takes(n int) bool { return p.Every || p.Asked || n <= middling }

// contested reports whether the control is not alone in a cost cell.
func (p *Plan) contested(op string, n int) bool { return len(p.costContestants(op, n)) > 1 }

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

// rounds returns how many rounds a cell of n has.
func (p *Plan) rounds(n int) int {
	if n > middling {
		return min(p.Rounds, fewestRounds)
	}
	return p.Rounds
}

// costContestants returns who takes part in a cell: the control and those who
// can, and for pairs one of them a second time.
func (p *Plan) costContestants(op string, n int) []Contestant {
	list := []Contestant{emptyContestant()}
	for _, c := range p.Contestants {
		if c.LinearInsert && p.tooSlow(n) || c.Runtime && op == OpTick || !c.virtual() {
			continue
		}
		list = append(list, c)
	}
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
	delays := make([]time.Duration, n)
	for i, r := 0, s.random(name); i < n; i++ {
		delays[i] = draw(r)
		if op == OpTick {
			delays[i] += notYet
		}
	}
	var competitors []*competitor
	for _, c := range contestants {
		e, err := s.costCompetitor(c, op, delays, delayName)
		if err != nil {
			free(competitors)
			return nil, err
		}
		if !c.LinearInsert && op != OpTick {
			if err := s.age(e.population, n, draw, s.random(name+"age")); err != nil {
				free(append(competitors, &e.competitor))
				return nil, fmt.Errorf("%s: %w", e.series.Name(), err)
			}
		}
		// Each contestant draws from a source of its own, seeded alike, so all
		// make the same replacements in the same order.
		e.turn = s.costTurn(e, c, op, n, draw, s.random(name+"script"))
		competitors = append(competitors, &e.competitor)
	}
	return interleave(s, s.plan.rounds(n), competitors)
}

// costCompetitor is a competitor of a cost cell with its population.
type costCompetitor struct {
	competitor
	population
}

// costCompetitor fills a population.
func (s *session) costCompetitor(c Contestant, op string, delays []time.Duration, delayName string) (*costCompetitor, error) {
	pop, err := newVirtual(c, costGeometry(op))
	if err != nil {
		return nil, err
	}
	if c.LinearInsert { // in the order of deadlines, since it would take n²/3 steps otherwise
		delays = slices.Sorted(slices.Values(delays))
	}
	if err := pop.fill(s.ctx, delays); err != nil {
		pop.close()
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	e := &costCompetitor{population: pop}
	e.series = &Series{Experiment: Cost, Params: []Param{
		{"op", op}, {"impl", c.Name}, {"pending", strconv.Itoa(len(delays))}, {"delay", delayName}}}
	e.done = pop.close
	return e, nil
}

// age replaces half of a population before it is measured. Fresh ones lie in
// memory in the order of insertion, and a scheduler that cancels lazily has
// nothing to clean up in them: both would flatter.
func (s *session) age(pop population, n int, draw delay, r *rand.Rand) error {
	rs := newReplacements(1 << 12)
	for done := 0; done < n/2; done += len(rs.picks) {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		rs.draw(r, n, draw)
		if wrong := pop.pairs(rs); wrong > 0 {
			return fmt.Errorf("%d operations gave a wrong answer", wrong)
		}
	}
	return nil
}

// costTurn returns the turn of a competitor: an epoch, timed and checked.
func (s *session) costTurn(e *costCompetitor, c Contestant, op string, n int, draw delay, r *rand.Rand) func(int) (int, map[string]float64, error) {
	if op == OpTick {
		c.LinearInsert = false // nothing is inserted, so a list need not do fewer
	}
	rs := newReplacements(s.plan.ops(c, n))
	tick := time.Duration(0)
	return func(int) (int, map[string]float64, error) {
		rs.draw(r, n, draw)
		runtime.GC() // fresh memory from the system would be timed otherwise
		before, metered := e.work()
		var took time.Duration
		var wrong int
		ops := len(rs.picks)
		switch op {
		case OpPair:
			took, wrong = timed(func() int { return e.pairs(rs) })
		case OpReset:
			took, wrong = timed(func() int { return e.resets(rs) })
		case OpInsert:
			took, ops, wrong = inserts(e, rs.delays, n)
		case OpTick:
			ops = min(ops, int(shortest/costTick))
			took, wrong = timed(func() int { return idleTicks(e.population, &tick, ops) })
		}
		if wrong > 0 || e.len() != n && c.Name != EmptyControl {
			return 0, nil, fmt.Errorf("%d of %d operations gave a wrong answer, %d are pending, want %d", wrong, ops, e.len(), n)
		}
		values := map[string]float64{NsPerOp: float64(took.Nanoseconds()) / float64(ops)}
		if metered {
			after, _ := e.work()
			addWork(values, after.Sub(before), float64(ops))
		}
		return ops, values, nil
	}
}

// timed returns how long f took and what it returned.
func timed(f func() int) (time.Duration, int) {
	start := time.Now()
	wrong := f()
	return time.Since(start), wrong
}

// inserts times insertions into a population of n, a few at a time, so that n
// stays about what it is. The timers are cancelled off the clock.
func inserts(e *costCompetitor, delays []time.Duration, n int) (took time.Duration, ops, wrong int) {
	batch := max(n/8, 32)
	for len(delays) > ops {
		part := delays[ops:min(ops+batch, len(delays))]
		t, w := timed(func() int { return e.add(part) })
		took += t
		wrong += w + e.drop()
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
func addWork(values map[string]float64, w schedulers.Work, ops float64) {
	for unit, count := range map[string]uint64{
		VisitsPerOp: w.Visits, MovesPerOp: w.Moves, LevelsPerOp: w.Levels,
		SlotsPerOp: w.Slots, CascadesPerOp: w.Cascades, SweptPerOp: w.Swept,
	} {
		values[unit] = float64(count) / ops
	}
}
