package judge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestQuantilesAreEvenlySpaced(t *testing.T) {
	require.Equal(t, []float64{1, 2, 3, 4, 5}, Quantiles([]float64{5, 3, 1}, 5))
	require.Equal(t, []float64{7, 7, 7}, Quantiles([]float64{7}, 3))
	require.Nil(t, Quantiles(nil, 3))
}

func TestAQuantileIsThatOfRounds(t *testing.T) {
	var many, few, disturbed [][]float64
	for round := range 6 {
		late := make([]float64, 1000)
		for i := range late {
			late[i] = float64(i+1) / 1000
		}
		many, few = append(many, late), append(few, late[800:900])
		disturbed = append(disturbed, late)
		if round == 3 {
			disturbed[3] = make([]float64, 1000)
			for i := range late {
				disturbed[3][i] = late[i] + 100
			}
		}
	}
	limit := AtMost(1.5)
	require.InDelta(t, 0.99, QuantileOfRounds(many, 0.99).Value, 0.001)
	require.Equal(t, Holds, QuantileOfRounds(many, 0.99).Is(limit))
	require.Len(t, QuantileOfRounds(many, 0.99).Blocks, 6)
	require.InDelta(t, 0.5, QuantileOfRounds(many, 0.5).Value, 0.001)
	require.Equal(t, Undecided, QuantileOfRounds(disturbed, 0.99).Is(limit), "the machine stood still in one of them")

	all := QuantileOfRounds(few, 0.99)
	require.InDelta(t, 0.899, all.Value, 0.001)
	require.Empty(t, all.Blocks, "a hundred do not tell it, but six hundred do")
	require.Equal(t, Holds, all.Is(limit))
	require.Equal(t, Undecided, QuantileOfRounds(few[:1], 0.99).Is(limit), "one round tells nothing")
	few[5] = []float64{50, 50, 50}
	require.Equal(t, Undecided, QuantileOfRounds(few, 0.5).Is(limit), "the rounds are far apart")
	require.True(t, math.IsNaN(QuantileOfRounds(nil, 0.5).Value))
}

func TestAQuantileHasAnInterval(t *testing.T) {
	var late []float64
	for i := range 10_000 {
		late = append(late, float64((i*7919)%10_000))
	}
	e := quantileOfAll(late, 0.99)
	require.InDelta(t, 9900, e.Value, 1)
	require.InDelta(t, 9900-1.96*math.Sqrt(99), e.Low, 2)
	require.InDelta(t, 9900+1.96*math.Sqrt(99), e.High, 2)

	e = quantileOfAll([]float64{3, 1, 2}, 0.99) // three say nothing of the 99th percentile
	require.True(t, math.IsInf(e.High, 1))
	require.InDelta(t, 3, e.Value, 0.1)
	require.Equal(t, 2.0, e.Low)

	require.True(t, math.IsNaN(quantileOfAll(nil, 0.99).Value))
}

func TestATrimmedMeanIsWithoutTheOutermostSixths(t *testing.T) {
	require.InDelta(t, 3.5, TrimmedMean([]float64{1000, 2, 3, 4, 5, -70}).Value, 1e-12)
	require.InDelta(t, 2, TrimmedMean([]float64{1, 2, 3}).Value, 1e-12, "too few to leave any out")
	require.True(t, math.IsNaN(TrimmedMean(nil).Value))
}

func TestFewSamplesHaveTheirRange(t *testing.T) {
	require.Equal(t, Estimate{2, 1, 3}, Median([]float64{3, 1, 2}))
}

func TestScatterIsTheMedianDistanceFromTheMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 20).Draw(t, "samples")
		median, distances := Median(samples).Value, []float64(nil)
		for _, v := range samples {
			distances = append(distances, math.Abs(v-median))
		}
		require.InDelta(t, Median(distances).Value, Scatter(samples), 1e-9)
	})
	require.True(t, math.IsNaN(Scatter(nil)))
}

func TestATrimmedMeanLiesInItsInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := TrimmedMean(rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 20).Draw(t, "samples"))
		require.LessOrEqual(t, e.Low, e.Value)
		require.GreaterOrEqual(t, e.High, e.Value)
		require.GreaterOrEqual(t, e.AtLeast(0).Low, 0.0)
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
