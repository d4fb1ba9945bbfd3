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
	// Feasible is how many of those measured are not told to break a requirement.
	Feasible int
	// CPU is how much more the pick takes than the best.
	CPU judge.Difference
}

// errNotMeasured means that the configuration asked for is not among those that
// were measured.
var errNotMeasured = errors.New("not measured")

// regretOf compares what was measured of a configuration with the cheapest of all
// that may meet the requirements. The error is errNotMeasured.
func regretOf(pick catalog.Config, all []Measured, r Requirements) (lost regret, err error) {
	i := slices.IndexFunc(all, func(m Measured) bool { return m.Config == pick })
	if i < 0 {
		return lost, fmt.Errorf("%v: %w", pick, errNotMeasured)
	}
	lost.Pick, lost.Best = all[i], all[i]
	for _, m := range all {
		if judge.All(r.InTime(m.Lateness.Estimate), r.Cheap(m.CPU.Estimate)) == judge.Fails {
			continue
		}
		lost.Feasible++
		if m.CPU.Value < lost.Best.CPU.Value {
			lost.Best = m
		}
	}
	lost.CPU = MoreCPU(lost.Pick, lost.Best, judge.Imperceptible, len(all)-1)
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
	of := func(scheduler string, cpu judge.Average, late float64) Measured {
		return Measured{Config: catalog.Config{Scheduler: scheduler}, Fired: 1000, CPU: cpu, Lateness: always(late)}
	}
	all := []Measured{of(catalog.Heap, rounds(0.02, 0.001), 0.001), of(catalog.List, rounds(0.015, 0.0005), 0.001), of(catalog.Hier, always(0.001), 0.1)}
	r := Requirements{Lateness: 10 * ms}
	lost, err := regretOf(catalog.Config{Scheduler: catalog.Heap}, all, r)
	require.NoError(t, err)
	require.Equal(t, catalog.List, lost.Best.Config.Scheduler)
	require.Equal(t, 2, lost.Feasible)
	require.InDelta(t, 0.005, lost.CPU.Value, 1e-9)
	require.Equal(t, judge.Slower, lost.CPU.Answer)

	all[1].CPU = judge.Mean([]float64{0.03, 0.001, 0.02, 0.004, 0.03, 0.005})
	lost, err = regretOf(catalog.Config{Scheduler: catalog.Heap}, all, r)
	require.NoError(t, err)
	require.Equal(t, judge.CannotTell, lost.CPU.Answer)

	lost, err = regretOf(catalog.Config{Scheduler: catalog.List}, all, r)
	require.NoError(t, err)
	require.Equal(t, judge.AsFast, lost.CPU.Answer, "it is the best")

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
				b.ReportMetric(100*regret.CPU.Value, "regret-%core")
				b.ReportMetric(float64(regret.Feasible), "feasible")
				b.ReportMetric(float64(len(configs)), "configs")
				b.Logf("limit %v: pick %v, best %v, %s", ch.Requirements.Lateness, regret.Pick.Config, regret.Best.Config,
					SayMoreCPU(regret.CPU, judge.Imperceptible, "the pick", "the best", "round"))
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
