package experiments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
)

func TestAStoppedProcessCatchesUp(t *testing.T) {
	if !blocks.CanSuspend() {
		t.Skip("no signals that stop")
	}
	series := must.Get(harness.Run(t.Context(), byProcesses("pause"), t.TempDir(), nil, nil))(t).Series
	require.Equal(t, []string{"a", "runtime"}, firstTime(series))
	for _, s := range series {
		require.Equal(t, []float64{1500}, s.Values[rundata.Fired], s.Name())
		require.Zero(t, s.Values[rundata.Early][0]+s.Values[rundata.Lost][0]+s.Values[rundata.Doubled][0], s.Name())
		require.GreaterOrEqual(t, s.Values[rundata.PausedNs][0], float64(stoppedFor)*0.9, s.Name())
		require.Greater(t, s.Values[rundata.DueMeanwhile][0], 400.0, s.Name())
	}
	require.GreaterOrEqual(t, series[0].Values[rundata.HookLate][0], float64(stoppedFor)*0.9)
	require.Positive(t, series[0].Values[rundata.HookFired][0])
	require.NotContains(t, series[1].Values, rundata.HookLate, "the runtime has no hook")
}

func TestNobodyIsStoppedWhoWasNotStartedForIt(t *testing.T) {
	p := plansOfProcesses["pause"]()
	require.Empty(t, pauseCells(p), "nobody says how to start one")
	if blocks.CanSuspend() {
		_, err := runOnly(t, byProcesses("pause"), rundata.Pause, rundata.OpPair)
		require.ErrorContains(t, err, "was not started to be stopped")
	}
	s := sessionOf(t, p)
	_, _, err := pauseTurn(s, variant{Contestant: failing()}, nil, 0)
	require.ErrorIs(t, err, errFake)
}

// TestThePauseIsReadBack makes up firings with a pause of 500 ms.
func TestThePauseIsReadBack(t *testing.T) {
	var firings []live.Firing
	for deadline, at := range map[time.Duration]time.Duration{
		10 * ms: 10 * ms, 20 * ms: 520 * ms, 30 * ms: 510 * ms, 400 * ms: 530 * ms, 600 * ms: 600 * ms,
	} {
		firings = append(firings, live.Firing{At: at, Deadline: deadline})
	}
	values := map[string]float64{}
	addPause(values, firings)
	require.Equal(t, map[string]float64{rundata.PausedNs: float64(500 * ms), rundata.DueMeanwhile: 3, rundata.CatchUpNs: float64(20 * ms)}, values)
	require.NotPanics(t, func() { addPause(values, nil) })
}
