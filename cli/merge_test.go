package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

func TestMergedRunsArePlottedWithAllTheirBlocks(t *testing.T) {
	dir := t.TempDir()
	a, b, all := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "all")
	for _, out := range []string{a, b} {
		got := bench(t, dataRun("--out", out)...).ends(t, 0)
		require.NotContains(t, got.out, "VERDICT")
		require.NoDirExists(t, filepath.Join(out, chartsDir))
	}
	bench(t, "merge", a, filepath.Join(b, dataDir), "--out", all).ends(t, 0).says(t, "of 2 runs are in "+all)
	bench(t, "plot", all).ends(t, 0)

	one, both := loaded(t, a), loaded(t, all)
	require.Len(t, both.Series, len(one.Series))
	for i, s := range both.Series {
		require.Len(t, s.Blocks(rundata.NsPerOp), 2*len(one.Series[i].Blocks(rundata.NsPerOp)), s.Name())
	}

	for reason, args := range map[string][]string{
		"hold the same measurements": {a, a, "--out", filepath.Join(dir, "twice")},
		"want two at least":          {a, "--out", filepath.Join(dir, "alone")},
		"holds a run already":        {a, b, "--out", all},
		"no measurements in":         {a, dir, "--out", filepath.Join(dir, "none")},
		"missing flags: --out":       {a, b},
	} {
		bench(t, append([]string{"merge"}, args...)...).refused(t, reason)
	}
}
