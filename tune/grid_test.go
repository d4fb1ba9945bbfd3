package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/live"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// gridOf returns configurations of all schedulers with the given ticks and sizes, so
// that a choice can be held against what is found by trying everything. The heap
// and the list have no size, and without ticking no tick. A single wheel has to
// go as far as the load: its sizes are multiples of that.
func gridOf(l *Load, ticks []time.Duration, sizes []int, waking catalog.Waking, waiting catalog.Waiting) (all []catalog.Config) {
	for _, scheduler := range catalog.Schedulers() {
		for _, tick := range ticks {
			for i, slots := range sizes {
				c := catalog.Config{Scheduler: scheduler, Tick: tick, Slots: slots, Waking: waking, Waiting: waiting}
				switch {
				case !c.Wheel() && waking == catalog.Ticking:
					c.Slots = 0
				case !c.Wheel():
					c.Tick, c.Slots = 0, 0
				case scheduler == catalog.Single:
					c.Slots = int(min(float64(l.Horizon/tick+2)*math.Exp2(float64(i)), mostGridSlots))
				}
				if !slices.Contains(all, c) && NewModel(l, &costs.Calibration{}).impossible(c) == "" {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// mostGridSlots keeps the single wheels of a grid to some hundred megabytes.
const mostGridSlots = 1 << 24

// regret is how much worse a choice was than the best that was measured.
type regret struct {
	Pick, Best Measured
	// Feasible is how many of those measured meet the requirements.
	Feasible int
	// CPU is the CPU share that Best would have saved, never below 0.
	CPU float64
	// Separated says that the difference is more than the intervals leave open, and
	// more than the measurement can tell from noise.
	Separated bool
}

// errNotMeasured means that the configuration asked for is not among those that
// were measured.
var errNotMeasured = errors.New("not measured")

// regretOf compares what was measured of a configuration with the cheapest of all
// that meet the requirements, as far as the measurement can tell. The error is
// errNotMeasured.
func regretOf(pick catalog.Config, all []Measured, r Requirements) (lost regret, err error) {
	i := slices.IndexFunc(all, func(m Measured) bool { return m.Config == pick })
	if i < 0 {
		return lost, fmt.Errorf("%v: %w", pick, errNotMeasured)
	}
	lost.Pick, lost.Best = all[i], all[i]
	for _, m := range all {
		if len(broken(m, r)) > 0 {
			continue
		}
		lost.Feasible++
		if m.CPU.Value < lost.Best.CPU.Value {
			lost.Best = m
		}
	}
	lost.CPU = lost.Pick.CPU.Value - lost.Best.CPU.Value
	lost.Separated = lost.Best.CPU.High < lost.Pick.CPU.Low &&
		lost.CPU > max(lost.Pick.Resolution, lost.Best.Resolution)
	return lost, nil
}

func TestAGridHasWhatCanBe(t *testing.T) {
	ticks := []time.Duration{ms, 2 * ms, 5 * ms, 10 * ms, 20 * ms, 50 * ms}
	sizes := []int{64, 512, 4096}
	l := &Load{Horizon: time.Minute, Pending: 100}
	ticking := gridOf(l, ticks, sizes, catalog.Ticking, catalog.Runtime)
	require.Len(t, ticking, 2*6+3*6*3)
	tickless := gridOf(l, ticks, sizes, catalog.Tickless, catalog.Precise)
	require.Len(t, tickless, 2+3*6*3)
	for _, c := range append(ticking, tickless...) {
		require.NoError(t, c.Check())
		if c.Scheduler == catalog.Single {
			require.GreaterOrEqual(t, c.Tick*time.Duration(c.Slots), l.Horizon)
		}
	}
	l.Horizon = 365 * 24 * time.Hour // no single wheel reaches that far
	require.Len(t, gridOf(l, ticks, sizes, catalog.Ticking, catalog.Runtime), 2*6+2*6*3)
}

func TestRegretIsAgainstTheCheapestThatIsFeasible(t *testing.T) {
	of := func(scheduler string, cpu, off, late float64) Measured {
		return Measured{Config: catalog.Config{Scheduler: scheduler}, Fired: 1000, CPU: judge.Estimate{Value: cpu, Low: cpu - off, High: cpu + off}, Lateness: exactly(late), Resolution: 0.0005}
	}
	all := []Measured{of(catalog.Heap, 0.02, 0.001, 0.001), of(catalog.List, 0.015, 0.001, 0.001), of(catalog.Hier, 0.001, 0.0001, 0.1)}
	r := Requirements{Lateness: 10 * ms}
	regret, err := regretOf(catalog.Config{Scheduler: catalog.Heap}, all, r)
	require.NoError(t, err)
	require.Equal(t, catalog.List, regret.Best.Config.Scheduler)
	require.Equal(t, 2, regret.Feasible)
	require.InDelta(t, 0.005, regret.CPU, 1e-12)
	require.True(t, regret.Separated)

	all[1].CPU.High = 0.03 // cannot be told apart
	regret, err = regretOf(catalog.Config{Scheduler: catalog.Heap}, all, r)
	require.NoError(t, err)
	require.False(t, regret.Separated)

	regret, err = regretOf(catalog.Config{Scheduler: catalog.List}, all, r)
	require.NoError(t, err)
	require.Zero(t, regret.CPU)
	require.False(t, regret.Separated)

	_, err = regretOf(catalog.Config{Scheduler: catalog.Rounds}, all, r)
	require.ErrorIs(t, err, errNotMeasured)
}

// BenchmarkGrid holds choices against brute force: it calibrates the machine,
// chooses, and measures the pick beside a grid of configurations, live. It takes
// minutes: -benchtime 1x, with nothing else running.
func BenchmarkGrid(b *testing.B) {
	needGrid(b)
	ctx := context.Background()
	cal, err := costs.Calibrate(ctx, nil)
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
				configs := gridOf(l, ticks, []int{64, 512, 4096}, catalog.Ticking, catalog.Runtime)
				configs = append(append(configs, gridOf(l, ticks, []int{64, 512, 4096}, catalog.Tickless, catalog.Runtime)...), ch.Pick.Config)
				st, err := NewTrial(src, l, TrialOptions{For: 1200 * ms})
				require.NoError(b, err)
				all, err := MeasureAll(ctx, st, configs, ch.Requirements, nil)
				require.NoError(b, err)
				regret, err := regretOf(ch.Pick.Config, all, ch.Requirements)
				require.NoError(b, err)
				b.ReportMetric(100*regret.CPU, "regret-%core")
				b.ReportMetric(float64(regret.Feasible), "feasible")
				b.ReportMetric(float64(len(configs)), "configs")
				b.Logf("limit %v: pick %v, %s [%s, %s]; best %v, %s [%s, %s]; separated %v", ch.Requirements.Lateness,
					regret.Pick.Config, ofACore(regret.Pick.CPU.Value), ofACore(regret.Pick.CPU.Low), ofACore(regret.Pick.CPU.High),
					regret.Best.Config, ofACore(regret.Best.CPU.Value), ofACore(regret.Best.CPU.Low), ofACore(regret.Best.CPU.High), regret.Separated)
			}
		})
	}
}

// needGrid skips where nothing can be measured, or not in earnest.
func needGrid(b *testing.B) {
	if _, ok := live.ReadUsage(); !ok || testing.Short() {
		b.Skip("needs CPU times, and minutes")
	}
}
