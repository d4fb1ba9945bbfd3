package experiments

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// drawnFrom returns n delays of a distribution, ascending.
func drawnFrom(t *testing.T, name string, n int, seed uint64) []time.Duration {
	t.Helper()
	draw, _, err := delayOf(name)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(seed, 0))
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = draw(r)
	}
	slices.Sort(delays)
	return delays
}

func mean(delays []time.Duration) time.Duration {
	sum := 0.0
	for _, d := range delays {
		sum += float64(d)
	}
	return time.Duration(sum / float64(len(delays)))
}

func TestDelaysFollowTheirDistribution(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		name                      string
		least, most               time.Duration
		mean, quarter, half, p95  time.Duration
		withinMean, withinQuarter float64
	}{
		{"uniform", time.Second, time.Hour,
			1800500 * time.Millisecond, 900750 * time.Millisecond, 1800500 * time.Millisecond, 3420050 * time.Millisecond, 0.01, 0.02},
		{rundata.NearDelays, time.Second, time.Minute,
			30500 * time.Millisecond, 15750 * time.Millisecond, 30500 * time.Millisecond, 57050 * time.Millisecond, 0.01, 0.02},
		{"exponential", time.Second, time.Hour,
			301 * time.Second, 87305 * time.Millisecond, 208944 * time.Millisecond, 899720 * time.Millisecond, 0.01, 0.02},
		{"constant", 30 * time.Second, 30 * time.Second,
			30 * time.Second, 30 * time.Second, 30 * time.Second, 30 * time.Second, 0, 0},
		{"bimodal", time.Second, time.Hour,
			271350 * time.Millisecond, 1278 * time.Millisecond, 1556 * time.Millisecond, 2700 * time.Second, 0.03, 0.02},
	} {
		t.Run(c.name, func(t *testing.T) {
			delays := drawnFrom(t, c.name, n, 1)
			_, horizon, err := delayOf(c.name)
			require.NoError(t, err)
			require.LessOrEqual(t, delays[n-1], horizon)
			require.GreaterOrEqual(t, delays[0], c.least)
			require.LessOrEqual(t, delays[n-1], c.most)
			near := func(want, got time.Duration, within float64, what string) {
				require.InDelta(t, want.Seconds(), got.Seconds(), within*want.Seconds(), what)
			}
			near(c.mean, mean(delays), c.withinMean, "mean")
			near(c.quarter, delays[n/4], c.withinQuarter, "25th percentile")
			near(c.half, delays[n/2], c.withinQuarter, "median")
			near(c.p95, delays[n*95/100], c.withinQuarter, "95th percentile")
		})
	}
}

func TestBimodalLeavesAGap(t *testing.T) {
	long := 0
	for _, d := range drawnFrom(t, "bimodal", 10_000, 1) {
		require.False(t, d >= 2*time.Second && d < 30*time.Minute, "%v", d)
		if d >= 30*time.Minute {
			long++
		}
	}
	require.InDelta(t, 1000, long, 100, "one in ten is long")
}

func TestASeedGivesTheSameDelays(t *testing.T) {
	for _, name := range Delays() {
		require.Equal(t, drawnFrom(t, name, 100, 1), drawnFrom(t, name, 100, 1), name)
		if name != "constant" {
			require.NotEqual(t, drawnFrom(t, name, 100, 1), drawnFrom(t, name, 100, 2), name)
		}
	}
}

func TestAnUnknownDistributionIsAnErrorThatListsTheKnown(t *testing.T) {
	_, _, err := delayOf("normal")
	require.ErrorContains(t, err, `"normal"`)
	for _, name := range Delays() {
		require.ErrorContains(t, err, name)
	}
}

func TestReplacementsPickFromAllTimers(t *testing.T) {
	const n = 7
	sc := newReplacements(1000)
	sc.draw(rand.New(rand.NewPCG(1, 2)), n, uniform(time.Second, time.Minute))
	picked := map[uint32]bool{}
	for i, p := range sc.picks {
		picked[p] = true
		require.Less(t, p, uint32(n))
		require.GreaterOrEqual(t, sc.delays[i], time.Second)
		require.Less(t, sc.delays[i], time.Minute)
	}
	require.Len(t, picked, n)
}
