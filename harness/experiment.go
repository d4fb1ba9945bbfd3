package harness

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/internal/words"
	"schedbench/live"
)

// Experiment is a question that is put to contestants. Each has a file of its own, with
// its name, its cells and its turns, and an entry in the table of experiments.
type Experiment struct {
	// Name is the first part of the names of its series.
	Name string
	// OnlyFull says that it takes long, and is left to a plan of everything unless it
	// is asked for.
	OnlyFull bool
	// Lateness says that its series have histograms of how late and how early timers
	// fired.
	Lateness bool
	// Durations says that its series have histograms of how long single calls took, but
	// those of a part of what happened.
	Durations bool
	// Unit is that of the samples by which contestants are compared, and Control names
	// the series whose samples are taken off theirs before, if there is one.
	Unit, Control string

	// Sizes says which sizes it has cells of, "" if of any.
	Sizes string

	cells func(*Plan) []Cell
}

// experiments are all experiments, in the order in which they are run and shown.
func experiments() []Experiment {
	return []Experiment{
		{Name: Control, Unit: NsPerOp, cells: (*Plan).controlCells},
		{Name: Cost, Unit: NsPerOp, Control: EmptyControl, cells: (*Plan).costCells},
		{Name: Profiles, Unit: NsPerOp, Control: EmptyControl, cells: (*Plan).profileCells},
		{Name: Map, OnlyFull: true, Unit: NsPerOp, Control: EmptyControl, cells: (*Plan).mapCells},
		{Name: Parallel, Unit: NsPerOp, cells: (*Plan).parallelCells},
		{Name: Tails, Durations: true, Unit: P9999Took, Sizes: fmt.Sprintf("%d to %s pending timers", fewestTail, words.Count(mostTail)), cells: (*Plan).tailCells},
		// Before those in which time.AfterFunc starts goroutines by the hundred thousand: the
		// runtime keeps what is left of them, and each collection takes ten times as long.
		{Name: Memory, Unit: BytesPerTimer, cells: (*Plan).memoryCells},
		{Name: Jitter, Lateness: true, Unit: P99Late, cells: (*Plan).jitterCells},
		{Name: Live, Lateness: true, Unit: P99Late, cells: (*Plan).workloadLiveCells},
		{Name: Slow, Lateness: true, Unit: P99Late, cells: (*Plan).slowCells},
		{Name: Burst, Lateness: true, Unit: DoneNs, cells: (*Plan).burstCells},
		{Name: Drain, OnlyFull: true, Lateness: true, Unit: CPUPerTimer, cells: (*Plan).drainCells},
		{Name: Flood, OnlyFull: true, Unit: LateAfter, cells: (*Plan).floodCells},
		{Name: Pause, OnlyFull: true, Unit: CatchUpNs, cells: (*Plan).pauseCells},
		{Name: Slack, OnlyFull: true, Lateness: true, Unit: CPUPerSecond, cells: (*Plan).slackCells},
		{Name: Idle, Unit: CPUPerSecond, Control: ProcessControl, cells: (*Plan).idleCells},
	}
}

// Experiments lists the names of all experiments.
func Experiments() []string {
	return each(experiments(), func(e Experiment) string { return e.Name })
}

// ExperimentOf returns the experiment of a name, and none, without a name, if there
// is none.
func ExperimentOf(name string) (e Experiment) {
	if i := slices.IndexFunc(experiments(), func(e Experiment) bool { return e.Name == name }); i >= 0 {
		e = experiments()[i]
	}
	return e
}

// Cell is one question of a plan. Its name is unique in the plan.
type Cell struct {
	Experiment string
	Name       string
	// Time is how long the cell is expected to take.
	Time time.Duration
	run  func(*session) ([]*Series, error)
}

// turnsCell returns a cell in which so many competitors take turns of some length, for
// some rounds. Each turn builds what it measures, so that each round is a block.
func turnsCell(experiment, name string, rounds, competitors int, turn time.Duration, of func(*session) []*competitor) Cell {
	return Cell{
		Experiment: experiment,
		Name:       name,
		Time:       time.Duration(competitors*rounds) * turn,
		run: func(s *session) ([]*Series, error) {
			return interleave(s, name, blocks{count: rounds, rounds: 1}, of(s))
		},
	}
}

// runnersCell returns a cell on the real clock in which each of some runners competes.
func (p *Plan) runnersCell(experiment, name string, runners []runner, turn time.Duration, of func(*session, runner) *competitor) Cell {
	return turnsCell(experiment, name, p.LiveBlocks, len(runners), turn, func(s *session) []*competitor {
		return each(runners, func(r runner) *competitor { return of(s, r) })
	}).launching(p.LiveBlocks, runners)
}

// withoutGC returns the cell measured without garbage collections but those between
// turns. What a collection costs is measured by Memory.
func (c Cell) withoutGC() Cell {
	run := c.run
	c.run = func(s *session) (series []*Series, err error) {
		live.WithoutGC(func() { series, err = run(s) })
		return series, err
	}
	return c
}

// session is one run of a plan.
type session struct {
	ctx  context.Context
	plan *Plan
	most int // pending in several populations at once; 0 is mostAtOnce
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
