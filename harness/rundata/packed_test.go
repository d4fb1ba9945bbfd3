package rundata

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

func TestPlainFilesOfOlderRunsLoad(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": costSeries(), "two": jitterPair()}, "one two")
	packed := must.Get(Load(dir))(t)
	for _, name := range []string{"one", "two"} {
		unpacked(t, filepath.Join(dir, name+BenchExt))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "one"+BenchExt)))
	got := must.Get(Load(dir))(t)
	require.Len(t, got.Series, 4, "a block with a file of each kind counts once")
	sameSeries(t, packed.Series, got.Series)
	require.Equal(t, packed.SystemLoad, got.SystemLoad)
}
