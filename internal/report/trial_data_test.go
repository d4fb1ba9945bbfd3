package report

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"schedbench/catalog"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
)

// truth is what each contestant of a made-up run really takes.
type truth struct {
	name string
	// takes are multiples of what all others take, by name, and grows multiplies that for
	// each power of ten above 1k pending.
	takes, grows map[string]float64
	// goAhead is how many times as fast as all others the baselines are, 0 if the truth is another.
	goAhead float64
}

// of returns what a name takes with n pending, as a multiple of baseNs.
func (t truth) of(name string, n int) float64 {
	return cmp.Or(t.takes[name], 1) * math.Pow(cmp.Or(t.grows[name], 1), math.Log10(float64(n)/1000))
}

const baseNs = 100

// bare and behind are who takes part in made-up cells: bare schedulers, and those behind a driver.
var (
	bare   = []string{catalog.Heap, catalog.List, catalog.Single, catalog.Rounds, catalog.Hier, catalog.ContainerHeap}
	behind = []string{catalog.Heap, catalog.List, catalog.Single, catalog.Rounds, catalog.Hier, catalog.RuntimeTimer}
)

var equal = truth{name: "all are equal"}

// ahead is the truth that some are so many times as fast as all others, who are equal.
func ahead(by float64, who ...string) truth {
	t := truth{name: fmt.Sprintf("%s %v times as fast as the others", words.List(who), by), takes: map[string]float64{}}
	for _, name := range append(slices.Clone(bare), catalog.RuntimeTimer) {
		if !slices.Contains(who, name) {
			t.takes[name] = by
		}
	}
	return t
}

// goAhead is the truth that the baselines are so many times as fast as all others.
func goAhead(by float64) truth {
	t := ahead(by, catalog.ContainerHeap, catalog.RuntimeTimer)
	t.goAhead = by
	return t
}

// slowest is the truth that one takes so many times as long as all others.
func slowest(by float64, who string) truth {
	return truth{name: fmt.Sprintf("%s takes %v times as long as the others", who, by), takes: map[string]float64{who: by}}
}

// mixed is a truth like those that are found: two are equal, some are near, one grows.
var mixed = truth{
	name:  "two equal, others 1.1 to 100 times as long",
	takes: map[string]float64{catalog.Heap: 1.1, catalog.Single: 1.25, catalog.List: 2, catalog.ContainerHeap: 3, catalog.RuntimeTimer: 3},
	grows: map[string]float64{catalog.List: 3},
}

// disturbance is how a machine spoils what is measured on it.
type disturbance struct {
	name string
	// layout is how the ratio of two contestants scatters between populations, as standard
	// deviation of its logarithm, by how many are pending; that of 0 is for all others.
	layout map[int]float64
	// round is the scatter of rounds on one population; a share of them, outliers, is slower by ten times as much.
	round, outliers float64
	// drift is how much slower the machine gets over a cell. blocks is how much it differs from block to block, and
	// rounds from round to round, for all contestants alike.
	drift, blocks, rounds float64
	// stalledRound and stalledBlock say that one round or block of a cell takes ten times as long for one contestant.
	stalledRound, stalledBlock bool
	// modes is how many times as long one of three populations takes; 0 is no such.
	modes float64
	// unequal is how many times the layout of others that of some contestants is.
	unequal map[string]float64
	// onePopulation says that a cell has one for all rounds, each of which is taken for a block.
	onePopulation bool
}

// everywhere is the same layout for all sizes.
func everywhere(layout float64) map[int]float64 { return map[int]float64{0: layout} }

func (d disturbance) layoutOf(n int) float64 { return cmp.Or(d.layout[n], d.layout[0]) }

type madeCell struct {
	op, more       string
	profile        string // of a replay, which has no op
	n              int
	names          []string
	blocks, rounds int
}

// defaultCells are those that the default plan has of insertions, and some of AfterFunc and Stop.
func defaultCells() (cells []madeCell) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		c := madeCell{op: rundata.OpInsert, more: "delay=uniform", n: n, names: bare, blocks: 8, rounds: 4}
		if n > 100_000 {
			c.blocks = 6
			c.names = slices.DeleteFunc(slices.Clone(bare), func(name string) bool { return name == catalog.List }) // it would take too long
		}
		cells = append(cells, c)
	}
	for _, n := range []int{1_000, 100_000} {
		cells = append(cells, madeCell{op: rundata.OpLivePair, more: "delay=uniform goroutines=1", n: n, names: behind, blocks: 6, rounds: 1})
	}
	return cells
}

// madeRun is a made-up run. Its samples can be drawn again and again.
type madeRun struct {
	truth
	on    disturbance
	cells []madeCell
	data  *rundata.Data
	parts [][]*entry // of each cell, in the order of their turns
	rng   *rand.Rand
	// budget is the seconds for blocks after the first, divided as a run does; 0: each cell has its blocks.
	budget float64
}

// firstOfBudget is how many blocks each cell has before the rest of a budget is divided.
const firstOfBudget = 6

// divide gives the rest of the budget to cells by what their blocks show. A block of many timers takes longer.
func (r *madeRun) divide() {
	rundata.Level(r.data.Series)
	var learned []blocks.Learned
	for i, c := range r.cells {
		var figures [][]float64
		for _, p := range r.parts[i] {
			if p.name != rundata.EmptyControl {
				figures = append(figures, p.series.Blocks(rundata.NsPerOp))
			}
		}
		learned = append(learned, blocks.Learned{
			Blocks: firstOfBudget, Cost: 0.05 + 3e-6*float64(c.n), Scatter: blocks.Scatter(figures), Weight: 1, Large: c.n > 100_000,
		})
	}
	for i, more := range blocks.Allocate(learned, r.budget, r.budget/3) {
		if more > 0 {
			r.measure(i, more)
		}
	}
}

// entry is what a made-up run has of a contestant in a cell.
type entry struct {
	series *rundata.Series
	name   string // without the suffix of a second measurement
	ns     float64
}

// newMadeRun returns a run with a second measurement of one contestant, and with the loop where there is one.
func newMadeRun(t truth, on disturbance, cells []madeCell, seed uint64) *madeRun {
	g := newSynthetic(0)
	r := &madeRun{truth: t, on: on, cells: cells, data: g.data, rng: rand.New(rand.NewPCG(seed, 11))}
	for _, c := range cells {
		names := append(slices.Clone(c.names), catalog.Hier+rundata.AASuffix)
		if c.op == rundata.OpInsert {
			names = append(names, rundata.EmptyControl)
		}
		var parts []*entry
		for _, name := range names {
			experiment, params := rundata.Cost, fmt.Sprintf("op=%s impl=%s pending=%d %s", c.op, name, c.n, c.more)
			if c.profile != "" {
				experiment, params = rundata.Profiles, fmt.Sprintf("profile=%s impl=%s tick=1ms", c.profile, name)
			}
			s := g.series(experiment, params, nil)
			if name == catalog.Hier+rundata.AASuffix {
				name = catalog.Hier
			}
			parts = append(parts, &entry{series: s, name: name})
		}
		r.parts = append(r.parts, parts)
	}
	return r
}

func (r *madeRun) draw() *rundata.Data {
	for i, c := range r.cells {
		for _, p := range r.parts[i] {
			p.series.Iterations, p.series.Values, p.series.Block = nil, map[string][]float64{}, nil
		}
		if r.budget > 0 {
			c.blocks = firstOfBudget
		}
		r.measure(i, c.blocks)
	}
	if r.budget > 0 {
		r.divide()
	}
	rundata.Level(r.data.Series)
	return r.data
}

func (r *madeRun) measure(cell, blocks int) {
	c, parts := r.cells[cell], r.parts[cell]
	slowRound, slowBlock := r.rng.IntN(blocks*c.rounds*len(c.names)), r.rng.IntN(blocks*len(c.names))
	turn, turns := 0.0, float64(blocks*c.rounds*len(parts))
	before := len(parts[0].series.Iterations) / c.rounds
	for block := range blocks {
		if block == 0 || !r.on.onePopulation {
			r.populate(c, parts)
		}
		for round := block * c.rounds; round < (block+1)*c.rounds; round++ {
			together := r.on.rounds * r.rng.NormFloat64()
			for i := range parts {
				if round%2 == 1 { // every other order is the one before backwards
					i = len(parts) - 1 - i
				}
				ns := parts[i].ns * math.Exp(r.noise()+together+r.on.drift*turn/turns)
				slow := r.on.stalledRound && slowRound == round*len(c.names)+i || r.on.stalledBlock && slowBlock == block*len(c.names)+i
				if slow && i < len(c.names) {
					ns *= 10
				}
				if c.op == rundata.OpInsert {
					ns += loopNs * math.Exp(r.noise())
				}
				turn++
				s := parts[i].series
				s.Iterations, s.Values[rundata.NsPerOp] = append(s.Iterations, 1000), append(s.Values[rundata.NsPerOp], ns)
				of := before + block
				if r.on.onePopulation {
					of = round
				}
				s.Block = append(s.Block, of)
			}
		}
	}
}

func (r *madeRun) populate(c madeCell, parts []*entry) {
	machine := r.on.blocks * r.rng.NormFloat64()
	for _, p := range parts {
		scatter := r.on.layoutOf(c.n) / math.Sqrt2 * cmp.Or(r.on.unequal[p.name], 1) // of one, where the ratio has that of two
		p.ns = baseNs * r.of(p.name, c.n) * math.Exp(machine+scatter*r.rng.NormFloat64())
		if r.on.modes > 0 && r.rng.IntN(3) == 0 {
			p.ns *= r.on.modes
		}
		if p.name == rundata.EmptyControl {
			p.ns = 0 // what is added to all is the loop
		}
	}
}

func (r *madeRun) noise() float64 {
	noise := r.on.round * r.rng.NormFloat64()
	if r.rng.Float64() < r.on.outliers {
		noise = 10 * math.Abs(noise)
	}
	return noise
}
