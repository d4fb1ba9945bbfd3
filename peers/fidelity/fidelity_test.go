package fidelity

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

const original, preset = "java-a", "a"

// fabricated returns data in which a preset has so many times the figures of its original, with some scatter.
func fabricated(blocks int, ratio, scatter float64) *rundata.Data {
	r := rand.New(rand.NewPCG(1, 2))
	d := &rundata.Data{}
	add := func(experiment, impl string, params []rundata.Param, figures map[string]float64) {
		s := &rundata.Series{Experiment: experiment, Params: append([]rundata.Param{{Key: "impl", Value: impl}}, params...), Values: map[string][]float64{}}
		for range blocks {
			s.Iterations = append(s.Iterations, 1000)
			for _, unit := range slices.Sorted(maps.Keys(figures)) { // so that all is the same each time
				s.Values[unit] = append(s.Values[unit], figures[unit]*(1+scatter*r.NormFloat64()))
			}
		}
		d.Series = append(d.Series, s)
	}
	for _, impl := range []string{original, preset} {
		by := 1.0
		if impl == preset {
			by = ratio
		}
		late := map[string]float64{rundata.P50Late: 5e6 * by, rundata.P99Late: 1e7 * by, rundata.Early: 100 * by, rundata.Fired: 1000}
		add(rundata.Jitter, impl, nil, late)
		add(rundata.Jitter, impl, []rundata.Param{{Key: "delays", Value: rundata.ShortDelays}}, map[string]float64{rundata.P50Late: 1e9})
		idle := map[string]float64{rundata.CPUPerSecond: 1e7*by + 1e6, rundata.SwitchesPerSecond: 200*by + 20}
		if impl == original {
			idle[rundata.EmptyCPUPerSecond], idle[rundata.EmptySwitchesPerSecond] = 1e6, 20
		}
		add(rundata.Idle, impl, []rundata.Param{{Key: "pending", Value: "100000"}}, idle)
		for _, n := range []string{"1000", "100000"} {
			params := []rundata.Param{{Key: "op", Value: rundata.OpLivePair}, {Key: "pending", Value: n}}
			add(rundata.Cost, impl, params, map[string]float64{rundata.NsPerOp: 300 * by, rundata.CPUPerOp: 400 * by})
		}
		add(rundata.Burst, impl, nil, map[string]float64{rundata.DoneNs: 5e7 * by, rundata.CPUPerTimer: 500 * by})
		add(rundata.Flood, impl, nil, map[string]float64{rundata.LateAfter: 1e9 * by})
	}
	add(rundata.Idle, rundata.ProcessControl, []rundata.Param{{Key: "pending", Value: "100000"}},
		map[string]float64{rundata.CPUPerSecond: 1e6, rundata.SwitchesPerSecond: 20})
	return d
}

func judged(t *testing.T, d *rundata.Data) ([]row, string) {
	t.Helper()
	pairs := []Pair{{original, preset}}
	var b strings.Builder
	require.NoError(t, Write(&b, d, pairs, judge.Margin))
	return compare(d, pairs, judge.Margin), b.String()
}

func TestAPresetIsAsItsOriginalOrHasMoreOrLess(t *testing.T) {
	for _, c := range []struct {
		ratio float64
		want  judge.Answer
	}{{1, judge.AsFast}, {2, judge.Slower}, {0.5, judge.Faster}} {
		rows, said := judged(t, fabricated(8, c.ratio, 0.001))
		require.Len(t, rows, len(figures()))
		for _, r := range rows {
			require.Equal(t, c.want, r.Answer, "%s at %v", r.name, c.ratio)
		}
		require.Equal(t, c.want == judge.AsFast, strings.Contains(said, "as the original\n"), said)
	}
}

func TestWhatScattersIsUnclear(t *testing.T) {
	rows, said := judged(t, fabricated(3, 1.1, 0.3))
	for _, r := range rows {
		require.Equal(t, judge.Unclear, r.Answer, r.name)
		require.Positive(t, r.More())
	}
	require.Contains(t, said, "more blocks")
	require.NotContains(t, said, "as the original\n")
}

func TestSmallDifferencesDoNotMatter(t *testing.T) {
	d := fabricated(8, 1, 0)
	for _, s := range d.Series {
		if s.Experiment != rundata.Jitter || s.Get("impl") != preset {
			continue
		}
		for i := range s.Values[rundata.P50Late] {
			s.Values[rundata.P50Late][i] += 5_000 // a thousandth, and less than what counts
		}
	}
	rows, _ := judged(t, d)
	require.Equal(t, judge.AsFast, rows[0].Answer)
}

func TestWhatWasNotMeasuredIsNoRow(t *testing.T) {
	d := fabricated(8, 1, 0.001)
	d.Series = d.Series[:2]
	rows, _ := judged(t, d)
	require.Empty(t, rows)
}

func TestThePlanIsOne(t *testing.T) {
	for _, quick := range []bool{false, true} {
		require.NoError(t, Plan([]harness.Contestant{{Name: "a", Runtime: true}}, 3, quick).Check())
	}
}

func TestDifferencesAreWrittenWithTheirIntervals(t *testing.T) {
	for want, d := range map[string]judge.Estimate{
		"2 % more (1 % to 3 %)":           {Value: 0.02, Low: 0.01, High: 0.03},
		"2 % less (1 % to 3 %)":           {Value: -0.02, Low: -0.03, High: -0.01},
		"1 % less (4 % less to 2 % more)": {Value: -0.01, Low: -0.04, High: 0.02},
		"0 % more (0 % to 0 %)":           {},
		"2 % more":                        {Value: 0.02, Low: math.Inf(-1), High: math.Inf(1)},
	} {
		require.Equal(t, want, difference(d, words.Share))
	}
}
