package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// idleCells makes up cells of which each has an idle process of its own, since each was
// measured at another time: the process of n takes own(n) of a core, and contestants, with
// the same for each tick, as much more.
func idleCells(own map[int]float64, more float64) *rundata.Data {
	g := newSynthetic(8)
	g.noise = 0
	for _, n := range []int{0, 1000, 100_000} {
		for _, waking := range []string{"1ms", rundata.Tickless} {
			g.series(rundata.Idle, fmt.Sprintf("impl=hierwheel waking=%s pending=%d", waking, n),
				map[string]float64{rundata.CPUPerSecond: 1e9 * (own[n] + more)})
		}
		if share, ok := own[n]; ok {
			g.series(rundata.Idle, fmt.Sprintf("impl=process waking=none pending=%d", n), map[string]float64{rundata.CPUPerSecond: 1e9 * share})
		}
	}
	return g.data
}

func TestEachIdleCellHasAControlOfItsOwn(t *testing.T) {
	v := newView(idleCells(map[int]float64{0: 0.05, 1000: 0.01, 100_000: 0.002}, 0.03), Options{})
	for _, n := range []string{"0", "1000", "100000"} {
		require.InDelta(t, 0.03, v.idleShare(v.idleSeries("hierwheel", "1ms", n)).Median, 1e-9, "%s pending", n)
	}
	var b strings.Builder
	require.NoError(t, idleQuestion.tables(v)[0].Write(&b))
	require.Equal(t, 6, strings.Count(b.String(), "3.00 % ±"), "beyond the idle process:\n%s", b.String())
}

func TestACellWithoutAControlIsNotComparedWithThatOfAnother(t *testing.T) {
	v := newView(idleCells(map[int]float64{0: 0.05}, 0.03), Options{})
	require.InDelta(t, 0.03, v.idleShare(v.idleSeries("hierwheel", "1ms", "100000")).Median, 1e-9)
}

func TestAProcessOfItsOwnIsItsOwnControl(t *testing.T) {
	d := idleCells(map[int]float64{1000: 0.01}, 0.03)
	for _, s := range d.Select(rundata.Idle, "impl=hierwheel", "waking=1ms", "pending=1000") {
		for range s.Iterations {
			s.Values[rundata.EmptyCPUPerSecond] = append(s.Values[rundata.EmptyCPUPerSecond], 1e9*0.025)
		}
	}
	v := newView(d, Options{})
	require.InDelta(t, 0.015, v.idleShare(v.idleSeries("hierwheel", "1ms", "1000")).Median, 1e-9)
	require.InDelta(t, 0.03, v.idleShare(v.idleSeries("hierwheel", rundata.Tickless, "1000")).Median, 1e-9)
}
