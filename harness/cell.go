package harness

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"time"

	"schedbench/harness/quiet"
	"schedbench/harness/rundata"
	"schedbench/live"
)

// Experiment is one kind of measurement.
type Experiment struct {
	// Name is the first part of the names of its series.
	Name string
	// Cells returns its cells in a plan.
	Cells func(*Plan) []Cell
	// Check returns an error with what of a plan it cannot measure. It may be nil.
	Check func(*Plan) error
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
	// Beside is how many blocks each of its participants measures at the same time as others, in a process of its own;
	// 0: they take turns. What such participants do takes little of the machine: they do not disturb each other, and what
	// the machine does meanwhile is the same for all.
	Beside int
	// Abreast is how many participants are measured at the same time; 0 is all of them.
	Abreast int
	// NoGC says that no garbage is collected but before a round, where participants take turns: what allocates would get
	// fresh memory from the system otherwise. What a collection costs is measured by Memory.
	NoGC bool
	// Make makes its participants.
	Make func(*Session) ([]*Turns, error)
}

// Made returns what makes the participants of a cell that need no preparation.
func Made(of func(*Session) []*Turns) func(*Session) ([]*Turns, error) {
	return func(s *Session) ([]*Turns, error) { return of(s), nil }
}

// BlocksBeside is how many blocks a participant has that is measured beside others, unless the plan says.
const BlocksBeside = 8

// Measure measures the cell in the blocks of a session.
func (c Cell) Measure(s *Session) (series []*rundata.Series, err error) {
	s.Rounds, s.collects = max(c.Rounds, 1), c.NoGC && c.Beside == 0
	measure := func() {
		var participants []*Turns
		if participants, err = c.Make(s); err == nil {
			series, err = s.take(c, participants)
		}
	}
	switch {
	case s.collects:
		s.withoutGC(func() { live.OnOneProcessor(measure) })
	case c.NoGC:
		s.withoutGC(measure)
	default:
		measure()
	}
	return series, err
}

// withoutGC measures without collections, unless the plan is rough.
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
	// First is the number of the block. A cell whose participants are measured beside each other has several blocks; then
	// it is that of the first. Rounds is how many samples a block has. What is measured within a block has one place in
	// memory and one history, which is why only blocks count as independent.
	First, Rounds int
	collects      bool // says that garbage is collected before each round
	// participant is the place of the only one to measure in a cell, -1 for all.
	participant int
	parent      parent
	// FirstTouch is what the first touch of a page of memory took, in nanoseconds.
	FirstTouch float64
	// GaveUp has, for each workload, who gave up on it in an earlier block.
	GaveUp map[string][]string
	AtOnce int // pending in several populations at once; 0 is MostAtOnce

	watches  map[int]*quiet.Watch // by how many goroutines
	mostLost float64              // of a watch
	used     quiet.Use            // by all watches

	stalls string // the file with the stalls of the machine, if a process watches for them
}

// NewSession returns a session that measures one block of a plan, with one round.
func NewSession(ctx context.Context, p *Plan, block int) *Session {
	return &Session{Ctx: ctx, Plan: p, First: block, Rounds: 1, participant: -1, mostLost: quiet.MostLost}
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
