package tune

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
)

func TestEveryPresetIsExplained(t *testing.T) {
	t.Parallel()
	l := stretches()[2].load(t) // idle-keepalive
	for _, preset := range catalog.Presets() {
		s, err := catalog.FindSystem(preset.Name)
		require.NoError(t, err)
		e, err := Explain(s, l, linuxLike(), Requirements{})
		require.NoError(t, err)
		require.Empty(t, e.Prediction.Impossible)
		require.Len(t, e.Late, len(LatePercentiles()))
		for i := 1; i < len(e.Late); i++ {
			require.LessOrEqual(t, e.Late[i-1], e.Late[i], s.Name)
		}
		require.Equal(t, s.Config.Wheel() && s.Config.Scheduler != catalog.NoCascade, e.Occupancy != nil, s.Name)
		require.Equal(t, s.Config.Waking == catalog.Ticking, e.Idle.Value > 0, s.Name)
		require.NotEmpty(t, e.Says)
	}
}

func TestNettyOnIdleConnections(t *testing.T) {
	l := stretches()[2].load(t) // 1000 connections, 30 s each
	netty, err := catalog.FindSystem("netty")
	require.NoError(t, err)
	e, err := Explain(netty, l, linuxLike(), Requirements{})
	require.NoError(t, err)
	require.Equal(t, catalog.Config{Scheduler: catalog.Rounds, Tick: 100 * ms, Slots: 512, Waking: catalog.Ticking}, e.Prediction.Config)
	require.InDelta(t, 10, e.Prediction.Wakeups, 0.1)
	require.InEpsilon(t, 10*5e-6, e.Idle.Value, 0.02, "ten wake-ups a second")
	require.Equal(t, 51200*ms, e.Revolution)
	// A timer of 30 s is armed again before its slot comes, or fires in the first
	// revolution: those that were reset are visited if another is looked for, once.
	require.Less(t, e.ScanEntries, 28*51.2)
	require.Positive(t, e.ScanEntries)
	require.Greater(t, e.Late[2], 0.090)
	require.InEpsilon(t, l.Pending, e.Occupancy.Timers, 0.15)
	require.InDelta(t, 1-300.0/512, e.Occupancy.EmptyShare, 0.08, "30 s of 51.2 hold timers")
	require.Nil(t, e.Better, "it takes so little that nobody would notice less")
}

// What would be better is said on evidence only: if it is known that wake-ups cost
// anything, fewer of them cost less.
func TestWhatWouldBeBetterIsTold(t *testing.T) {
	l := stretches()[2].load(t)
	netty, err := catalog.FindSystem("netty")
	require.NoError(t, err)
	wakeups := func(cost judge.Estimate) *costs.Calibration {
		c := flat()
		for i := range c.Terms {
			if c.Terms[i].Name == costs.TermWakeup {
				c.Terms[i].Seconds = cost
			}
		}
		return c
	}
	const better, perhaps, sooner, noMore, open, nothing = "would be as little late", "but whether it takes less cannot be told: ", "late at p99 and take less, ", "late at p99 and take no more that anybody would notice, ", "but whether it takes no more cannot be told: ", "nothing that was considered is better"
	for name, c := range map[string]struct {
		cal     *costs.Calibration
		r       Requirements
		says    []string
		isKnown bool
	}{
		"plainly":     {wakeups(around(0.005)), Requirements{}, []string{better, sooner}, true},
		"perhaps":     {wakeups(judge.Estimate{Value: 0.005, Low: -1e-6, High: 0.02}), Requirements{}, []string{perhaps, open}, false},
		"not at all":  {wakeups(around(0.005)), Requirements{MustTick: true}, []string{nothing}, false},
		"by a little": {wakeups(around(50e-6)), Requirements{MustTick: true}, []string{noMore}, false},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Explain(netty, l, c.cal, c.r)
			require.NoError(t, err)
			said := strings.Join(e.Says, "\n")
			for _, s := range c.says {
				require.Contains(t, said, s)
			}
			for _, s := range []string{better, perhaps, sooner, noMore, open, nothing} {
				if !slices.Contains(c.says, s) {
					require.NotContains(t, said, s)
				}
			}
			require.Equal(t, c.isKnown, e.Better != nil)
		})
	}
}

func TestALinuxTimerIsLateByAShareOfItsDelay(t *testing.T) {
	l := stretches()[7].load(t) // delayed-message: 1 s to 2 h
	linux, err := catalog.FindSystem("linux-like")
	require.NoError(t, err)
	e, err := Explain(linux, l, flat(), Requirements{})
	require.NoError(t, err)
	require.Greater(t, e.Late[2], 0.5, "most delays are minutes, and an eighth of that is seconds")
	require.Less(t, e.Late[4], 7200/7.8)
	require.NotContains(t, e.Prediction.Parts, costs.TermCascade)
}

func TestExplainRefuses(t *testing.T) {
	l := &Load{Schedules: 1, Pending: 1}
	_, err := Explain(catalog.System{Config: catalog.Config{Scheduler: "ring"}}, l, flat(), Requirements{})
	require.ErrorIs(t, err, catalog.ErrConfig)
	_, err = Explain(catalog.System{Config: catalog.Config{Scheduler: catalog.Heap}}, l, flat(), Requirements{CPU: 3})
	require.ErrorIs(t, err, ErrRequirements)
	e, err := Explain(catalog.System{Config: catalog.Config{Scheduler: catalog.Single, Tick: ms, Slots: 2}}, &Load{Schedules: 1, Pending: 1, Horizon: time.Hour}, flat(), Requirements{})
	require.NoError(t, err)
	require.Contains(t, e.Says[0], "cannot hold it")
	require.Nil(t, e.Better)
}

// TestOccupancyIsWhatLiesInTheSlots compares it with slots that are counted one by
// one.
func TestOccupancyIsWhatLiesInTheSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := catalog.Config{Scheduler: rapid.SampledFrom([]string{catalog.Single, catalog.Rounds}).Draw(t, "scheduler"), Tick: 10, Slots: 16}
		l := &Load{}
		counts := map[int]int{}
		for range rapid.IntRange(1, 100).Draw(t, "timers") {
			left := time.Duration(rapid.IntRange(1, 600).Draw(t, "left"))
			l.Residuals = append(l.Residuals, left)
			counts[int((left+9)/10-1)%16]++
		}
		l.Pending = float64(len(l.Residuals))
		o := l.occupancy(c)
		most, squares := 0, 0
		for _, n := range counts {
			most = max(most, n)
			squares += n * n
		}
		mean := l.Pending / 16
		variance := float64(squares)/16 - mean*mean
		require.Equal(t, 16, o.Slots)
		require.Equal(t, len(l.Residuals), o.Timers)
		require.Equal(t, most, o.Max)
		require.InDelta(t, mean, o.Mean, 1e-9)
		require.InDelta(t, 1-float64(len(counts))/16, o.EmptyShare, 1e-9)
		require.InDelta(t, variance/mean, o.Dispersion, 1e-6)
		sum := 0.0
		for _, s := range o.Shares {
			sum += s
		}
		require.InDelta(t, 1, sum, 1e-9)
		require.Len(t, o.Along, 16)
		for i, n := range o.Along {
			require.InDelta(t, counts[i], n, 1e-9)
		}
	})
}

func TestOccupancyOfASampleIsThatOfAll(t *testing.T) {
	all, part := &Load{Pending: 100_000}, &Load{Pending: 100_000}
	for i := range 100_000 {
		left := time.Duration(i*7919%1_000_003) + 1
		all.Residuals = append(all.Residuals, left)
		if i%5 == 0 {
			part.Residuals = append(part.Residuals, left)
		}
	}
	c := catalog.Config{Scheduler: catalog.Rounds, Tick: 1000, Slots: 256}
	a, p := all.occupancy(c), part.occupancy(c)
	require.InEpsilon(t, a.Mean, p.Mean, 0.01)
	require.InEpsilon(t, a.Timers, p.Timers, 0.01)
	require.Nil(t, all.occupancy(catalog.Config{Scheduler: catalog.Heap}))
	require.Nil(t, (&Load{}).occupancy(c))

	levels := all.occupancy(catalog.Config{Scheduler: catalog.Hier, Tick: 1000, Slots: 16})
	require.Equal(t, 100_000, levels.Timers)
	require.Zero(t, levels.Slots%16)
	require.GreaterOrEqual(t, levels.Slots, 3*16)
}
