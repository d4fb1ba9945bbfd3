package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/internal/machine"
)

const (
	middling      = 100_000 // pending at most in what takes long, unless a plan is Full or gives its counts
	distributed   = 10_000  // pending where delays are compared: few enough for a sorted list and several rounds
	costTick      = time.Millisecond
	perOp         = 100 * time.Nanosecond // assumed for an operation: it turns the length of an epoch into a count
	perVisit      = 4 * time.Nanosecond   // assumed for passing one node of a sorted list
	fewestOps     = 16                    // of an epoch
	mostTicks     = 10_000                // idle ones of an epoch
	expiredAtOnce = 1000                  // come due before they are replaced off the clock, at most
)

// beyond returns how much further ahead than the longest delay deadlines may lie: n timers arrive and are replaced.
func beyond(n int) time.Duration { return max(time.Minute, 20*time.Duration(n)*arrival) }

func costGeometry(op string, n int, longest time.Duration) harness.Geometry {
	g := harness.Geometry{Tick: costTick, Horizon: longest + beyond(n)}
	if op == rundata.OpTick || op == rundata.OpLivePair { // deadlines lie notYet further ahead
		g.Horizon += notYet
	}
	return g
}

func init() {
	register(harness.Experiment{Name: rundata.Cost, Cells: costCells, Reads: "delays ops pending", Check: func(p *harness.Plan) error {
		return errors.Join(check.In("Delays", check.Known("delay distribution", p.Delays, Delays())),
			check.In("Ops", check.Known("operation", p.Ops, rundata.Ops())))
	}})
}

// costCells returns the cells of the costs of operations, and of memory if the plan measures that too.
func costCells(p *harness.Plan) (cells []harness.Cell) {
	for _, n := range slices.Concat(p.Pending, p.Large) {
		for _, d := range p.Delays {
			cells = append(cells, costCell(p, sharing(p, n, d), n, d)...)
		}
		if slices.Contains(p.Ops, rundata.OpTick) && takes(p, n) && slices.Contains(p.Pending, n) {
			cells = append(cells, costCell(p, []string{rundata.OpTick}, n, "uniform")...)
		}
	}
	for _, n := range p.Pending {
		if slices.Contains(p.Ops, rundata.OpLivePair) && takes(p, n) {
			cells = append(cells, livePairCells(p, n)...)
		}
	}
	return cells
}

// sharing returns the operations that share a population of n with a distribution of delays. The first distribution has
// all operations; in a full plan each distribution has all. A near horizon has pairs and insertions, with few timers:
// it decides how many slots a single wheel has. At given counts, or at one count that suits a sorted list, each
// distribution has pairs. Large counts have only pairs of the first distribution.
func sharing(p *harness.Plan, n int, delay string) (ops []string) {
	first, large := delay == p.Delays[0], slices.Contains(p.Large, n)
	for _, op := range []string{rundata.OpPair, rundata.OpReset, rundata.OpInsert, rundata.OpExpire} {
		near := delay == rundata.NearDelays && (op == rundata.OpPair || op == rundata.OpInsert) && n <= distributed
		spread := op == rundata.OpPair && (p.PendingGiven || n == p.Counts(distributed)[0])
		if slices.Contains(p.Ops, op) && (first || p.Full || near || spread) && (!large || first && op == rundata.OpPair) {
			ops = append(ops, op)
		}
	}
	return ops
}

func takes(p *harness.Plan, n int) bool { return p.Full || p.PendingGiven || n <= middling }

func costCell(p *harness.Plan, ops []string, n int, delay string) []harness.Cell {
	if len(ops) == 0 {
		return nil
	}
	name, weight := fmt.Sprintf("cost-%d-%s", n, delay), weightToExplain
	if ops[0] == rundata.OpTick { // which takes so little that no difference counts
		name, weight = fmt.Sprintf("cost-%s-%d", rundata.OpTick, n), weightOfControls
	}
	perTimer := 400 * time.Nanosecond
	if n >= middling { // most of which lie in no cache
		perTimer = 700 * time.Nanosecond
	}
	block := time.Duration(n)*perTimer + time.Duration(p.Rounds*len(ops))*p.Epoch
	return shared{
		harness.Cell{Experiment: rundata.Cost, Name: name, Pending: n, Weight: weight, Rounds: p.Rounds, NoGC: true},
		bare(p, n, fewestPassed(n)), block, cost(name, ops, n, delay),
	}.cells(p)
}

// weightToExplain is that of cells without a vote, such as bare operations: they explain, and the costs of programs decide.
const weightToExplain = 0.25

// fewestPassed is how many nodes a sorted list of n passes in a block at the fewest operations worth a sample.
func fewestPassed(n int) float64 {
	const rounds = 9 // however many there are
	return float64(n) * fewestOps * rounds
}

// tooSlow reports whether the contestant is a sorted list that takes too long to pass so many nodes.
func tooSlow(p *harness.Plan, c harness.Contestant, nodes float64) bool {
	return c.LinearInsert && nodes*float64(perVisit) > float64(p.ListCell) // a Duration may overflow
}

// filled leaves out sorted lists if filling one with n timers in random order takes too long.
func filled(p *harness.Plan, variants []variant, n int) []variant {
	return slices.DeleteFunc(variants, func(r variant) bool { return tooSlow(p, r.Contestant, float64(n)*float64(n)/4) })
}

func ops(p *harness.Plan, c harness.Contestant, n int) int {
	ops := max(int(p.Epoch/perOp), fewestOps)
	if c.LinearInsert {
		ops = min(ops, max(int(p.Epoch/(time.Duration(n)*perVisit)), fewestOps))
	}
	return ops
}

func cost(cell string, ops []string, n int, delayName string) turnsOf {
	return func(s *harness.Session) (func(variant) *harness.Turns, error) {
		draw, longest, err := delayOf(delayName)
		further := time.Duration(0)
		if ops[0] == rundata.OpTick {
			further = notYet
		}
		return func(c variant) *harness.Turns {
			k := &costed{s: s, cell: cell, c: c.Contestant, n: n, longest: longest, draw: func(r *rand.Rand) time.Duration { return draw(r) + further }}
			for _, op := range ops {
				k.ops = append(k.ops, k.operation(op, rundata.NewSeries(rundata.Cost, "op", op, "impl", c.Name, "pending", n, "delay", delayName)))
			}
			also := lists.Each(k.ops[1:], func(o costedOp) *rundata.Series { return o.series })
			if weighs(s, k.c, n, delayName) && ops[0] != rundata.OpTick {
				k.weighed = rundata.NewSeries(rundata.Memory, "impl", c.Name, "pending", n)
				also = append(also, k.weighed)
			}
			return &harness.Turns{
				Series: k.ops[0].series, Also: also,
				Holds: n, Build: k.build, Turn: adding(k.turn), Done: func() { k.pop = nil },
			}
		}, err
	}
}

type costed struct {
	s       *harness.Session
	cell    string
	c       harness.Contestant
	n       int
	longest time.Duration // no delay is longer
	draw    delay
	ops     []costedOp
	weighed *rundata.Series // of memory; nil if that is not measured

	pop     *virtual
	now     time.Duration // of idle ticks
	refills *rand.Rand
}

type costedOp struct {
	name   string
	series *rundata.Series
	rs     *replacements
}

// adding returns a turn that adds its samples to its series itself.
func adding(turn func(round int) error) func(int) (int, rundata.Values, error) {
	return func(round int) (int, rundata.Values, error) { return 0, nil, turn(round) }
}

func (k *costed) operation(op string, series *rundata.Series) costedOp {
	c := k.c
	if op == rundata.OpTick {
		c.LinearInsert = false // nothing is inserted, so a list does as many
	}
	ops := ops(k.s.Plan, c, k.n)
	if op == rundata.OpExpire {
		ops = max(ops/4, min(ops, fewestOps))
	}
	return costedOp{op, series, newReplacements(ops)}
}

// build makes and weighs a population. It is the same for all contestants, and another in each block. Half of the timers
// are replaced. Fresh timers would flatter: they lie in memory in the order of insertion, and a lazy Cancel has nothing to
// clean up. A sorted list is filled in the order of deadlines, which saves n²/3 steps, and stays fresh.
func (k *costed) build() error {
	name := fmt.Sprint(k.cell, k.s.First)
	r := k.s.Random(name)
	k.now, k.refills = 0, k.s.Random(name+" refills")
	w := newScales(k.s, k.weighed, k.n, machine.Heap)
	scheduler, err := k.c.New(costGeometry(k.ops[0].name, k.n, k.longest))
	if err != nil {
		return err
	}
	k.pop = &virtual{s: scheduler}
	w.named(k.pop.reserve(k.n))
	draw := func() time.Duration { return k.draw(r) }
	if k.c.LinearInsert {
		draw = ascending(k.n, draw)
	}
	if err := k.pop.fill(look(k.s, k.n), k.n, draw); err != nil {
		return err
	}
	w.weigh(rundata.BytesPerTimer)
	if !k.c.LinearInsert && k.ops[0].name != rundata.OpTick {
		if err := k.replace(k.s.Random(name+" age"), k.n/2); err != nil {
			return err
		}
	}
	if values := w.churned(); values != nil {
		k.weighed.Add(k.s.First, k.n, values)
	}
	return k.widen(k.s.Random(name + " room"))
}

// widen makes the room that insertions take: the first sample would pay for it.
func (k *costed) widen(r *rand.Rand) error {
	for _, op := range k.ops {
		if op.name == rundata.OpInsert {
			op.rs.draw(r, k.n, k.draw)
			part := op.rs.delays[:min(insertedAtOnce(k.n), len(op.rs.delays))]
			wrong := k.pop.add(part) + k.pop.drop()
			return check.That(wrong == 0, wrongAnswers, wrong, len(part), k.pop.len(), k.n)
		}
	}
	return nil
}

// turn runs an epoch of each operation, in rotating order. All contestants draw the same replacements in one order.
func (k *costed) turn(round int) error {
	if err := k.warm(); err != nil {
		return err
	}
	for i := range k.ops {
		op := k.ops[(i+round)%len(k.ops)]
		op.rs.draw(k.s.Random(fmt.Sprint(k.cell, k.s.First, " script ", op.name, round)), k.n, k.draw)
		n, values, err := k.epoch(op)
		if err != nil {
			return err
		}
		op.series.Add(k.s.First, n, values)
	}
	return nil
}

// warm replaces timers to bring the population back into the caches after the turns of others. A population of more
// than distributed does not fit: warm replaces only a few, to keep the turns of a round close. See docs/decisions/0043.
func (k *costed) warm() error {
	switch {
	case k.c.LinearInsert || k.ops[0].name == rundata.OpTick:
		return nil
	case k.n > distributed:
		return k.replace(k.refills, replacedAtOnce)
	}
	return k.replace(k.refills, k.n)
}

func (k *costed) replace(by *rand.Rand, timers int) error {
	wrong, part := 0, newReplacements(replacedAtOnce)
	for left := timers; left > 0 && k.s.Ctx.Err() == nil; left -= replacedAtOnce {
		part.draw(by, k.n, k.draw)
		wrong += k.pop.pairs(part)
	}
	return cmp.Or(k.s.Ctx.Err(), check.That(wrong == 0, "%d operations gave a wrong answer", wrong))
}

// replacedAtOnce is how many timers are replaced between two looks at whether the run was interrupted.
const replacedAtOnce = 1 << 12
