package experiments

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
)

func TestEveryBlockSaysHowLongItTook(t *testing.T) {
	p := tiny(sound("a"), sound("b"))
	p.Experiments, p.Ops = []string{rundata.Cost}, []string{rundata.OpInsert, rundata.OpTick}
	d := must.Get(harness.Run(t.Context(), p, t.TempDir(), nil, nil))(t)
	require.Equal(t, []string{"block-00", "block-01"}, lists.Each(d.SystemLoad, func(a rundata.SystemLoad) string { return a.Block }))
	for _, a := range d.SystemLoad {
		require.Positive(t, a.Took, a.Block)
		require.NotEmpty(t, a.Date, a.Block)
	}
}

// Two runs of weights, which clocks do not tell apart, are two runs.
func TestRunsThatWeighTheSameAreNotTheSame(t *testing.T) {
	p := tiny(harness.Contestant{Name: "known", New: sound("a").New})
	p.Experiments, p.Pending = []string{rundata.Memory}, []int{1000}
	var dirs []string
	for range 2 {
		dir := t.TempDir()
		must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t)
		dirs = append(dirs, dir)
	}
	_, _, err := rundata.Merge(filepath.Join(t.TempDir(), "all"), dirs...)
	require.NoError(t, err)
}
