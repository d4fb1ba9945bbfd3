package harness

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/live"
)

func TestOneTaskInEveryHundredMillisecondsIsSlow(t *testing.T) {
	p := tiny(sound("a"))
	p.Slice, p.Rate = 2*time.Second, 1000
	arrivals := arrivalsOf(t, p, 0)
	slow := slowOf(arrivals, SlowSleeps)
	seen := map[time.Duration]int{}
	for _, op := range arrivals.Ops {
		if slow.is[op.Timer] {
			seen[op.Deadline/slowEvery]++
			require.GreaterOrEqual(t, op.Deadline%slowEvery, slowEvery/2)
		}
	}
	require.GreaterOrEqual(t, len(seen), 19)
	for window, times := range seen {
		require.Equal(t, 1, times, "in window %d", window)
	}
	few := live.Arrivals(make([]time.Duration, 3), []time.Duration{ms, time.Second, time.Hour})
	require.Equal(t, []bool{false, true, true}, slowOf(few, SlowSleeps).is, "a gap is no debt")
}

// TestSlowTasksDelayTheOthersInline runs in virtual time, so that whatever is
// late waited for a slow task.
func TestSlowTasksDelayTheOthersInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tiny(sound("a"), runtimeTimers())
		series, err := runOnly(t, p, Slow, OpPair)
		require.NoError(t, err)
		require.Equal(t, []string{RunInline, RunGoroutine, RunPool, RunRuntime}, Distinct(series, "running"))
		for _, s := range series {
			require.Len(t, s.Iterations, p.Blocks)
			slow := 0
			for i, n := range s.Iterations {
				require.Equal(t, float64(n), s.Values[Fired][i], s.Name())
				require.Zero(t, s.Values[Early][i]+s.Values[Lost][i]+s.Values[Doubled][i], s.Name())
				slow += n
			}
			require.Less(t, s.Late.TotalCount(), int64(slow), "slow tasks are not recorded")
			if s.Get("running") == RunInline {
				require.InDelta(t, float64(slowFor), float64(s.Late.Max()), float64(2*ms), s.Name())
			} else {
				require.LessOrEqual(t, s.Late.Max(), int64(1), s.Name())
			}
		}
	})
}

func TestSlowCellsOfEverythingBurnToo(t *testing.T) {
	preset := sound("netty")
	preset.Preset = true
	p := tiny(sound("a"), preset, runtimeTimers())
	p.Experiments, p.Every = []string{Slow}, true
	p.Blocks = 1
	cells := p.Cells()
	require.Len(t, cells, 2)
	series, err := allBlocks(sessionOf(t, p), cells[1])
	require.NoError(t, err)
	require.Equal(t, []string{SlowBurns}, Distinct(series, "task"))
	require.Equal(t, []string{"a", "runtime", "netty"}, firstTime(series))
	require.Equal(t, []string{RunInline, RunGoroutine, RunPool, RunRuntime, RunOwn}, Distinct(series, "running"))
	require.Empty(t, (&Plan{}).slowCells(), "nobody to measure")
}

// TestPresetsTakePartAsTheyAre has a preset in every experiment: in those that
// need a bare scheduler it is left out.
func TestPresetsTakePartAsTheyAre(t *testing.T) {
	needUsage(t)
	preset := sound("netty")
	preset.New, preset.Preset = nil, true
	for _, e := range []string{Jitter, Idle, Memory} {
		p := tiny(sound("a"), preset)
		p.Every, p.Blocks = true, 1
		series, err := runOnly(t, p, e, OpPair)
		require.NoError(t, err)
		own := (&Data{Series: series}).Select(e, "impl=netty")
		if e == Memory {
			require.Empty(t, own)
			continue
		}
		require.Equal(t, []string{OwnWaking}, Distinct(own, "waking"), e)
	}
	for _, op := range Ops() {
		series, err := runOnly(t, tiny(sound("a"), preset), Cost, op)
		require.NoError(t, err, op)
		require.Equal(t, op == OpLivePair, len((&Data{Series: series}).Select(Cost, "impl=netty")) > 0, op)
	}
}
