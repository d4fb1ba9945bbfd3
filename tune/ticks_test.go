package tune

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/judge"
)

// rounds returns what six rounds come to that show a figure, with a scatter of its own
// size, or none.
func rounds(v, scatter float64) judge.Average {
	var each []float64
	for _, z := range []float64{-1.2, 0.4, 1.1, -0.6, 0.8, -0.5} {
		each = append(each, v+scatter*z)
	}
	return judge.Mean(each)
}

func always(v float64) judge.Average { return rounds(v, 0) }

// tickOf returns what was measured of a tick.
func tickOf(tick time.Duration, cpu judge.Average) (m Measured) {
	m.Config.Tick, m.CPU, m.Lateness = tick, cpu, always(tick.Seconds())
	return m
}

func TestALongerTickIsTakenOnEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		cpu  []judge.Average // of ticks of 1, 2, 3 ... ms
		want int
	}{
		"each less than the one before": {[]judge.Average{always(0.05), always(0.02), always(0.01)}, 2},
		"the longest is no better":      {[]judge.Average{always(0.05), always(0.0104), always(0.01)}, 1},
		"none is any better":            {[]judge.Average{always(0.0105), always(0.0104), always(0.01)}, 0},
		"the shortest is the best":      {[]judge.Average{always(0.01), always(0.02), always(0.02)}, 0},
		"cannot be told": {[]judge.Average{
			judge.Mean([]float64{0.05, 0.001, 0.03, 0.002, 0.04, 0.01}), judge.Mean([]float64{0.001, 0.03, 0.02, 0.01, 0.03, 0.001})}, 0},
		"one is told to be better than one": {[]judge.Average{
			always(0.05), judge.Mean([]float64{0.012, 0.001, 0.02, 0.002, 0.02, 0.01}), always(0.01)}, 1},
		"not measured at all":   {[]judge.Average{judge.Mean(nil), judge.Mean(nil)}, 1},
		"not measured of some":  {[]judge.Average{judge.Mean(nil), always(0.05), always(0.01), judge.Mean(nil)}, 2},
		"one":                   {[]judge.Average{always(0.05)}, 0},
		"none":                  {nil, -1},
		"one block of each":     {[]judge.Average{judge.Mean([]float64{0.05}), judge.Mean([]float64{0.01})}, 0},
		"blocks that do not go": {[]judge.Average{judge.Mean([]float64{0.05, 0.05, 0.05}), judge.Mean([]float64{math.NaN(), math.NaN(), 0.01})}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var met []Measured
			for i, cpu := range c.cpu {
				met = append(met, tickOf(time.Duration(i+1)*ms, cpu))
			}
			require.Equal(t, c.want, PickTick(met, judge.Imperceptible))
		})
	}
}

func TestNoOtherTickIsToldToTakeLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var met []Measured
		for i := range rapid.IntRange(1, 8).Draw(t, "n") {
			met = append(met, tickOf(time.Duration(i+1)*ms, judge.Mean(rapid.SliceOfN(rapid.Float64Range(0, 0.05), 4, 4).Draw(t, "cpu"))))
		}
		taken := met[PickTick(met, judge.Imperceptible)]
		for _, other := range met {
			require.NotEqual(t, judge.Slower, MoreCPU(taken, other, judge.Imperceptible, pairs(len(met))).Answer)
		}
	})
}

// Where all ticks take the same, the shortest is taken in all but the few draws in which
// chance tells.
func TestEqualTicksGiveTheShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const draws = 1000
	longer := 0
	for range draws {
		var met []Measured
		for i := range 4 {
			var cpu []float64
			for range 6 {
				cpu = append(cpu, 0.02+0.003*r.NormFloat64())
			}
			met = append(met, tickOf(time.Duration(i+1)*ms, judge.Mean(cpu)))
		}
		if PickTick(met, judge.Imperceptible) != 0 {
			longer++
		}
	}
	require.LessOrEqual(t, float64(longer)/draws, 0.05)
}

func TestRequirementsAreKeptBrokenOrUndecided(t *testing.T) {
	r := Requirements{Lateness: 10 * ms, CPU: 0.01}
	require.Equal(t, judge.Holds, r.InTime(always(0.009).Estimate))
	require.Equal(t, judge.Fails, r.InTime(always(0.011).Estimate))
	require.Equal(t, judge.Undecided, r.InTime(rounds(0.0095, 0.002).Estimate))
	require.Equal(t, judge.Undecided, r.Cheap(rounds(0.011, 0.01).Estimate))
	require.Equal(t, judge.Holds, Requirements{}.Cheap(judge.Mean(nil).Estimate), "nothing is asked for")
	require.Equal(t, judge.Undecided, r.Cheap(judge.Mean(nil).Estimate), "nothing was measured")
}
