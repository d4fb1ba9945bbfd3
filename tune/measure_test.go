package tune

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
)

func TestWhatIsMeasuredIsNetOfTheControl(t *testing.T) {
	cfg := catalog.Config{Scheduler: catalog.Heap}
	control, one := []reading{}, run{cfg: &cfg}
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

// A round in which the machine stood still does not count, if the others tell
// enough.
func TestLatenessIsTheMedianOfRounds(t *testing.T) {
	var many, few [][]float64
	for round := range 6 {
		late := make([]float64, 1000)
		for i := range late {
			late[i] = float64(i) / 1000
			if round == 3 {
				late[i] += 100
			}
		}
		many, few = append(many, late), append(few, late[:100])
	}
	require.InDelta(t, 0.99, latenessOf(many, 0.99).Value, 0.001)
	require.Greater(t, latenessOf(few, 0.99).Value, 50.0, "one in a hundred of 600 are in the disturbed round")
	require.InDelta(t, 0.5, latenessOf(many, 0.5).Value, 0.001)
}

func TestAQuantileOfLatenessHasAnInterval(t *testing.T) {
	var late []float64
	for i := range 10_000 {
		late = append(late, float64((i*7919)%10_000))
	}
	e := lateness(late, 0.99)
	require.InDelta(t, 9900, e.Value, 1)
	require.InDelta(t, 9900-1.96*math.Sqrt(99), e.Low, 2)
	require.InDelta(t, 9900+1.96*math.Sqrt(99), e.High, 2)

	e = lateness([]float64{3, 1, 2}, 0.99) // three say nothing of the 99th percentile
	require.True(t, math.IsInf(e.High, 1))
	require.InDelta(t, 3, e.Value, 0.1)
	require.Equal(t, 2.0, e.Low)

	require.True(t, math.IsNaN(lateness(nil, 0.99).Value))
}

// Rounds that differ much do not tell a share any better than that.
func TestWhatScattersIsNotTold(t *testing.T) {
	quiet := slices.Repeat([]reading{{length: time.Second}}, 6)
	require.Equal(t, leastResolution, resolution(quiet, []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.9}))
	require.InDelta(t, 0.02, resolution(quiet, []float64{0.49, 0.51, 0.49, 0.51, 0.49, 0.51}), 1e-12)
}

// What is measured later with a stage is held to the control that was played first.
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

func TestTheMiddleIsWithoutTheOutermostSixths(t *testing.T) {
	require.InDelta(t, 3.5, middle([]float64{1000, 2, 3, 4, 5, -70}), 1e-12)
	require.InDelta(t, 2, middle([]float64{1, 2, 3}), 1e-12, "too few to leave any out")
	require.True(t, math.IsNaN(middle(nil)))
}

func TestFewSamplesHaveTheirRange(t *testing.T) {
	require.Equal(t, Estimate{2, 1, 3}, summary([]float64{3, 1, 2}))
}
