package experiments

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// A budget that is too small for more has the first blocks of every cell, and says that it is one.
func TestABudgetHasTheFirstBlocksOfEveryCell(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := tiny(sound("a"))
		p.Experiments, p.Ticks, p.Blocks, p.Budget = []string{rundata.Jitter, rundata.Burst}, nil, 0, 1
		d := must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t)
		require.True(t, d.Complete)
		require.Equal(t, "1ns", d.Env["budget"])
		for _, s := range d.Series {
			want := harness.FirstBlocks
			if s.Experiment == rundata.Jitter {
				want = harness.BlocksBeside
			}
			require.Len(t, slices.Compact(slices.Clone(s.Block)), want, s.Name())
		}
		var seen []harness.Step
		must.Get(harness.Run(t.Context(), p, dir, nil, steps(&seen)))(t)
		require.Empty(t, seen, "nothing is left of it")
	})
}
