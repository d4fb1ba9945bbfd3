package harness

import (
	"slices"
	"time"

	"schedbench/live"
)

// Experiment is a question that is put to contestants. Each has a file of its own, with
// its name, its cells and its turns.
type Experiment struct {
	// Name is the first part of the names of its series.
	Name string
	// OnlyFull says that it takes long, and is left to a plan of everything unless it
	// is asked for.
	OnlyFull bool
	// Lateness says that its series have histograms of how late and how early timers
	// fired.
	Lateness bool
	// Unit is that of the samples by which contestants are compared, and Control names
	// the series whose samples are taken off theirs before, if there is one.
	Unit, Control string

	cells func(*Plan) []Cell
}

// experiments are all experiments, in the order in which they are run and shown.
func experiments() []Experiment {
	return []Experiment{
		controlExperiment(), costExperiment(), profilesExperiment(), parallelExperiment(),
		jitterExperiment(), liveExperiment(), slowExperiment(), burstExperiment(), drainExperiment(),
		pauseExperiment(), slackExperiment(), idleExperiment(), memoryExperiment(),
	}
}

// Experiments lists the names of all experiments.
func Experiments() (names []string) {
	for _, e := range experiments() {
		names = append(names, e.Name)
	}
	return names
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

// liveCell returns a cell on the real clock, in which so many competitors take turns
// of some length.
func (p *Plan) liveCell(experiment, name string, competitors int, turn time.Duration, of func(*session) []*competitor) Cell {
	return Cell{
		Experiment: experiment,
		Name:       name,
		Time:       time.Duration(competitors*p.LiveRounds) * turn,
		run:        func(s *session) ([]*Series, error) { return interleave(s, p.LiveRounds, of(s)) },
	}
}

// runnersCell returns a live cell in which each of some runners competes.
func (p *Plan) runnersCell(experiment, name string, runners []runner, turn time.Duration, of func(*session, runner) *competitor) Cell {
	return p.liveCell(experiment, name, len(runners), turn, func(s *session) (list []*competitor) {
		for _, r := range runners {
			list = append(list, of(s, r))
		}
		return list
	})
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
