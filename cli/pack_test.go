package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

func TestAnOlderRunIsPacked(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, 0, bench(t, dataRun("--out", dir)...).status)
	path := filepath.Join(dir, dataDir, "block-00"+rundata.BenchExt)
	text, err := rundata.ReadText(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(strings.TrimSuffix(path, ".gz"), text, 0o644))
	require.NoError(t, os.Remove(path))

	got := bench(t, "pack", dir)
	require.Zero(t, got.status, got.err)
	require.Equal(t, dir+": 1 file compressed\n", got.out)
	require.FileExists(t, path)
	require.NoFileExists(t, strings.TrimSuffix(path, ".gz"))
	require.Zero(t, bench(t, "plot", dir).status)

	none := filepath.Join(t.TempDir(), "none")
	got = bench(t, "pack", none)
	require.Equal(t, exitUsage, got.status)
	require.Contains(t, got.err, none)
}
