package rundata

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnOlderRunIsPacked(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": costSeries(), "two": jitterPair()}, "one two")
	for _, name := range []string{"one", "two"} {
		unpacked(t, filepath.Join(dir, name+BenchExt))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "one"+BenchExt)))
	want, err := Load(dir)
	require.NoError(t, err)
	require.Len(t, want.Series, 4, "a block with a file of each kind counts once")

	require.NoError(t, os.Remove(filepath.Join(dir, "two"+BenchExt)))
	files, err := Pack(dir)
	require.NoError(t, err)
	require.Equal(t, 2, files)
	got, err := Load(dir)
	require.NoError(t, err)
	sameSeries(t, want.Series, got.Series)
	require.Equal(t, want.SystemLoad, got.SystemLoad)
	left, err := filepath.Glob(filepath.Join(dir, "*"+plainExt))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, RunName)}, left, "which stays readable")
	files, err = Pack(dir)
	require.NoError(t, err)
	require.Zero(t, files, "nothing is left to do")
}

func TestWhatIsDamagedIsNotPacked(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": costSeries()}, "one")
	packed := filepath.Join(dir, "one"+BenchExt)
	plain := unpacked(t, packed)
	require.NoError(t, os.Remove(packed))
	require.NoError(t, os.WriteFile(plain, []byte("garbage\n"), 0o644))
	_, err := Pack(dir)
	require.ErrorContains(t, err, plain)
	require.FileExists(t, plain)

	require.NoError(t, os.WriteFile(packed, []byte("\x1f\x8bgarbage"), 0o644))
	_, err = Load(dir)
	require.ErrorContains(t, err, packed)
	require.ErrorContains(t, err, remedy)
}
