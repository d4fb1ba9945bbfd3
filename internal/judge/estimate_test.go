package judge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFewSamplesHaveTheirRange(t *testing.T) {
	require.Equal(t, Estimate{2, 1, 3}, Median([]float64{3, 1, 2}))
}

func TestATimeIsAtLeastTheMedianDistanceOfTheLoopFromItsMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 20).Draw(t, "samples")
		median, distances := Median(samples).Value, []float64(nil)
		for _, v := range samples {
			distances = append(distances, math.Abs(v-median))
		}
		require.InDelta(t, Median(distances).Value, NetTime(samples, samples)[0], 1e-9)
	})
}

func TestAnEstimateCanBeMultiplied(t *testing.T) {
	require.Equal(t, Estimate{2, 1.8, 2.2}, Estimate{1, 0.9, 1.1}.Times(2))
}

func TestTheDeviationOfLogarithms(t *testing.T) {
	require.InDelta(t, math.Log(2)/math.Sqrt2, LogDeviation([]float64{1, 2}), 1e-12)
	require.InDelta(t, 0, LogDeviation([]float64{3, 3, 3}), 1e-12)
	require.InDelta(t, LogDeviation([]float64{1, 2}), LogDeviation([]float64{1, math.NaN(), 0, 2, -5}), 1e-12)
	require.True(t, math.IsNaN(LogDeviation([]float64{1})))
}
