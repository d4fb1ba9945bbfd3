package judge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
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
			got := summarize(c.samples, Confidence)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want.N >= 6, got.Bounded())
		})
	}
}

func TestSummarizeLeavesTheSamplesAsTheyAre(t *testing.T) {
	samples := []float64{3, 1, 2}
	summarize(samples, Confidence)
	require.Equal(t, []float64{3, 1, 2}, samples)
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
		"as far as both go":  {[]float64{1, 10, 100}, []float64{1, 10}, 1},
		"several y at one x": {[]float64{1, 1, 10, 10}, []float64{2, 0.5, 20, 5}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			require.InDelta(t, c.want, must.Get(Slope(c.x, c.y))(t), 1e-9)
		})
	}
}

func TestSlopeRefusesWhatHasNoLine(t *testing.T) {
	for name, c := range map[string]struct {
		x, y []float64
		want string
	}{
		"no point":      {nil, nil, "0 points"},
		"one point":     {[]float64{2}, []float64{2}, "1 points"},
		"one x":         {[]float64{7, 7, 7}, []float64{1, 2, 3}, "3 points at the same x"},
		"x of zero":     {[]float64{1, 0}, []float64{1, 2}, "point 1 at (0, 2)"},
		"a negative y":  {[]float64{1, 2}, []float64{-3, 2}, "point 0 at (1, -3)"},
		"not a number":  {[]float64{1, 2}, []float64{1, math.NaN()}, "point 1 at (2, NaN)"},
		"x not a value": {[]float64{math.NaN(), 2}, []float64{1, 2}, "point 0 at (NaN, 1)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Slope(c.x, c.y)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestATimeIsNoLessThanItsLoopScatters(t *testing.T) {
	require.Equal(t, []float64{10, 0.5, 0.5, 0.5}, NetTime([]float64{13, 4, 2, 5}, []float64{3, 4, 3, 5}), "the median distance from the median of the loops")
	require.Equal(t, []float64{2, 0}, NetTime([]float64{5, 3}, []float64{3, 3}))
}
