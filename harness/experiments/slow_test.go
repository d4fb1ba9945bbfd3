package experiments

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
)

func TestOneTaskInEveryHundredMillisecondsIsSlow(t *testing.T) {
	p := tiny(sound("a"))
	p.Slice, p.Rate = 2*time.Second, 1000
	arrivals := arrivalsOf(t, p, 0)
	slow := slowOf(arrivals)
	seen := map[time.Duration]int{}
	for _, op := range arrivals.Ops {
		if slow[op.Timer] {
			seen[op.Deadline/slowEvery]++
			require.GreaterOrEqual(t, op.Deadline%slowEvery, slowEvery/2)
		}
	}
	require.GreaterOrEqual(t, len(seen), 19)
	for window, times := range seen {
		require.Equal(t, 1, times, "in window %d", window)
	}
	few := live.Arrivals(make([]time.Duration, 3), []time.Duration{ms, time.Second, time.Hour})
	require.Equal(t, []bool{false, true, true}, slowOf(few), "a gap is no debt")
}

// TestSlowTasksDelayTheOthersInline runs in virtual time, so that whatever is
// late waited for a slow task.
func TestSlowTasksDelayTheOthersInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tiny(sound("a"), runtimeTimers())
		series := must.Get(runOnly(t, p, rundata.Slow, rundata.OpPair))(t)
		require.Equal(t, []string{rundata.RunInline, rundata.RunGoroutine, rundata.RunPool, rundata.RunRuntime}, rundata.Distinct(series, "running"))
		for _, s := range series {
			require.Len(t, s.Iterations, p.Blocks)
			slow := 0
			for i, n := range s.Iterations {
				require.Equal(t, float64(n), s.Values[rundata.Fired][i], s.Name())
				require.Zero(t, s.Values[rundata.Early][i]+s.Values[rundata.Lost][i]+s.Values[rundata.Doubled][i], s.Name())
				slow += n
			}
			require.Less(t, s.Late.TotalCount(), int64(slow), "slow tasks are not recorded")
			if s.Get("running") == rundata.RunInline {
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
	p.Experiments, p.Full = []string{rundata.Slow}, true
	p.Blocks = 1
	cells := p.Cells()
	require.Len(t, cells, 2)
	series := must.Get(allBlocks(sessionOf(t, p), cells[1]))(t)
	require.Equal(t, []string{rundata.SlowBurns}, rundata.Distinct(series, "task"))
	require.Equal(t, []string{"a", "runtime", "netty"}, firstTime(series))
	require.Equal(t, []string{rundata.RunInline, rundata.RunGoroutine, rundata.RunPool, rundata.RunRuntime, rundata.RunPreset}, rundata.Distinct(series, "running"))
	require.Empty(t, slowCells((&harness.Plan{})), "nobody to measure")
}

// TestPresetsTakePartAsTheyAre has a preset in every experiment: in those that
// need a bare scheduler it is left out.
func TestPresetsTakePartAsTheyAre(t *testing.T) {
	needUsage(t)
	preset := sound("netty")
	preset.New, preset.Preset = nil, true
	own := func(t *testing.T, experiment, op string) []*rundata.Series {
		p := tiny(sound("a"), preset)
		p.Full, p.Blocks, p.Pending = true, 1, []int{10}
		return (&rundata.Data{Series: must.Get(runOnly(t, p, experiment, op))(t)}).Select(experiment, "impl=netty")
	}
	for _, e := range []string{rundata.Jitter, rundata.Idle} {
		synctest.Test(t, func(t *testing.T) {
			require.Equal(t, []string{rundata.PresetWaking}, rundata.Distinct(own(t, e, rundata.OpPair), "waking"), e)
		})
	}
	require.Empty(t, own(t, rundata.Memory, rundata.OpPair))
	for _, op := range rundata.Ops() {
		require.Equal(t, op == rundata.OpLivePair, len(own(t, rundata.Cost, op)) > 0, op)
	}
}
