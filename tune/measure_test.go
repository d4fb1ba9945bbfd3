package tune

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
)

func TestWhatIsMeasuredIsNetOfTheControl(t *testing.T) {
	cfg := catalog.Config{Scheduler: catalog.Heap}
	control, one := []reading{}, trialRun{cfg: &cfg}
	for i := range 6 {
		base := time.Duration(i) * ms // the machine gets busier
		control = append(control, reading{length: time.Second / 2, cpu: base / 2})
		one.readings = append(one.readings, reading{
			length: time.Second, cpu: base + 20*ms, wakeups: 10, late: []float64{0.001, 0.003},
		})
	}
	m := one.measured(control, Requirements{Percentile: 0.5})
	require.Equal(t, cfg, m.Config)
	require.Equal(t, 6*time.Second, m.For)
	require.Equal(t, 12, m.Fired)
	require.InDelta(t, 0.02, m.CPU.Value, 1e-12)
	require.InDelta(t, 0.02, m.CPU.Low, 1e-12)
	require.InDelta(t, 0.003, m.Resolution, 1e-12) // 0 to 5 ms a second, mostly 1.5 from the middle
	require.Equal(t, 10.0, m.Wakeups)
	require.Equal(t, 0.001, m.Lateness.Low)
	require.Equal(t, 0.003, m.Lateness.High)
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
		st.control[i].cpu -= st.control[i].length // so that all others take a core more
	}
	all, err := MeasureAll(t.Context(), st, []catalog.Config{cfg}, Requirements{}, nil)
	require.NoError(t, err)
	require.Greater(t, all[0].CPU.Value, 0.9)
}
