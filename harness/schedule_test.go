package harness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// madeCell is a cell whose blocks are made up: how long one takes, and how its figures scatter.
type madeCell struct {
	Cell
	took    time.Duration
	scatter float64
}

func cellOf(name string, took time.Duration, scatter float64) madeCell {
	return madeCell{Cell{Experiment: rundata.Cost, Name: name, Time: took}, took, scatter}
}

// besideOf returns a cell whose participants are measured beside each other, in so many blocks each time.
func besideOf(name string, took time.Duration, scatter float64, blocks int) madeCell {
	c := cellOf(name, took, scatter)
	c.ParallelBlocks = blocks
	return c
}

type drill struct {
	plan  *Plan
	cells []madeCell
	schedule
	parts []*rundata.File
	steps [][]string
}

const madeOverhead = 100 * time.Millisecond

func newDrill(p *Plan, cells ...madeCell) *drill {
	d := &drill{plan: p, cells: cells}
	d.schedule = newSchedule(p, lists.Each(cells, func(c madeCell) Cell { return c.Cell }))
	return d
}

// resumed returns a drill that goes on from what others have measured, as Run does.
func (d *drill) resumed(parts []*rundata.File) *drill {
	again := newDrill(d.plan, d.cells...)
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *rundata.File) int { return a.First - b.First })
	for _, p := range parts {
		again.take(p)
	}
	return again
}

func (d *drill) take(p *rundata.File) {
	d.parts = append(d.parts, p)
	d.learn(p)
	d.spent += rundata.SystemLoadOf(p.Env).Took
}

// step plans a block and makes it up. It returns false if there is none.
func (d *drill) step() bool {
	cells, _ := d.next()
	if len(cells) == 0 {
		return false
	}
	d.steps = append(d.steps, lists.Each(cells, func(c Cell) string { return c.Name }))
	p := &rundata.File{Name: fmt.Sprintf("block-%02d", d.block), First: d.block}
	took := madeOverhead
	for _, c := range cells {
		made := d.cells[slices.IndexFunc(d.cells, func(m madeCell) bool { return m.Name == c.Name })]
		if c.ParallelBlocks > 0 {
			p.Name, p.First, p.PerBlock, took = c.Name, d.cell(c.Name).blocks, 1, 0 // how long its processes took to start is in it
		}
		m := rundata.Measured{Name: c.Name, Took: made.took}
		for i, impl := range []string{"a", "b", rundata.EmptyControl} {
			s := rundata.NewSeries(rundata.Cost, "impl", impl, "cell", c.Name)
			for block := range d.cell(c.Name).pass() {
				r := rand.New(rand.NewPCG(uint64(p.First+block), uint64(i)))
				s.Add(p.First+block, 1, rundata.Values{rundata.NsPerOp: 100 * math.Exp(made.scatter*r.NormFloat64())})
			}
			m.Series = append(m.Series, s)
		}
		p.Cells = append(p.Cells, m)
		took += made.took
	}
	p.Env = []rundata.Param{rundata.Took(took)}
	d.take(p)
	return true
}

func (d *drill) run() *drill {
	for d.step() {
	}
	return d
}

func (d *drill) counts() map[string]int {
	of := map[string]int{}
	for _, c := range d.schedule.cells {
		of[c.Name] = c.blocks
	}
	return of
}

func TestTheFirstBlockIsOfEveryCellAndThoseBesideComeAlone(t *testing.T) {
	p := &Plan{Blocks: 3}
	d := newDrill(p, besideOf("x", time.Second, 0.1, 3), cellOf("a", time.Second, 0.1), besideOf("y", time.Second, 0.1, 3), cellOf("b", time.Second, 0.1)).run()
	require.Equal(t, [][]string{{"a", "b"}, {"x"}, {"y"}, {"a", "b"}, {"a", "b"}}, d.steps)
	require.Equal(t, [][]string{{"x"}}, newDrill(p, besideOf("x", time.Second, 0.1, 3)).run().steps, "without others it is the first")
}

func TestWhatIsLeftBecomesLess(t *testing.T) {
	for _, p := range []*Plan{{Blocks: 3}, {Budget: time.Minute}} {
		d := newDrill(p, cellOf("a", time.Second, 0.3), besideOf("x", time.Second, 0.1, 3))
		_, left := d.next()
		if p.Blocks > 0 {
			require.Equal(t, 4*time.Second, left)
		} else {
			require.Equal(t, time.Minute, left)
		}
		for d.step() {
			last := left
			_, left = d.next()
			require.Less(t, left, last)
		}
		require.Less(t, left, time.Second+2*startup, "no block with its process fits")
	}
}

// A budget goes to the cells that scatter, and of these to the cheap ones; none is overspent by more than a block.
func TestABudgetGoesWhereItNarrowsIntervals(t *testing.T) {
	capped := cellOf("capped", 100*time.Millisecond, 1)
	capped.Most = 8
	once := cellOf("once", 100*time.Millisecond, 1)
	once.Most = 1
	minor := cellOf("minor", 100*time.Millisecond, 0.3)
	minor.Weight = 0.1
	large := cellOf("large", 2*time.Second, 1)
	large.Pending = largeFrom
	p := &Plan{Budget: time.Minute}
	d := newDrill(p, cellOf("still", 100*time.Millisecond, 0), cellOf("cheap", 100*time.Millisecond, 0.3), cellOf("dear", time.Second, 0.3),
		capped, once, minor, large, besideOf("beside", 2*time.Second, 0.3, BlocksBeside)).run()
	counts := d.counts()
	require.Equal(t, FirstBlocks, counts["still"])
	require.Equal(t, 1, counts["once"])
	require.Equal(t, 8, counts["capped"])
	require.Greater(t, counts["cheap"], counts["dear"])
	require.Greater(t, counts["dear"], FirstBlocks)
	require.Greater(t, counts["cheap"], counts["minor"])
	require.Greater(t, counts["beside"], BlocksBeside)
	require.Zero(t, counts["beside"]%BlocksBeside)
	require.LessOrEqual(t, time.Duration(counts["large"])*large.took, max(time.Duration(blocks.ShareOfLarge*float64(p.Budget)), FirstBlocks*large.took))
	require.LessOrEqual(t, d.spent, p.Budget+madeOverhead)
	require.Greater(t, d.spent, p.Budget*9/10)
}

func drawnDrill(t *rapid.T) *drill {
	p := &Plan{Blocks: rapid.IntRange(0, 5).Draw(t, "blocks")}
	blocks := p.Blocks
	if blocks == 0 {
		p.Budget = time.Duration(rapid.IntRange(1, 8).Draw(t, "budget")) * time.Second
		blocks = BlocksBeside
	}
	var cells []madeCell
	for i := range rapid.IntRange(1, 6).Draw(t, "cells") {
		took := time.Duration(rapid.IntRange(20, 1000).Draw(t, "ms")) * time.Millisecond
		scatter := rapid.SampledFrom([]float64{0, 0.02, 0.1, 1}).Draw(t, "scatter")
		c := cellOf(fmt.Sprint("cell-", i), took, scatter)
		if rapid.Bool().Draw(t, "beside") {
			c = besideOf(c.Name, took, scatter, blocks)
		}
		c.Most = rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(t, "most")
		c.Pending = rapid.SampledFrom([]int{0, largeFrom}).Draw(t, "pending")
		cells = append(cells, c)
	}
	return newDrill(p, cells...)
}

func TestEveryPlanEndsWithItsBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnDrill(t)
		first, dearest, besideLeft := madeOverhead, time.Duration(0), time.Duration(0)
		for _, c := range d.schedule.cells {
			first += time.Duration(d.wanted(c)/c.pass())*c.Time + time.Duration(d.wanted(c))*madeOverhead
			dearest = max(dearest, c.Time)
		}
		d.run()
		for _, c := range d.schedule.cells {
			switch {
			case d.plan.Blocks > 0:
				require.Equal(t, d.plan.Blocks, c.blocks)
			case c.ParallelBlocks > 0:
				require.GreaterOrEqual(t, c.blocks, BlocksBeside)
			case c.Most > 0:
				require.GreaterOrEqual(t, c.blocks, min(c.Most, FirstBlocks))
				require.LessOrEqual(t, c.blocks, c.Most)
			default:
				require.GreaterOrEqual(t, c.blocks, FirstBlocks)
			}
		}
		if d.plan.Budget > 0 {
			require.LessOrEqual(t, d.spent, max(first, d.plan.Budget+dearest+madeOverhead))
		}
		for _, c := range d.schedule.cells { // what fits, but is not worth it yet
			if left := d.plan.Budget - d.spent; c.ParallelBlocks > 0 && c.cost() <= left {
				besideLeft += c.cost() / 2
			}
		}
		for _, c := range d.schedule.cells { // nothing worth while is left undone
			l := c.learned()
			more := c.ParallelBlocks == 0 && !l.Large && (l.Most == 0 || l.Blocks < l.Most) && l.Scatter > 0 && l.Width(l.Blocks+1) < l.Width(l.Blocks)
			fits := d.plan.Budget-d.spent-besideLeft > c.cost()+d.overhead
			require.False(t, more && fits, "%v of %v are left, and %s takes %v", d.plan.Budget-d.spent, d.plan.Budget, c.Name, c.cost())
		}
		for _, s := range d.steps {
			alone := slices.ContainsFunc(s, func(name string) bool { return d.cell(name).ParallelBlocks > 0 })
			require.True(t, !alone || len(s) == 1, "%v", s)
		}
	})
}

// What is learned from files is what was learned when they were written, wherever a run broke off.
func TestARunThatGoesOnHasLearnedTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := drawnDrill(t)
		broken := newDrill(whole.plan, whole.cells...)
		whole.run()
		for range rapid.IntRange(0, len(whole.parts)).Draw(t, "parts") {
			broken.step()
		}
		again := broken.resumed(broken.parts)
		require.Equal(t, broken.spent, again.spent)
		require.Equal(t, broken.overhead, again.overhead)
		for i, c := range broken.schedule.cells {
			require.Equal(t, c.learned(), again.schedule.cells[i].learned(), c.Name)
		}
		if again.run(); whole.plan.Blocks > 0 {
			require.Equal(t, whole.counts(), again.counts())
			require.Equal(t, whole.steps, append(broken.steps, again.steps...))
		}
	})
}

// Controls and what is no figure of the cell's own are not what a budget is divided by.
func TestOnlyFiguresThatAreComparedAreLearned(t *testing.T) {
	c := newDrill(&Plan{Blocks: 1}, cellOf("a", 1, 0)).schedule.cells[0]
	add := func(experiment, note string, params ...any) {
		s := rundata.NewSeries(experiment, params...)
		s.Note = note
		for block := range 3 {
			s.Add(block, 1, rundata.Values{rundata.NsPerOp: float64(1 + block), rundata.BytesPerTimer: 1})
		}
		c.measured = append(c.measured, rundata.Measured{Name: "a", Series: []*rundata.Series{s}})
	}
	add(rundata.Cost, "", "impl", rundata.EmptyControl, "op", rundata.OpPair)
	add(rundata.Cost, "gave up", "impl", "a", "op", rundata.OpInsert)
	add(rundata.Memory, "", "impl", "a")
	require.Empty(t, c.figures())
	add(rundata.Cost, "", "impl", "a", "op", rundata.OpPair)
	add(rundata.Cost, "", "impl", "b", "op", rundata.OpPair)
	add(rundata.Cost, "", "impl", "a", "op", rundata.OpReset)
	require.Len(t, c.figures(), 2)
	require.Zero(t, c.learned().Scatter, "a and b move together")
}
