package rundata

import (
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiguresThatCannotBeAreRefused(t *testing.T) {
	const hour = 3600e9
	for _, c := range []struct {
		unit      string
		sound     []float64
		refused   []float64
		complains string
	}{
		{NsPerOp, []float64{1e-3, 50, hour}, []float64{0, -1, 1.1 * hour}, "want more than 0"},
		{P999Took, []float64{1, 1e9}, []float64{0, -3, 2 * hour}, "want more than 0"},
		{P99Late, []float64{0, 2e6}, []float64{-1, 2 * hour}, "want at least 0"},
		{ReadNs, []float64{-5, 0, 50}, []float64{2 * hour, -2 * hour}, "want at most 3.6e+12"},
		{LateAfter, []float64{-953831, 0, 2e9}, []float64{2 * hour}, "want at most"},
		{CPUPerTimer, []float64{-0.04, 300}, []float64{-2 * hour}, "want at least"},
		{CPUPerSecond, []float64{0, 2e9, 1024e9}, []float64{-1, 1025e9}, "want at least 0"},
		{BytesPerTimer, []float64{0.5, 137}, []float64{0, -8, 2e12}, "want more than 0"},
		{BytesPerWheel, []float64{0, 1e6}, []float64{-8, 2e12}, "want at least 0"},
		{WakeupsPerSecond, []float64{0, 1000}, []float64{-1, 1e13}, "want at least 0"},
		{Fired, []float64{0, 1e6}, []float64{-1, 1e16}, "want at least 0"},
		{Lost, []float64{0, 3}, []float64{-1}, "want at least 0"},
		{VirtualNs, []float64{0, 24 * hour}, []float64{-1}, "want at least 0"},
		{"late-at-2s-ns", []float64{-1, 0, 8e9}, []float64{2 * hour}, "want at most"},
		{"load-cpu-ns/s", []float64{0, 3e8}, []float64{-1, 2e12}, "want at least 0"},
		{"disk-B/timer", []float64{369}, []float64{2e12}, "want at most 1e+12"},
		{"apples", []float64{-3, 0, 3}, []float64{1e16}, "want at most"},
	} {
		for _, v := range c.sound {
			require.NoError(t, checkFigure(c.unit, v))
		}
		for _, v := range append(c.refused, math.NaN(), math.Inf(1), math.Inf(-1)) {
			require.ErrorContains(t, checkFigure(c.unit, v), c.unit+", want ", "%v", v)
		}
		require.ErrorContains(t, checkFigure(c.unit, c.refused[0]), c.complains)
	}
}

// The parts of the published results load: no figure in them is refused.
func TestPublishedFiguresAreSound(t *testing.T) {
	n := 0
	require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", "results"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Base(path) == RunName || filepath.Base(filepath.Dir(path)) != "data" || !strings.HasSuffix(strings.TrimSuffix(path, ".gz"), plainExt) {
			return err
		}
		p, err := LoadFile(path)
		if err == nil {
			n += len(p.Series())
		}
		return err
	}))
	require.Greater(t, n, 500)
}
