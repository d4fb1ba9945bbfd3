package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestALimitIsKeptBrokenOrUndecided(t *testing.T) {
	limit := AtMost(10)
	for name, tc := range map[string]struct {
		blocks []float64
		want   Finding
	}{
		"well below":       {[]float64{5, 5.1, 4.9, 5, 5.2, 5}, Holds},
		"well above":       {[]float64{15, 15.1, 14.9, 15, 15.2, 15}, Fails},
		"across":           {[]float64{9, 11, 10, 9.5, 10.5, 10}, Undecided},
		"below, scattered": {[]float64{2, 14, 6, 9, 13, 1}, Undecided},
		"below, but one":   {[]float64{5, 5, 5, 50, 5, 5}, Undecided},
		"hardly below":     {[]float64{9.99, 9.99, 9.99}, Holds},
		"one block":        {[]float64{1}, Undecided},
		"nothing":          {nil, Undecided},
		"not numbers":      {[]float64{math.NaN(), math.Inf(1)}, Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			for _, a := range []Average{Mean(tc.blocks), GeometricMean(tc.blocks)} {
				require.Equal(t, tc.want, a.Is(limit), "%v", a.Estimate)
				require.Equal(t, tc.want == Undecided, a.More(limit) > 0)
			}
		})
	}
	require.Equal(t, Holds, Estimate{5, 4, 6}.Is(Band{4, 6}))
	require.Equal(t, Fails, Estimate{5, 4, 6}.Is(Band{6.5, 7}))
	require.Equal(t, Fails, Estimate{5, 4, 6}.Is(Band{3, 3.5}))
	require.Equal(t, Undecided, Estimate{5, 4, 6}.Is(Band{4.5, 7}))
}

func TestOneOutlierDoesNotMakeAGeometricMeanNegative(t *testing.T) {
	late := []float64{5, 5.1, 4.9, 5, 5.2, 50}
	require.Negative(t, Mean(late).Low)
	require.Positive(t, GeometricMean(late).Low)
	require.InDelta(t, 7.4, GeometricMean(late).Value, 0.1)
}

func TestAnAverageHoldsTheTrueFigureAsOftenAsIsSaid(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const draws = 2000
	in := map[string]float64{}
	for range draws {
		var plain, skewed []float64
		for range 6 {
			v := r.NormFloat64()
			plain, skewed = append(plain, 3+v), append(skewed, 3*math.Exp(0.3*v))
		}
		if Mean(plain).Is(Band{3, 3}) == Undecided {
			in["plain"]++
		}
		if GeometricMean(skewed).Is(Band{3, 3}) == Undecided {
			in["skewed"]++
		}
	}
	require.InDelta(t, Confidence, in["plain"]/draws, 0.015)
	require.InDelta(t, Confidence, in["skewed"]/draws, 0.015)
}

func TestSoManyMoreBlocksDecide(t *testing.T) {
	for _, a := range []Average{Mean([]float64{8, 11, 9, 8.5, 10.9, 9}), GeometricMean([]float64{8, 11, 9, 8.5, 10.9, 9})} {
		limit := AtMost(10.2)
		more := a.More(limit)
		require.Greater(t, more, 1)
		require.NotEqual(t, Undecided, a.after(more).Is(limit))
		require.Equal(t, Undecided, a.after(more-1).Is(limit))
		require.Equal(t, TooMany, a.More(AtMost(a.Value)), "what is at the limit is never decided")
	}
	require.Equal(t, 1, Mean([]float64{3}).More(AtMost(5)))
	require.Equal(t, 2, Mean(nil).More(AtMost(5)))
}

func TestStatementsTogether(t *testing.T) {
	require.Equal(t, Holds, All(Holds, Holds))
	require.Equal(t, Fails, All(Undecided, Fails))
	require.Equal(t, Undecided, All(Holds, Undecided))
	require.Equal(t, Holds, All())
	require.Equal(t, "unclear", Undecided.String())
	require.Equal(t, "holds", Holds.String())
	require.Equal(t, "fails", Fails.String())
	require.Equal(t, "finding 7", Finding(7).String())
}

// A share of a core too small to notice is no difference, however sure it is.
func TestAShareTooSmallToNoticeIsNoDifference(t *testing.T) {
	at := func(v float64) []float64 { return []float64{v, v + 1e-6, v - 1e-6, v, v + 2e-6, v} }
	require.Equal(t, AsFast, Differ(at(0.0208), at(0.02), Imperceptible, Terms{}).Answer)
	require.Equal(t, Slower, Differ(at(0.0212), at(0.02), Imperceptible, Terms{}).Answer)
	require.Equal(t, Faster, Differ(at(0.02), at(0.0212), Imperceptible, Terms{}).Answer)
	across := []float64{0.0208, 0.0212, 0.0208, 0.0206, 0.0213, 0.0205}
	d := Differ(across, at(0.02), Imperceptible, Terms{})
	require.Positive(t, d.Low)
	require.Equal(t, Unclear, d.Answer, "more, but whether it is enough to notice is unclear")

	require.Equal(t, AsFast, Estimate{0, -0.0005, 0.0005}.Answer(Imperceptible))
	require.Equal(t, Slower, Estimate{0.01, 0.005, 0.02}.Answer(Imperceptible))
	require.Equal(t, Faster, Estimate{-0.01, -0.02, -0.005}.Answer(Imperceptible))
	require.Equal(t, Unclear, Estimate{0.01, -0.005, 0.02}.Answer(Imperceptible))
	require.Equal(t, Unclear, Estimate{math.NaN(), math.NaN(), math.NaN()}.Answer(Imperceptible))
}
