package report

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/internal/judge"
)

var (
	update = flag.Bool("update", false, "write the tables of the trial into docs/judging.md, and the cards of testdata")
	whole  = flag.Bool("whole", false, "hold the whole trial, of 1000 draws, and the tables of docs/judging.md to it")
)

// here is how the ratio of two schedulers scatters between populations, by pending count: see docs/judging.md.
var here = map[int]float64{1_000: 0.01, 10_000: 0.03, 100_000: 0.09, 1_000_000: 0.16}

var (
	layout1      = disturbance{name: "layout 1 %", layout: everywhere(0.01), round: 0.02}
	layout3      = disturbance{name: "layout 3 %", layout: everywhere(0.03), round: 0.02}
	layout10     = disturbance{name: "layout 10 %", layout: everywhere(0.10), round: 0.02}
	asHere       = disturbance{name: "layout as here", layout: here, round: 0.02}
	outliers     = disturbance{name: "noisy rounds, 5 % outliers", layout: everywhere(0.03), round: 0.08, outliers: 0.05}
	stalledRound = disturbance{name: "a stalled round", layout: everywhere(0.03), round: 0.02, stalledRound: true}
	stalledBlock = disturbance{name: "a stalled block", layout: everywhere(0.03), round: 0.02, stalledBlock: true}
	spoilt       = []disturbance{
		outliers, stalledRound, stalledBlock,
		{name: "30 % slower at the end", layout: everywhere(0.03), round: 0.02, drift: 0.3},
		{name: "blocks differ by 20 %", layout: everywhere(0.03), round: 0.02, blocks: 0.2},
		{name: "rounds differ by 20 %", layout: everywhere(0.03), round: 0.02, rounds: 0.2},
		{name: "one of three populations 25 % slower", layout: everywhere(0.03), round: 0.02, modes: 1.25},
		{name: "the baselines scatter three times as much", layout: everywhere(0.03), round: 0.02, unequal: map[string]float64{catalog.ContainerHeap: 3, catalog.RuntimeTimer: 3}},
		{name: "one scheduler scatters three times as much", layout: everywhere(0.03), round: 0.02, unequal: map[string]float64{catalog.Hier: 3}},
		{name: "two scatter twice as much", layout: everywhere(0.03), round: 0.005, unequal: map[string]float64{catalog.Hier: 2, catalog.Heap: 2}},
	}
	// contrasts are what blocks are there against.
	contrasts = []disturbance{
		{name: "rounds for blocks, layout 3 %", layout: everywhere(0.03), round: 0.02, onePopulation: true},
		{name: "rounds for blocks, layout 10 %", layout: everywhere(0.10), round: 0.02, onePopulation: true},
	}
)

var factors = []float64{1.1, 1.25, 1.5, 2, 15}

// scenario is so many made-up runs of one truth on one machine, and what came out.
type scenario struct {
	truth truth
	on    disturbance

	draws int
	// wrong is in how many verdicts a sentence is false, and spoilt in how many any is.
	wrong  map[sentence]int
	spoilt int
	// said is how many claims of a kind were made.
	said map[kind]int
	// leads is how often one is said to lead, by cell, and losses how often one is said to lose, of all who could.
	leads, losses map[string]float64
	seems, aa     int
}

func trials() (all []*scenario) {
	add := func(on disturbance, truths ...truth) {
		for _, t := range truths {
			all = append(all, &scenario{truth: t, on: on, wrong: map[sentence]int{}, said: map[kind]int{},
				leads: map[string]float64{}, losses: map[string]float64{}})
		}
	}
	add(asHere, equal, ahead(1.5, catalog.List), slowest(1.5, catalog.Hier), mixed)
	for _, f := range factors {
		add(asHere, goAhead(f))
	}
	add(layout1, equal, goAhead(1.1))
	add(layout3, equal, goAhead(1.1))
	add(layout10, equal, goAhead(1.1), goAhead(1.25), goAhead(1.5))
	for _, on := range spoilt {
		add(on, equal)
	}
	add(outliers, goAhead(1.25))
	add(stalledRound, goAhead(1.25))
	add(stalledBlock, goAhead(1.25))
	for _, on := range contrasts {
		add(on, equal)
	}
	return all
}

// run draws so many runs and reads their verdicts.
func (tr *scenario) run(draws int) {
	seed := fnv.New64a()
	fmt.Fprint(seed, tr.on.name, tr.truth.name)
	tr.draws = draws
	r := newMadeRun(tr.truth, tr.on, defaultCells(), seed.Sum64())
	for range draws {
		h := r.hear(r.draw())
		tr.count(h)
		tr.seems, tr.aa = tr.seems+h.seems, tr.aa+h.aa
		for _, c := range r.cells {
			about := c.named()
			if h.leads[about] != "" {
				tr.leads[about] += 1 / float64(draws)
			}
			for _, name := range c.names {
				if h.lost[name+" "+about] {
					tr.losses[about] += 1 / float64(draws*(len(c.names)-1))
				}
			}
		}
	}
}

// count counts the claims of a made-up run.
func (tr *scenario) count(h *heard) {
	for s := range h.wrong {
		tr.wrong[s]++
	}
	for k, n := range h.said {
		tr.said[k] += n
	}
	if len(h.wrong) > 0 {
		tr.spoilt++
	}
}

// kinds are those of the table, in its order.
var kinds = []kind{leads, open, loses}

// The trial of the judge: runs of which the truth is known go through what writes the
// verdict, and its sentences are held to it. What comes out is in docs/judging.md.
func TestTrial(t *testing.T) {
	draws := 30
	if *whole || *update {
		draws = 1000
	}
	all := trials()
	t.Run("draws", func(t *testing.T) {
		for _, tr := range all {
			t.Run(tr.on.name+", "+tr.truth.name, func(t *testing.T) {
				t.Parallel()
				tr.run(draws)
			})
		}
	})
	for _, tr := range all {
		if tr.truth.name == mixed.name {
			for _, k := range kinds {
				require.Positive(t, tr.said[k], "nothing of the kind %q is read", k)
			}
		}
		if tr.on.onePopulation {
			require.Greater(t, tr.rate(loses), tolerated(draws), "%s: the trial can fail", tr.on.name)
			continue
		}
		for _, k := range kinds {
			require.LessOrEqual(t, tr.rate(k), tolerated(draws), "%s, %s: false sentences of the kind %q", tr.on.name, tr.truth.name, k)
		}
		require.LessOrEqual(t, float64(tr.seems)/float64(tr.aa), tolerated(tr.aa), "%s, %s: a contestant and itself", tr.on.name, tr.truth.name)
		tr.checkSeen(t)
	}
	if draws == 1000 {
		document(t, falseTable(all)+"\n"+seenTable(all)+"\n"+moreTable())
	}
}

// rate is the share of verdicts in which a sentence of a kind is false, of the one that is most often.
func (tr *scenario) rate(k kind) (highest float64) {
	for s, n := range tr.wrong {
		if s.kind == k {
			highest = max(highest, float64(n)/float64(tr.draws))
		}
	}
	return highest
}

// tolerated is the rate that is stated, with three deviations of a rate that is counted; with four if a hundred rates
// are counted in a few draws each.
func tolerated(n int) float64 {
	stated, deviations := 1-judge.Confidence, 4.0
	if *whole || *update {
		deviations = 3
	}
	return stated + deviations*math.Sqrt(stated*(1-stated)/float64(n))
}

func TestFalseClaimsAreSeen(t *testing.T) {
	standing := func(name string, answer judge.Answer, low, high float64) judge.Standing {
		c := judge.Compare([]float64{10, 30, 11, 28, 9, 31}, []float64{20, 19, 21, 20, 22, 18}, judge.Terms{})
		c.Low, c.High, c.Answer = low, high, answer
		return judge.Standing{Contestant: judge.Contestant{Name: name}, ToFirst: c}
	}
	insert := measure{name: "insert", where: "with %s pending", baseline: catalog.Single}
	contest := func(first string, others ...judge.Standing) func(*heard) {
		standings := append([]judge.Standing{standing(first, judge.AsFast, 1, 1)}, others...)
		return func(h *heard) { h.contest(insert, cell{name: "1k", Contest: judge.Contest{Standings: standings}}) }
	}
	loss := func(low, high float64) func(*heard) {
		c := standing(catalog.Single, judge.Slower, low, high).ToFirst
		return func(h *heard) { h.losses([]*versus{{name: catalog.List, measure: insert, cell: "1k", Comparison: c}}) }
	}
	fanned := truth{takes: map[string]float64{catalog.Rounds: 1.02, catalog.Heap: 1.1, catalog.Single: 1.25, catalog.List: 2, catalog.ContainerHeap: 3}}
	for _, c := range []struct {
		kind        kind
		true, false func(*heard)
	}{
		{leads, contest(catalog.Hier, standing(catalog.List, judge.Slower, 1.9, 2.1)), contest(catalog.Heap, standing(catalog.Hier, judge.Slower, 1.9, 2.1))},
		{leads, contest(catalog.Hier, standing(catalog.Rounds, judge.AsFast, 0.99, 1.01)), contest(catalog.Hier, standing(catalog.Single, judge.AsFast, 0.99, 1.01))},
		{open, contest(catalog.Hier, standing(catalog.Heap, judge.Unclear, 0.9, 1.5)), contest(catalog.Hier, standing(catalog.Heap, judge.Unclear, 1.15, 1.5))},
		{open, contest(catalog.Hier, standing(catalog.List, judge.Unclear, 0.9, 2.5)), contest(catalog.Single, standing(catalog.List, judge.Unclear, 0.9, 2.5))},
		{loses, loss(1.5, 1.7), loss(1.1, 1.5)},
	} {
		r := newMadeRun(fanned, layout3, defaultCells(), 1)
		h := r.claims()
		c.true(h)
		require.Empty(t, h.wrong, c.kind)
		h = r.claims()
		c.false(h)
		require.Len(t, h.wrong, 1, c.kind)
		for s := range h.wrong {
			require.Equal(t, c.kind, s.kind)
		}
	}
}
