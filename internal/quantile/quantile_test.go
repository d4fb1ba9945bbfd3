package quantile

import (
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func counting(n int64) *hdrhistogram.Histogram {
	h := hdrhistogram.New(1, 1<<20, 5)
	for v := range n {
		_ = h.RecordValue(v + 1)
	}
	return h
}

func TestFewValues(t *testing.T) {
	for _, c := range []struct {
		n     int64
		share float64
		want  int64
	}{
		{0, 0.5, 0}, {0, 1, 0},
		{1, 0, 1}, {1, 0.01, 1}, {1, 0.99, 1}, {1, 1, 1},
		{2, 0.5, 1}, {2, 0.51, 2}, {3, 0.5, 2}, {4, 0.5, 2},
		{60, 0.99, 60}, {99, 0.99, 99}, {100, 0.99, 99}, {101, 0.99, 100}, {149, 0.99, 148}, {140, 0.99, 139},
		{6, 0.9, 6}, {10, 0.9, 9}, {11, 0.9, 10}, {13, 0.9, 12},
		{100, 0.07, 7}, {100, 0.29, 29}, {1000, 0.999, 999}, {1000, 0.9991, 1000},
	} {
		require.Equal(t, c.want, Of(counting(c.n), c.share), "share %v of %d", c.share, c.n)
	}
}

// TestTheTwoMeaningsOfAQuantile holds Of to both: the share does not exceed it, and of nothing less is that so.
func TestTheTwoMeaningsOfAQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(1, 5000), 1, 300).Draw(t, "values")
		share := rapid.Float64Range(0.001, 1).Draw(t, "share")
		h := hdrhistogram.New(1, 5000, 5) // exact
		for _, v := range values {
			require.NoError(t, h.RecordValue(v))
		}
		upTo := func(limit int64) (share float64) {
			return float64(len(slices.DeleteFunc(slices.Clone(values), func(v int64) bool { return v > limit }))) / float64(len(values))
		}
		got := Of(h, share)
		require.Contains(t, values, got)
		require.GreaterOrEqual(t, upTo(got), share*(1-1e-9))
		require.Less(t, upTo(got-1), share)
	})
}
