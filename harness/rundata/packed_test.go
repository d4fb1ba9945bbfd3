package rundata

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlainFilesOfOlderRunsLoad(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": costSeries(), "two": jitterPair()}, "one two")
	packed, err := Load(dir)
	require.NoError(t, err)
	for _, name := range []string{"one", "two"} {
		unpacked(t, filepath.Join(dir, name+BenchExt))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "one"+BenchExt)))
	got, err := Load(dir)
	require.NoError(t, err)
	require.Len(t, got.Series, 4, "a block with a file of each kind counts once")
	sameSeries(t, packed.Series, got.Series)
	require.Equal(t, packed.SystemLoad, got.SystemLoad)
}

func TestDamagedFilesAreNamed(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": costSeries()}, "one")
	packed := filepath.Join(dir, "one"+BenchExt)
	require.NoError(t, os.WriteFile(packed, []byte("\x1f\x8bgarbage"), 0o644))
	_, err := Load(dir)
	require.ErrorContains(t, err, packed)
	require.ErrorContains(t, err, remedy)
}
