package judge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// contenders are as fast as their factors say, with little noise.
func contenders(factors map[string]float64, order ...string) (all []Contender) {
	base := []float64{100, 102, 98, 101, 99, 103, 97, 100, 104, 96, 100, 102}
	for _, name := range order {
		values := make([]float64, len(base))
		for i, v := range base {
			values[i] = v * factors[name] * (1 + 0.001*float64(i%3))
		}
		all = append(all, Contender{Name: name, Blocks: values})
	}
	return all
}

func TestTheFastestLeadsWhenToldFromAll(t *testing.T) {
	l := Leading(contenders(map[string]float64{"a": 3, "b": 1, "c": 2}, "a", "b", "c"), 3, 1)
	require.Equal(t, []string{"b"}, l.Front)
	require.Equal(t, "c", l.Ranked[1].Name)
	require.InDelta(t, 2, l.Next.Median, 0.01)
	require.True(t, l.BeatsNext())
	require.True(t, l.BeatsAll())
}

func TestEqualsAreInFrontTogether(t *testing.T) {
	l := Leading(contenders(map[string]float64{"a": 1, "b": 1, "c": 2}, "a", "b", "c"), 3, 1)
	require.Equal(t, []string{"a", "b"}, l.Front)
	require.False(t, l.BeatsNext())
	require.False(t, l.BeatsAll())
}

func TestALeadWithinNoiseIsNone(t *testing.T) {
	all := contenders(map[string]float64{"a": 1, "b": 1.1}, "a", "b")
	require.True(t, Leading(all, 1, 1.05).BeatsNext())
	require.False(t, Leading(all, 1, 1.15).BeatsNext())
}

func TestWhoHasNoSamplesDoesNotCompete(t *testing.T) {
	l := Leading([]Contender{{Name: "a"}, {Name: "b", Blocks: []float64{1, 2, 3}}, {Name: "c", Blocks: []float64{math.NaN()}}}, 1, 1)
	require.Len(t, l.Ranked, 1)
	require.Equal(t, []string{"b"}, l.Front)
	require.False(t, l.BeatsNext())
	require.False(t, l.BeatsAll())
	require.Zero(t, l.Next.N)
	require.Empty(t, Leading(nil, 1, 1).Front)
}

func TestNoiseIsTheLargestRatioEitherWay(t *testing.T) {
	ratio := func(v float64) Ratio { return Ratio{Summary: Summary{Median: v, N: 1}} }
	require.Equal(t, 1.0, LargestNoise(nil))
	require.Equal(t, 2.0, LargestNoise([]Ratio{ratio(1.5), ratio(0.5)}))
}

func TestRoundsForIsWhatAnIntervalTakes(t *testing.T) {
	require.Equal(t, 6, RoundsFor(1))
	for comparisons := 1; comparisons < 50; comparisons++ {
		n := RoundsFor(comparisons)
		fast, slow := to(n), times(to(n), 2)
		require.True(t, Paired(slow, fast, comparisons).Separated, comparisons)
		require.False(t, Paired(slow[:n-1], fast[:n-1], comparisons).Separated, comparisons)
	}
}

func TestSummariesAreHeldAgainstLimits(t *testing.T) {
	known := Summary{Median: 10, Low: 8, High: 12, N: 9}
	require.True(t, known.Meets(12))
	require.False(t, known.Meets(11))
	require.True(t, known.Meets(0), "no limit")
	require.False(t, Summary{}.Meets(1), "nothing was measured")
	few := Summary{Median: 10, Low: math.Inf(-1), High: math.Inf(1), N: 2}
	require.True(t, few.Meets(10), "by the median")
	require.Equal(t, 10.0, few.Perceptible().Median)
	require.Zero(t, Summary{Median: 1, Low: 0, High: 2, N: 9}.Perceptible().Median)
	require.Equal(t, 10.0, known.Perceptible().Median)
	require.Equal(t, 2, SummarizeFinite([]float64{1, math.NaN(), 2, math.Inf(1)}).N)
}
