package tune

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/live"
)

func TestWhatIsMeasuredIsNetOfTheControl(t *testing.T) {
	cfg := catalog.Config{Scheduler: catalog.Heap}
	control, one := []*live.Outcome{}, trialRun{cfg: &cfg}
	for i := range 6 {
		base := time.Duration(i) * ms // the machine gets busier
		control = append(control, &live.Outcome{Took: time.Second / 2, CPU: base / 2})
		one.rounds = append(one.rounds, &live.Outcome{
			Took: time.Second, CPU: base + 20*ms, Wakeups: 10, Firings: []live.Firing{{At: ms}, {At: 3 * ms}},
		})
	}
	m := one.measured(control, Requirements{Percentile: 0.5})
	require.Equal(t, cfg, m.Config)
	require.Equal(t, 6*time.Second, m.For)
	require.Equal(t, 12, m.Fired)
	require.InDelta(t, 0.02, m.CPU.Value, 1e-12)
	require.InDelta(t, 0.02, m.CPU.Low, 1e-12)
	require.Len(t, m.CPU.Blocks, 6)
	require.Equal(t, 10.0, m.Wakeups)
	require.Equal(t, 0.001, m.Lateness.Low)
	require.Equal(t, 0.003, m.Lateness.High)
	require.Empty(t, m.Lateness.Blocks, "two timers do not tell a percentile")
	require.Equal(t, 0.003, m.Latest)
}

// What is measured later with a trial is held to the control that was played first.
func TestTheControlIsPlayedOnce(t *testing.T) {
	needCPUTime(t)
	src := profile(t, "heartbeat")
	st, err := NewTrial(src, &Load{Schedules: 548, Pending: 200, MostPending: 200}, TrialOptions{For: 120 * ms, Rounds: 2})
	require.NoError(t, err)
	cfg := catalog.Config{Scheduler: catalog.Heap}
	_, err = MeasureAll(t.Context(), st, []catalog.Config{cfg}, Requirements{}, nil)
	require.NoError(t, err)
	require.Len(t, st.control, 2)
	for i := range st.control {
		st.control[i].CPU -= st.control[i].Took // so that all others take a core more
	}
	all, err := MeasureAll(t.Context(), st, []catalog.Config{cfg}, Requirements{}, nil)
	require.NoError(t, err)
	require.Greater(t, all[0].CPU.Value, 0.9)
}
