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
		got := bench(t, dataRun("--out", out)...)
		require.Equal(t, 0, got.status, got.err)
		require.NotContains(t, got.out, "VERDICT")
		require.NoDirExists(t, filepath.Join(out, chartsDir))
	}
	got := bench(t, "merge", a, filepath.Join(b, dataDir), "--out", all)
	require.Equal(t, 0, got.status, got.err)
	require.Contains(t, got.out, "of 2 runs are in "+all)
	require.Equal(t, 0, bench(t, "plot", all).status)

	one, err := rundata.Load(filepath.Join(a, dataDir))
	require.NoError(t, err)
	both, err := rundata.Load(filepath.Join(all, dataDir))
	require.NoError(t, err)
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
		got := bench(t, append([]string{"merge"}, args...)...)
		require.Equal(t, exitUsage, got.status, reason)
		require.Contains(t, got.err, reason)
	}
}
