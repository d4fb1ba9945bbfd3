// Package experiments has what the harness measures, a file for each experiment: what makes the cells of a
// plan, and what a contestant does in them. DefaultPlan is a plan of all that does not take long.
package experiments

import (
	"errors"
	"fmt"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/words"
)

// All returns all experiments.
func All() []harness.Experiment {
	return []harness.Experiment{
		{Name: rundata.Control, Cells: controlCells},
		{Name: rundata.Cost, Cells: costCells, Check: checkCosts},
		{Name: rundata.Profiles, Cells: profileCells, Check: checkProfiles},
		{Name: rundata.Map, Cells: mapCells},
		{Name: rundata.Parallel, Cells: parallelCells},
		{Name: rundata.Tails, Cells: tailCells},
		{Name: rundata.Memory, Cells: memoryCells},
		{Name: rundata.Jitter, Cells: jitterCells},
		{Name: rundata.Live, Cells: workloadLiveCells},
		{Name: rundata.Slow, Cells: slowCells},
		{Name: rundata.Burst, Cells: burstCells},
		{Name: rundata.Drain, Cells: drainCells},
		{Name: rundata.Flood, Cells: floodCells},
		{Name: rundata.Pause, Cells: pauseCells, Helper: RunPaused},
		{Name: rundata.Slack, Cells: slackCells},
		{Name: rundata.Idle, Cells: idleCells},
	}
}

// Limits names the experiments that have cells of some sizes only, and says of which.
func Limits() map[string]string {
	return map[string]string{rundata.Tails: fmt.Sprintf("%d to %s pending timers", fewestTail, words.Count(mostTail))}
}

// checkCosts returns an error with what cost cells of a plan cannot have.
func checkCosts(p *harness.Plan) error {
	return errors.Join(check.Known("delay distribution", p.Delays, Delays()), check.Known("operation", p.Ops, rundata.Ops()))
}
