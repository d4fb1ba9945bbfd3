package harness

import (
	"cmp"
	"slices"
	"time"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// schedule decides which cells the next block measures: first all, and then those in which it is expected to decide most comparisons.
type schedule struct {
	plan     *Plan
	cells    []*scheduled
	spent    time.Duration // of the budget
	overhead time.Duration
	files    int // that have been learned from
	block    int // the number of the next block
}

type scheduled struct {
	Cell
	blocks   int
	measured []rundata.Measured // file by file
	owed     float64            // blocks that the cell has earned and not yet had
}

const (
	// FirstBlocks is how many blocks each cell has before a budget is divided: as many as an interval of a median needs.
	FirstBlocks = 6
	// worthBeside is a share of a pass. A cell with parallel blocks is measured again once the budget gives it that
	// share.
	worthBeside = 0.5
	// largeFrom is from how many timers on a cell shares the part of the budget that large populations have.
	largeFrom = 1_000_000
)

func newSchedule(p *Plan, cells []Cell) schedule {
	return schedule{plan: p, cells: lists.Each(cells, func(c Cell) *scheduled {
		return &scheduled{Cell: c, owed: 0.5}
	})}
}

func (s *schedule) cell(name string) *scheduled {
	if i := slices.IndexFunc(s.cells, func(c *scheduled) bool { return c.Name == name }); i >= 0 {
		return s.cells[i]
	}
	return &scheduled{} // a file of another plan
}

// learn takes in what a file has measured.
func (s *schedule) learn(p *rundata.File) {
	s.files++
	inside := time.Duration(0)
	for _, m := range p.Cells {
		inside += m.Took
		c := s.cell(m.Name)
		c.blocks += lists.Most(m.Series, func(s *rundata.Series) int { return len(slices.Compact(slices.Clone(s.Block))) })
		c.measured = append(c.measured, m)
	}
	if s.cell(p.Cells[0].Name).ParallelBlocks == 0 { // a parallel cell counts its own blocks, and its time includes processes
		s.block = max(s.block, p.First+1)
		s.overhead = max(rundata.SystemLoadOf(p.Env).Took-inside, 0) + startup
	}
}

// figures returns the figures of blocks by which contestants are compared, for each group that differs only in them.
func (c *scheduled) figures() (groups [][][]float64) {
	series := lists.Only(rundata.Join(nil, []*rundata.File{{Cells: c.measured}}), func(s *rundata.Series) bool {
		return s.Experiment == c.Experiment && s.Note == "" && !slices.Contains(rundata.Controls(), s.Get("impl"))
	})
	for _, group := range rundata.BesideEachOther(series) {
		groups = append(groups, lists.Each(group, func(s *rundata.Series) []float64 { return s.Blocks(rundata.ExperimentOf(s.Experiment).Unit) }))
	}
	return groups
}

// startup is what it takes to start a process besides what that reports.
const startup = 50 * time.Millisecond

// pass is how many blocks a cell has each time that it is measured.
func (c *scheduled) pass() int { return max(c.ParallelBlocks, 1) }

// cost returns the expected time of measuring the cell once more: the least of the last three times. The first blocks
// also weigh timers, and take longer.
func (c *scheduled) cost() time.Duration {
	if len(c.measured) == 0 {
		return c.Time
	}
	last := c.measured[max(0, len(c.measured)-3):]
	return slices.Min(lists.Each(last, func(m rundata.Measured) time.Duration { return m.Took }))
}

// wanted returns how many blocks a cell is to have whatever they show.
func (s *schedule) wanted(c *scheduled) int {
	return cmp.Or(c.ParallelBlocks, c.exactly, s.plan.Blocks, min(FirstBlocks, cmp.Or(c.Most, FirstBlocks)))
}

// first returns the expected time of the fixed blocks that cells still lack.
func (s *schedule) first() (left time.Duration) {
	for _, c := range s.cells {
		missing := max(s.wanted(c)-c.blocks, 0)
		left += time.Duration((missing+c.pass()-1)/c.pass()) * c.cost()
	}
	return left
}

// next returns the cells of the next block, none if nothing is left to measure, and the expected time of all that is left.
// A cell whose participants are measured beside each other comes alone.
func (s *schedule) next() (cells []Cell, left time.Duration) {
	var due, alone []Cell
	for _, c := range s.cells {
		switch {
		case c.blocks >= s.wanted(c):
		case c.ParallelBlocks > 0:
			alone = append(alone, c.Cell)
		default:
			due = append(due, c.Cell)
		}
	}
	left = max(s.first(), s.plan.Budget-s.spent)
	begun := slices.ContainsFunc(s.cells, func(c *scheduled) bool { return c.ParallelBlocks == 0 && c.blocks > 0 })
	switch {
	case len(alone) > 0 && (begun || len(due) == 0): // the first block is the first to show something
		return alone[:1], left
	case len(due) > 0:
		return due, left
	}
	return s.worthwhile(), left
}

// worthwhile returns the cells of the next block once all fixed blocks are measured. These cells have earned a block
// from the rest of the budget: see divided.
func (s *schedule) worthwhile() (cells []Cell) {
	more := s.divided()
	blocks := s.processes(more)
	var most *scheduled // the cell with the most blocks earned
	for i, c := range s.cells {
		switch {
		case more[i] == 0:
		case c.ParallelBlocks > 0:
			if float64(more[i]) >= worthBeside*float64(c.pass()) && c.cost() <= s.plan.Budget-s.spent {
				return []Cell{c.Cell}
			}
		default:
			if c.owed += float64(more[i]) / float64(blocks); most == nil || c.owed > most.owed {
				most = c
			}
			if c.owed >= 1 {
				c.owed--
				cells = append(cells, c.Cell)
			}
		}
	}
	if len(cells) == 0 && most != nil {
		most.owed--
		cells = []Cell{most.Cell}
	}
	return cells
}

// divided returns how many more blocks each cell gets of the rest of the budget. Starting processes takes a part of it:
// one process for each block of the cell with the most blocks. If that is more than half of the budget, each block of a
// cell pays for a process of its own.
func (s *schedule) divided() []int {
	learned := lists.Each(s.cells, (*scheduled).learned)
	budget, overhead, large := (s.plan.Budget - s.spent).Seconds(), s.overhead.Seconds(), s.leftOfLarge()
	for i, c := range s.cells {
		if c.ParallelBlocks > 0 && c.cost() > s.plan.Budget-s.spent {
			learned[i].Most = c.blocks // it does not fit once more
		}
	}
	of := float64(s.processes(blocks.Allocate(learned, budget, large))) * overhead
	if of <= budget/2 {
		return blocks.Allocate(learned, budget-of, large)
	}
	for i, c := range s.cells {
		if c.ParallelBlocks == 0 {
			learned[i].Cost += overhead
		}
	}
	return blocks.Allocate(learned, budget, large)
}

func (s *schedule) processes(blocks []int) (most int) {
	for i, c := range s.cells {
		if c.ParallelBlocks == 0 {
			most = max(most, blocks[i])
		}
	}
	return most
}

func (s *schedule) leftOfLarge() float64 {
	left := blocks.ShareOfLarge * s.plan.Budget.Seconds()
	for _, c := range s.cells {
		if c.Pending >= largeFrom {
			for _, m := range c.measured {
				left -= m.Took.Seconds()
			}
		}
	}
	return left
}

func (c *scheduled) learned() blocks.Learned {
	l := blocks.Learned{Blocks: c.blocks, Most: cmp.Or(c.exactly, c.Most), Cost: c.cost().Seconds() / float64(c.pass()), Weight: cmp.Or(c.Weight, 1), Large: c.Pending >= largeFrom}
	groups := c.figures()
	l.Weight *= float64(max(len(groups), 1))
	for _, figures := range groups {
		l.Scatter += blocks.Scatter(figures) / float64(len(groups))
	}
	return l
}
