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
	Name  string             // the first part of the names of its series
	Cells func(*Plan) []Cell // those that it has in a plan
	Check func(*Plan) error  // names what it cannot measure of a plan; it may be nil
	Reads string             // flags without effect unless an experiment reads them, those that this one reads, with blanks between
}

// Cell is an experiment at one set of parameters. Its name is unique in the plan.
type Cell struct {
	Experiment string
	Name       string
	// Time is the expected time of a block, or of all blocks if the participants are measured beside each other.
	Time    time.Duration
	Most    int     // blocks where the budget decides; 0 is any number
	exactly int     // blocks whatever the plan says; 0 leaves it to the plan
	Pending int     // timers of a population; 0 is few
	Weight  float64 // the worth of a narrower interval relative to other cells; 0 is 1
	Memory  int64   // bytes to touch before it is measured
	Rounds  int     // samples that a block has of each participant; 0 is one
	// ParallelBlocks is how many blocks each participant measures beside others, in a process of its own; 0: they
	// take turns. Such participants hardly load the machine, and its disturbances are the same for all.
	ParallelBlocks int
	Abreast        int // participants that are measured at the same time; 0 is all of them
	// Apart says that one participant after another takes all turns of a block: it would work in the turns of others.
	Apart bool
	// NoGC collects garbage only between rounds, where participants take turns: otherwise allocations would
	// get fresh memory from the system. Memory measures the cost of a collection.
	NoGC bool
	Make func(*Session) ([]*Turns, error) // its participants
}

// BlocksBeside is the number of blocks of a participant measured beside others, unless the plan says.
const BlocksBeside = 8

// Measure measures the cell in the blocks of a session. A rough plan collects garbage as usual.
func (c Cell) Measure(s *Session) (series []*rundata.Series, err error) {
	s.Rounds, s.collects = max(c.Rounds, 1), c.NoGC && c.ParallelBlocks == 0
	measure := func() {
		var participants []*Turns
		if participants, err = c.Make(s); err == nil {
			series, err = s.take(c, participants)
		}
	}
	run := measure
	if s.collects {
		run = func() { live.OnOneProcessor(measure) }
	}
	if c.NoGC && !s.Plan.Rough {
		live.WithoutGC(run)
	} else {
		run()
	}
	return series, err
}

// Collect collects the garbage that a measurement would pay for otherwise.
func (s *Session) Collect() {
	if !s.Plan.Rough {
		runtime.GC()
		quiet.Settle()
	}
}

// Session measures blocks of a plan in one process.
type Session struct {
	Ctx  context.Context
	Plan *Plan
	// First is the number of the block, or of the first one of a cell measured beside others. Rounds is the number
	// of samples of a block. They share one place in memory and one history: only blocks are independent.
	First, Rounds int
	collects      bool                // garbage between rounds
	participant   int                 // that of the order: one more than the index of the only one to measure, 0 for all
	ready         func() error        // says that such a process is ready, and waits until others are too
	FirstTouch    float64             // the time of the first touch of a page of memory, in nanoseconds
	GaveUp        map[string][]string // for each cell, the contestants that gave up on it in an earlier block
	AtOnce        int                 // pending in several populations at once; 0 is MostAtOnce

	stalls string // the file with the stalls of the machine, if a process watches for them
}

// NewSession returns a session that measures one block of a plan, with one round.
func NewSession(ctx context.Context, p *Plan, block int) *Session {
	return &Session{Ctx: ctx, Plan: p, First: block, Rounds: 1}
}

// Random returns the source of randomness of a cell: by the seed and the cell only, the same for every contestant and run.
func (s *Session) Random(cell string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(cell))
	return rand.New(rand.NewPCG(s.Plan.Seed, h.Sum64()))
}
