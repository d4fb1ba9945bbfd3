package harness

import (
	"errors"
	"fmt"

	"schedbench/internal/words"
)

// All returns all experiments.
func All() []Experiment {
	return []Experiment{
		{Name: Control, Cells: (*Plan).controlCells},
		{Name: Cost, Cells: (*Plan).costCells, Check: checkCosts},
		{Name: Profiles, Cells: (*Plan).profileCells, Check: (*Plan).checkProfiles},
		{Name: Map, Cells: (*Plan).mapCells},
		{Name: Parallel, Cells: (*Plan).parallelCells},
		{Name: Tails, Cells: (*Plan).tailCells},
		{Name: Memory, Cells: (*Plan).memoryCells},
		{Name: Jitter, Cells: (*Plan).jitterCells},
		{Name: Live, Cells: (*Plan).workloadLiveCells},
		{Name: Slow, Cells: (*Plan).slowCells},
		{Name: Burst, Cells: (*Plan).burstCells},
		{Name: Drain, Cells: (*Plan).drainCells},
		{Name: Flood, Cells: (*Plan).floodCells},
		{Name: Pause, Cells: (*Plan).pauseCells, Helper: RunPaused},
		{Name: Slack, Cells: (*Plan).slackCells},
		{Name: Idle, Cells: (*Plan).idleCells},
	}
}

// Limits names the experiments that have cells of some sizes only, and says of which.
func Limits() map[string]string {
	return map[string]string{Tails: fmt.Sprintf("%d to %s pending timers", fewestTail, words.Count(mostTail))}
}

// checkCosts returns an error with what cost cells of a plan cannot have.
func checkCosts(p *Plan) error {
	return errors.Join(known("delay distribution", p.Delays, Delays()), known("operation", p.Ops, Ops()))
}
