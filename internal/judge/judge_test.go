package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/lists"
)

// to returns 1, 2, ..., n.
func to(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(i + 1)
	}
	return list
}

func TestSummarizeGivesTheMedianAndAnInterval(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		samples []float64
		want    Summary
	}{
		"one sample has no interval":            {[]float64{7}, Summary{7, -inf, inf, 1}},
		"five samples have none at 95 %":        {to(5), Summary{3, -inf, inf, 5}},
		"six are the fewest that have":          {to(6), Summary{3.5, 1, 6, 6}},
		"order does not matter":                 {[]float64{6, 1, 5, 2, 4, 3}, Summary{3.5, 1, 6, 6}},
		"ten leave out the two most extreme":    {to(10), Summary{5.5, 2, 9, 10}},
		"equal samples have an interval of 0":   {[]float64{4, 4, 4, 4, 4, 4}, Summary{4, 4, 4, 6}},
		"the interval is as far below as above": {to(8), Summary{4.5, 1, 8, 8}},
		"one outlier does not move the median":  {[]float64{1, 2, 3, 4, 5, 6, 1e9}, Summary{4, 1, 1e9, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(c.samples)
			got := summarize(c.samples, Confidence)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want.N >= 6, got.Bounded())
			require.Equal(t, before, c.samples, "the samples stay as they are")
		})
	}
}

func TestSummarizeWithoutSamplesIsNotANumber(t *testing.T) {
	s := summarize(nil, Confidence)
	require.True(t, math.IsNaN(s.Median) && math.IsNaN(s.Low) && math.IsNaN(s.High), "%+v", s)
	require.Zero(t, s.N)
	require.False(t, s.Bounded())
}

func TestNetTakesTheControlAwayRoundByRound(t *testing.T) {
	for name, c := range map[string]struct{ a, control, want []float64 }{
		"the difference":           {[]float64{5, 7, 9}, []float64{1, 2, 3}, []float64{4, 5, 6}},
		"below zero too":           {[]float64{1, 5}, []float64{2, 5}, []float64{-1, 0}},
		"as far as both go":        {[]float64{5, 7, 9}, []float64{1}, []float64{4}},
		"nothing without a sample": {nil, []float64{1}, []float64{}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Net(c.a, c.control)) })
	}
}

func TestSlopeIsTheExponentOfAPowerLaw(t *testing.T) {
	for name, c := range map[string]struct {
		x, y []float64
		want float64
	}{
		"constant":           {[]float64{1, 10, 100}, []float64{5, 5, 5}, 0},
		"linear":             {[]float64{1, 10, 100}, []float64{3, 30, 300}, 1},
		"square":             {[]float64{1, 2, 4, 8}, []float64{2, 8, 32, 128}, 2},
		"falling":            {[]float64{1, 10}, []float64{10, 1}, -1},
		"in any order":       {[]float64{10, 1, 100, 10}, []float64{100, 1, 10000, 100}, 2},
		"several y at one x": {[]float64{1, 1, 10, 10}, []float64{2, 0.5, 20, 5}, 1},
	} {
		t.Run(name, func(t *testing.T) { require.InDelta(t, c.want, Slope(c.x, c.y), 1e-9) })
	}
}

func TestATimeIsNoLessThanItsLoopScatters(t *testing.T) {
	require.Equal(t, []float64{10, 0.5, 0.5, 0.5}, NetTime([]float64{13, 4, 2, 5}, []float64{3, 4, 3, 5}), "the median distance from the median of the loops")
	require.Equal(t, []float64{2, 0}, NetTime([]float64{5, 3}, []float64{3, 3}))
}

func TestFewSamplesHaveTheirRange(t *testing.T) {
	require.Equal(t, Estimate{2, 1, 3}, Median([]float64{3, 1, 2}))
}

func TestATimeIsAtLeastTheMedianDistanceOfTheLoopFromItsMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 20).Draw(t, "samples")
		median := Median(samples).Value
		distances := lists.Each(samples, func(v float64) float64 { return math.Abs(v - median) })
		require.InDelta(t, Median(distances).Value, NetTime(samples, samples)[0], 1e-9)
	})
}

func TestTheDeviationOfLogarithms(t *testing.T) {
	require.InDelta(t, math.Log(2)/math.Sqrt2, LogDeviation([]float64{1, 2}), 1e-12)
	require.InDelta(t, 0, LogDeviation([]float64{3, 3, 3}), 1e-12)
	require.InDelta(t, LogDeviation([]float64{1, 2}), LogDeviation([]float64{1, math.NaN(), 0, 2, -5}), 1e-12)
	require.True(t, math.IsNaN(LogDeviation([]float64{1})))
}

// scattering returns contestants that are equal, by the standard deviations of the logarithms of their figures.
func scattering(r *rand.Rand, blocks int, by ...float64) (all []Contestant) {
	for _, deviation := range by {
		all = append(all, Contestant{Blocks: scattered(r, 100, deviation, blocks)})
	}
	return all
}

// widths returns the half-widths of the interval of the first two, with and without the others.
func widths(all []Contestant) (with, alone float64) {
	p := PairOf(all, 0, 1, Terms{})
	c := CompareTogether([]Pair{p}, 1)[0]
	p.Others = nil
	d := CompareTogether([]Pair{p}, 1)[0]
	return math.Log(c.High / c.Value), math.Log(d.High / d.Value)
}

func TestOthersModerateAScatter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	same := scattering(r, 6, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
	with, alone := widths(same)
	require.NotEqual(t, alone, with)
	for name, all := range map[string][]Contestant{
		"two others":                    same[:4],
		"three blocks":                  scattering(r, 3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
		"one that scatters much more":   scattering(r, 6, 5, 0.1, 0.1, 0.1, 0.1, 0.1),
		"the base scatters much more":   scattering(r, 6, 0.1, 5, 0.1, 0.1, 0.1, 0.1),
		"exact, and the others scatter": scattering(r, 6, 0, 0, 0.1, 0.1, 0.1, 0.1),
		"the others are exact":          scattering(r, 6, 0.1, 0.1, 0, 0, 0, 0),
	} {
		with, alone := widths(all)
		require.Equal(t, alone, with, name)
	}
}

func TestOneOfTheOthersDoesNotDecide(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	all := scattering(r, 8, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
	calm := usualOf([][]float64{all[2].Blocks, all[3].Blocks, all[4].Blocks, all[5].Blocks}, keptScatter())
	all[3].Blocks[2] *= 1000
	stalled := usualOf([][]float64{all[2].Blocks, all[3].Blocks, all[4].Blocks, all[5].Blocks}, keptScatter())
	require.Less(t, stalled.variance, 4*calm.variance)
	require.EqualValues(t, UsualDegrees, stalled.degrees)
	require.Zero(t, usualOf([][]float64{nil, {1, math.NaN()}, {0, -1}}, keptScatter()))
}

func TestAContestNamesWhoIsFirst(t *testing.T) {
	c := Compete([]Contestant{
		{Name: "slow", Blocks: []float64{30, 31, 30, 29, 30, 30}},
		{Name: "fast", Blocks: []float64{10, 11, 10, 10, 10, 10}},
		{Name: "absent"},
		{Name: "near", Blocks: []float64{10.2, 11.1, 10, 10.1, 10, 10}},
	}, Terms{})
	require.Equal(t, "fast", c.First().Name)
	require.Len(t, c.Standings, 3)
	require.False(t, c.Won())
	require.Equal(t, "near", c.Others(AsFast)[0].Name)
	require.Equal(t, "slow", c.Others(Slower)[0].Name)
	require.Empty(t, c.Others(Unclear))
	require.False(t, Compete(nil, Terms{}).Won())
}

func TestNoiseIsHowFarACopyCameOut(t *testing.T) {
	require.Equal(t, 1.0, Noise(Comparison{}))
	require.InDelta(t, 1.25, Noise(Comparison{Estimate: Estimate{Value: 0.8}, Blocks: 6}), 1e-12)
	require.InDelta(t, 1.1, Noise(Comparison{Estimate: Estimate{Value: 1.1}, Blocks: 6}), 1e-12)
}

// Comparisons are ranked by chances that are next to nothing, and an average may have very many degrees of freedom.
func TestChancesAreExactInTheTailAndForManyDegrees(t *testing.T) {
	require.InEpsilon(t, 0.05, beyond(2.228139, 10), 1e-6)
	require.InEpsilon(t, 1.81e-17, beyond(30, 19), 0.01)
	require.InEpsilon(t, 1.275e-49, beyond(100, 40), 0.01)
	require.InEpsilon(t, 0.0455, beyond(2, 1e9), 0.01)
	require.InEpsilon(t, 1.96, QuantileOfT(0.95, 1e9), 0.001)
	for _, unknown := range []float64{0, -1, math.NaN()} {
		require.Equal(t, 1.0, beyond(unknown, 5))
		require.Equal(t, 1.0, beyond(1, unknown))
	}
}
