package harness

import (
	"cmp"
	"context"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"schedbench/harness/quiet"
	"schedbench/harness/rundata"
	"schedbench/live"
)

// Beside says that the participants of a cell are measured at the same time, each in a process of
// its own. What they do takes little of the machine: they do not disturb each other, and
// what the machine does meanwhile is the same for all.
type Beside struct {
	// abreast is how many there are at a time; 0 is all of them.
	abreast int
	// Blocks is how many blocks each process measures.
	Blocks int
}

// Experiment is one kind of measurement.
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

// Cell is an experiment at one set of parameters. Its name is unique in the plan.
type Cell struct {
	Experiment string
	Name       string
	// Time is how long a block of the cell is expected to take, or, of a cell whose participants
	// are measured beside each other, all of its blocks.
	Time time.Duration
	// Most is how many blocks it has at most where the budget decides; 0 is any number.
	Most int
	// exactly is how many blocks it has whatever the plan says; 0 is as the plan says.
	exactly int
	// Pending is how many timers a population of it has; 0 is few.
	Pending int
	// Weight is what a narrower interval is worth against one of other cells; 0 is 1.
	Weight float64
	// Memory is how many bytes to touch before it is measured.
	Memory int64
	// Rounds is how many samples a block has of each participant; 0 is one.
	Rounds int
	// Beside is how its participants are measured at the same time; nil: they take turns.
	Beside *Beside
	noGC   bool
	turn   time.Duration // of one participant; 0 if they do not take turns
	// Make makes its participants.
	Make func(*Session) ([]*Turns, error)
}

// NewCell returns a cell in which participants take turns of some length. Each turn builds what
// it measures.
func NewCell(experiment, name string, participants int, turn time.Duration, of func(*Session) []*Turns) Cell {
	return Cell{
		Experiment: experiment,
		Name:       name,
		Time:       time.Duration(participants) * turn,
		turn:       turn,
		Make:       func(s *Session) ([]*Turns, error) { return of(s), nil },
	}
}

// WithoutGC returns the cell measured without garbage collections but those between
// turns. What a collection costs is measured by Memory.
func (c Cell) WithoutGC() Cell { c.noGC = true; return c }

// AtMost returns the cell with a limit of its blocks.
func (c Cell) AtMost(blocks int) Cell { c.Most = blocks; return c }

// Weighing returns the cell with a weight.
func (c Cell) Weighing(weight float64) Cell { c.Weight = weight; return c }

// SideBySide returns the cell with its participants measured at the same time, so many abreast.
func (c Cell) SideBySide(p *Plan, abreast int) Cell {
	c.Beside = &Beside{abreast, cmp.Or(p.Blocks, BlocksBeside)}
	if abreast > 0 {
		sets := (int(c.Time/c.turn) + abreast - 1) / abreast
		c.Time = time.Duration(sets) * c.turn
	}
	c.Time *= time.Duration(c.Beside.Blocks)
	return c
}

// BlocksBeside is how many blocks a participant has that is measured beside others.
const BlocksBeside = 8

// Measure measures the cell in the blocks of a session.
func (c Cell) Measure(s *Session) (series []*rundata.Series, err error) {
	s.Rounds = max(c.Rounds, 1)
	measure := func() {
		var participants []*Turns
		if participants, err = c.Make(s); err != nil {
			return
		}
		if c.Beside != nil {
			series, err = s.oneByOne(c, participants)
		} else {
			series, err = s.interleave(c.Name, participants)
		}
	}
	switch {
	case c.noGC && c.Beside == nil:
		s.withoutGC(func() { live.OnOneProcessor(measure) })
	case c.noGC:
		s.withoutGC(measure)
	default:
		measure()
	}
	return series, err
}

func (s *Session) withoutGC(measure func()) {
	if s.Plan.Rough {
		measure()
		return
	}
	live.WithoutGC(measure)
}

// Collect collects the garbage that a measurement would pay for otherwise.
func (s *Session) Collect() {
	if !s.Plan.Rough {
		runtime.GC()
	}
}

// Session measures blocks of a plan in one process.
type Session struct {
	Ctx  context.Context
	Plan *Plan
	// First is the number of the first block, count how many there are, and rounds how many samples
	// each has. What is measured within a block has one place in memory and one history, which is
	// why only blocks count as independent.
	First, count, Rounds int
	// participant is the place of the only one to measure in a cell, -1 for all, and ready waits until
	// others that are measured at the same time are ready too.
	participant int
	ready       func() error
	// FirstTouch is what the first touch of a page of memory took, in nanoseconds.
	FirstTouch float64
	// GaveUp has, for each workload, who gave up on it in an earlier block.
	GaveUp map[string][]string
	AtOnce int // pending in several populations at once; 0 is mostAtOnce

	watches  map[int]*quiet.Watch // by how many goroutines
	mostLost float64              // of a watch
	used     quiet.Use            // by all watches
}

// NewSession returns a session that measures one block of a plan, with one round.
func NewSession(ctx context.Context, p *Plan, block int) *Session {
	return &Session{Ctx: ctx, Plan: p, First: block, count: 1, Rounds: 1, participant: -1, mostLost: quiet.MostLost}
}

// Watch returns what sees whether the processors of so many goroutines are disturbed, nil if all
// samples are kept. All cells of a process share what it reads: a disturbance that lasts as long as a cell shows against
// the readings of other cells. Each has time of its own to lose.
func (s *Session) Watch(goroutines int) *quiet.Watch {
	if s.Plan.Rough {
		return nil
	}
	if s.watches[goroutines] == nil {
		if s.watches == nil {
			s.watches = map[int]*quiet.Watch{}
		}
		s.watches[goroutines] = quiet.NewWatch(goroutines, s.mostLost, &s.used)
	}
	return s.watches[goroutines].Anew()
}

// Random returns the source of randomness of a cell. It depends on the seed and
// the cell alone: every contestant, and every run, gets the same.
func (s *Session) Random(cell string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(cell))
	return rand.New(rand.NewPCG(s.Plan.Seed, h.Sum64()))
}
