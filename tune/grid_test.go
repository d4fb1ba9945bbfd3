package tune

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/workload"
)

func TestAGridHasWhatCanBe(t *testing.T) {
	ticks := []time.Duration{ms, 2 * ms, 5 * ms, 10 * ms, 20 * ms, 50 * ms}
	sizes := []int{64, 512, 4096}
	l := &Load{Horizon: time.Minute, Pending: 100}
	ticking := Grid(l, ticks, sizes, true, false)
	require.Len(t, ticking, 2*6+3*6*3)
	tickless := Grid(l, ticks, sizes, false, true)
	require.Len(t, tickless, 2+3*6*3)
	for _, c := range append(ticking, tickless...) {
		require.NoError(t, c.Check())
		if c.Scheduler == single {
			require.GreaterOrEqual(t, c.Tick*time.Duration(c.Slots), l.Horizon)
		}
	}
	l.Horizon = 365 * 24 * time.Hour // no single wheel reaches that far
	require.Len(t, Grid(l, ticks, sizes, true, false), 2*6+2*6*3)
}

func TestRegretIsAgainstTheCheapestThatIsFeasible(t *testing.T) {
	of := func(scheduler string, cpu, off, late float64) Measured {
		return Measured{Config: Config{Scheduler: scheduler}, Fired: 1000, CPU: Estimate{cpu, cpu - off, cpu + off}, Lateness: exactly(late), Resolution: 0.0005}
	}
	all := []Measured{of(heap, 0.02, 0.001, 0.001), of(list, 0.015, 0.001, 0.001), of(hier, 0.001, 0.0001, 0.1)}
	r := Requirements{Lateness: 10 * ms}
	regret, err := RegretOf(Config{Scheduler: heap}, all, r)
	require.NoError(t, err)
	require.Equal(t, list, regret.Best.Config.Scheduler)
	require.Equal(t, 2, regret.Feasible)
	require.InDelta(t, 0.005, regret.CPU, 1e-12)
	require.True(t, regret.Separated)

	all[1].CPU.High = 0.03 // cannot be told apart
	regret, err = RegretOf(Config{Scheduler: heap}, all, r)
	require.NoError(t, err)
	require.False(t, regret.Separated)

	regret, err = RegretOf(Config{Scheduler: list}, all, r)
	require.NoError(t, err)
	require.Zero(t, regret.CPU)
	require.False(t, regret.Separated)

	_, err = RegretOf(Config{Scheduler: rounds}, all, r)
	require.ErrorIs(t, err, ErrNotMeasured)
}

// BenchmarkGrid holds choices against brute force: it calibrates the machine,
// chooses, and measures the pick beside a grid of configurations, live. It takes
// minutes: -benchtime 1x, with nothing else running.
func BenchmarkGrid(b *testing.B) {
	needGrid(b)
	ctx := context.Background()
	cal, err := Calibrate(ctx, nil)
	require.NoError(b, err)
	ticks := []time.Duration{ms, 2 * ms, 5 * ms, 10 * ms, 50 * ms, 200 * ms}
	for _, name := range []string{"kafka-purgatory", "heartbeat", "business-ack"} {
		b.Run("profile="+name, func(b *testing.B) {
			for b.Loop() {
				src := profile(b, name)
				l, err := LoadOfSource(context.Background(), src, workload.Options{}, LoadOptions{Warm: FindWarm})
				require.NoError(b, err)
				ch, err := Choose(l, cal, Requirements{NotPrecise: true})
				require.NoError(b, err)
				configs := Grid(l, ticks, []int{64, 512, 4096}, true, false)
				configs = append(append(configs, Grid(l, ticks, []int{64, 512, 4096}, false, false)...), ch.Pick.Config)
				st, err := NewStage(src, l, StageOptions{For: 1200 * ms})
				require.NoError(b, err)
				all, err := MeasureAll(ctx, st, configs, ch.Requirements, nil)
				require.NoError(b, err)
				regret, err := RegretOf(ch.Pick.Config, all, ch.Requirements)
				require.NoError(b, err)
				b.ReportMetric(100*regret.CPU, "regret-%core")
				b.ReportMetric(float64(regret.Feasible), "feasible")
				b.ReportMetric(float64(len(configs)), "configs")
				b.Logf("limit %v: pick %v, %s [%s, %s]; best %v, %s [%s, %s]; separated %v", ch.Requirements.Lateness,
					regret.Pick.Config, share(regret.Pick.CPU.Value), share(regret.Pick.CPU.Low), share(regret.Pick.CPU.High),
					regret.Best.Config, share(regret.Best.CPU.Value), share(regret.Best.CPU.Low), share(regret.Best.CPU.High), regret.Separated)
			}
		})
	}
}

// needGrid skips where nothing can be measured, or not in earnest.
func needGrid(b *testing.B) {
	if _, err := processTime(); err != nil || testing.Short() {
		b.Skip("needs CPU times, and minutes")
	}
}
