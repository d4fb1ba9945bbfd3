// Package experiments has the experiments: each makes cells of a plan. DefaultPlan returns the plan of
// a default run.
package experiments

import (
	"fmt"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// registered has what the files of the experiments have registered, by name, before the program began.
var registered = map[string]harness.Experiment{}

func register(e harness.Experiment) { registered[e.Name] = e }

// All returns all experiments.
func All() []harness.Experiment {
	return lists.Each(rundata.ExperimentNames(), func(name string) harness.Experiment { return registered[name] })
}

// TailsHold describes the populations of tails.
func TailsHold() string {
	return fmt.Sprintf("%d to %s pending timers", fewestTail, words.Count(mostTail))
}

func measures(p *harness.Plan, experiment string) bool {
	return slices.Contains(p.Experiments, experiment)
}

// Geometries describes the geometries of the contestants: the common one, and what each is fitted with. Jitter has a finer
// tick: rounding up to a tick must not show there.
func Geometries(p *harness.Plan) (all []rundata.Param) {
	g := costGeometry(rundata.OpPair, 0, longest)
	for _, c := range p.Contestants {
		if c.Fitted == nil || c.Fitted(g) == "" {
			continue
		}
		if len(all) == 0 {
			same := fmt.Sprintf("tick %v, horizon %s", g.Tick, words.Span(float64(g.Horizon)))
			if measures(p, rundata.Jitter) {
				same += fmt.Sprintf(" (jitter: tick %v)", finestTick)
			}
			all = append(all, rundata.Param{Key: rundata.GeometryKey + rundata.Wheels, Value: same})
		}
		all = append(all, rundata.Param{Key: rundata.GeometryKey + c.Name, Value: c.Fitted(g)})
	}
	return all
}

// DefaultPlan returns the plan of a default run, which takes less than three minutes. Profiles and Live have no cells
// until it has Profiles and LiveProfiles. Any field may be changed before Run.
func DefaultPlan(contestants ...harness.Contestant) *harness.Plan {
	return &harness.Plan{
		Experiments: slices.DeleteFunc(rundata.ExperimentNames(), func(e string) bool { return rundata.ExperimentOf(e).OnlyFull }),
		Known:       All(),
		About:       Geometries,
		Contestants: contestants,
		Pending:     []int{1_000, 10_000, 100_000},
		Ticks:       []time.Duration{time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond},
		Delays:      Delays()[:2],
		Ops:         rundata.Ops(),
		Budget:      145 * time.Second,
		Rounds:      8,
		Epoch:       450 * time.Microsecond,
		Slice:       time.Second,
		Watch:       500 * time.Millisecond,
		Rate:        1000,
		Burst:       20_000,
		Drain:       100_000,
		Flood:       1_000_000,
		ListCell:    90 * time.Millisecond,
		ReplayLimit: 3 * time.Second,
		Seed:        1,
	}
}

// QuickPlan returns a DefaultPlan of tiny sizes, to see in half a minute that all of it works: its figures say little.
func QuickPlan(contestants ...harness.Contestant) *harness.Plan {
	p := DefaultPlan(contestants...)
	p.MakeQuick()
	return p
}
