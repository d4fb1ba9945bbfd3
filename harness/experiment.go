package harness

import (
	"cmp"
	"context"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"time"

	"schedbench/live"
)

// Experiment is a question that is put to contestants.
type Experiment struct {
	// Name is the first part of the names of its series.
	Name string
	// Cells returns its cells in a plan.
	Cells func(*Plan) []Cell
	// Check returns an error with what of a plan it cannot measure. It may be nil.
	Check func(*Plan) error
	// Helper is what a process does that a turn starts, with a contestant. It may be nil.
	Helper func(io.Writer, Contestant) error
}

// Cell is one question of a plan. Its name is unique in the plan.
type Cell struct {
	Experiment string
	Name       string
	// Time is how long a block of the cell is expected to take, or, of a cell whose participants
	// are measured beside each other, all of its blocks.
	Time time.Duration
	// most is how many blocks it has at most where the budget decides; 0 is any number.
	most int
	// exactly is how many blocks it has whatever the plan says; 0 is as the plan says.
	exactly int
	// pending is how many timers a population of it has; 0 is few.
	pending int
	// weight is what a narrower interval is worth against one of other cells; 0 is 1.
	weight float64
	// memory is how many bytes to touch before it is measured.
	memory int64
	// rounds is how many samples a block has of each participant; 0 is one.
	rounds int
	// beside is how its participants are measured at the same time; nil: they take turns.
	beside *beside
	noGC   bool
	turn   time.Duration // of one participant; 0 if they do not take turns
	// of makes its participants. run is what measures them, if they do more than take turns.
	of  func(*session) ([]*competitor, error)
	run func(*session) ([]*Series, error)
}

// turnsCell returns a cell in which competitors take turns of some length. Each turn builds what
// it measures.
func turnsCell(experiment, name string, competitors int, turn time.Duration, of func(*session) []*competitor) Cell {
	return Cell{
		Experiment: experiment,
		Name:       name,
		Time:       time.Duration(competitors) * turn,
		turn:       turn,
		of:         func(s *session) ([]*competitor, error) { return of(s), nil },
	}
}

// runnersCell returns a cell on the real clock in which each of some runners competes.
func runnersCell(experiment, name string, runners []runner, turn time.Duration, of func(*session, runner) *competitor) Cell {
	return turnsCell(experiment, name, len(runners), turn, func(s *session) []*competitor {
		return each(runners, func(r runner) *competitor { return of(s, r) })
	}).launching(runners)
}

// withoutGC returns the cell measured without garbage collections but those between
// turns. What a collection costs is measured by Memory.
func (c Cell) withoutGC() Cell { c.noGC = true; return c }

// atMost returns the cell with a limit of its blocks.
func (c Cell) atMost(blocks int) Cell { c.most = blocks; return c }

// weighing returns the cell with a weight.
func (c Cell) weighing(weight float64) Cell { c.weight = weight; return c }

// sideBySide returns the cell with its participants measured at the same time, so many abreast.
func (c Cell) sideBySide(p *Plan, abreast int) Cell {
	c.beside = &beside{abreast, cmp.Or(p.Blocks, blocksBeside)}
	if abreast > 0 {
		sets := (int(c.Time/c.turn) + abreast - 1) / abreast
		c.Time = time.Duration(sets) * c.turn
	}
	c.Time *= time.Duration(c.beside.blocks)
	return c
}

// blocksBeside is how many blocks a participant has that is measured beside others.
const blocksBeside = 12

// measure measures the cell in the blocks of a session.
func (c Cell) measure(s *session) (series []*Series, err error) {
	s.rounds = max(c.rounds, 1)
	measure := func() {
		if c.run != nil {
			series, err = c.run(s)
			return
		}
		var competitors []*competitor
		if competitors, err = c.of(s); err != nil {
			return
		}
		if c.beside != nil {
			series, err = s.oneByOne(c, competitors)
		} else {
			series, err = interleave(s, c.Name, competitors)
		}
	}
	switch {
	case c.noGC && c.beside == nil:
		live.WithoutGC(func() { live.OnOneProcessor(measure) })
	case c.noGC:
		live.WithoutGC(measure)
	default:
		measure()
	}
	return series, err
}

// session measures blocks of a plan in one process.
type session struct {
	ctx  context.Context
	plan *Plan
	// first is the number of the first block, count how many there are, and rounds how many samples
	// each has. What is measured within a block has one place in memory and one history, which is
	// why only blocks count as independent.
	first, count, rounds int
	// participant is the place of the only one to measure in a cell, -1 for all, and ready waits until
	// others that are measured at the same time are ready too.
	participant int
	ready       func() error
	// firstTouch is what the first touch of a page of memory took, in nanoseconds.
	firstTouch float64
	// gaveUp has, for each workload, who gave up on it in an earlier block.
	gaveUp map[string][]string
	most   int // pending in several populations at once; 0 is mostAtOnce
}

// newSession returns a session that measures one block of a plan, with one round.
func newSession(ctx context.Context, p *Plan, block int) *session {
	return &session{ctx: ctx, plan: p, first: block, count: 1, rounds: 1, participant: -1}
}

// random returns the source of randomness of a cell. It depends on the seed and
// the cell alone, so that every contestant, and every run, gets the same.
func (s *session) random(cell string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(cell))
	return rand.New(rand.NewPCG(s.plan.Seed, h.Sum64()))
}

// sample is what was measured in a turn, by unit.
type sample = map[string]float64
