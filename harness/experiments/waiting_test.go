package experiments

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
	"schedbench/schedulers"
)

func TestSlackIsReadBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // all lateness is slack
		p := tiny(sound("a"), runtimeTimers())
		s := sessionOf(t, p)
		for _, slack := range slacks {
			series := rundata.NewSeries(rundata.Slack)
			r := variant{Contestant: sound("a"), policy: policy{opts: []driver.Option{driver.WithSlack(slack)}}}
			_, values, err := arrivingIn(p, "waiting", p.Slice, leastPrecise).turn(s, r, series, 0)
			require.NoError(t, err)
			require.Zero(t, values[rundata.Early]+values[rundata.Lost]+values[rundata.Doubled])
			require.LessOrEqual(t, series.Late.Max(), max(int64(slack)*1001/1000, 1), "as a histogram reads it")
			if slack > 0 {
				require.Greater(t, series.Late.Max(), int64(slack)*9/10)
			}
		}
	})
}

func TestSlackCellsAreOfOneContestant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		series := must.Get(runOnly(t, tiny(sound("a"), standIn("wheel-for-all"), runtimeTimers()), rundata.Slack, rundata.OpPair))(t)
		require.Equal(t, []string{"wheel-for-all"}, rundata.Distinct(series, "impl"))
		require.Equal(t, []string{"0s", "100µs", "500µs", "1ms", "5ms"}, rundata.Distinct(series, "slack"))
		for _, s := range series {
			require.Len(t, s.Values[rundata.WakeupsPerSecond], 2)
		}
	})
	require.Empty(t, slackCells(tiny(runtimeTimers())), "no contestant has a slack")
}

func TestWaysOfSleepingAreComparedOnAWheelAndAHeap(t *testing.T) {
	wheel, hier := sound("wheel"), standIn("wheel-for-all")
	wheel.HasTick, hier.HasTick = true, true
	p := tiny(sound("a"), list("b"), wheel, hier, sound("c"), runtimeTimers())
	require.Equal(t, []string{"wheel-for-all", "runtime", "a"}, implsOf(sleepers(p)))
	require.Equal(t, []int{0, 100}, others(p))
	p.Pending = []int{1_000_000}
	require.Equal(t, []int{0, 100_000}, others(p))
	p.Pending = nil
	require.Equal(t, []int{0}, others(p))
	require.False(t, compareWaiting(p), "only a plan of everything does")
}

// TestCellsOfSleepingHaveEveryWay runs them with what there is.
func TestCellsOfSleepingHaveEveryWay(t *testing.T) {
	needUsage(t)
	p := tiny(standIn("wheel-for-all"), runtimeTimers())
	p.Full = true
	s := sessionOf(t, p)
	cells := jitterCells(p)[2:]
	require.Len(t, cells, len(others(p)))
	for _, c := range cells {
		series := must.Get(allBlocks(s, c))(t)
		require.Len(t, series, len(waitings(harness.Contestant{}))+2, "time.AfterFunc, and one a second time")
		for _, one := range series {
			for i, n := range one.Iterations {
				require.Equal(t, float64(n), one.Values[rundata.Fired][i]+one.Values[rundata.Lost][i], one.Name())
				require.Zero(t, one.Values[rundata.Early][i]+one.Values[rundata.Doubled][i], one.Name())
			}
		}
	}
	idle := idleCells(p)
	series := must.Get(allBlocks(s, idle[len(idle)-1]))(t)
	require.Len(t, series, len(waitings(harness.Contestant{}))+2, "time.AfterFunc, and one a second time")
	require.Contains(t, rundata.Distinct(series, "waiting"), rundata.WaitRuntime)
}

func TestOthersThatAreRefusedAreAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessionOf(t, tiny(sound("a")))
		r := variant{Contestant: brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](3)}), others: 10}
		arrivals := arrivingIn(s.Plan, "jitter", s.Plan.Slice, minDelay)
		_, _, err := arrivals.turn(s, r, rundata.NewSeries(rundata.Jitter), 0)
		require.ErrorContains(t, err, "7 of 10 insertions failed")
		r.Contestant = brokenLive(faulty[driver.Task]{
			schedule: func(s schedulers.Scheduler[driver.Task], deadline time.Duration, v driver.Task) (schedulers.ID, error) {
				if deadline > notYet {
					deadline = math.MaxInt64
				}
				return s.Schedule(deadline, v)
			}})
		_, values, err := arrivals.turn(s, r, rundata.NewSeries(rundata.Jitter), 0)
		require.NoError(t, err)
		require.Zero(t, values[rundata.Lost], "others are not waited for")
	})
}

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

// TestSlowTasksDelayTheOthersInline runs in virtual time: what is late waited for a slow task.
func TestSlowTasksDelayTheOthersInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tiny(sound("a"), runtimeTimers())
		series := must.Get(runOnly(t, p, rundata.Slow, rundata.OpPair))(t)
		require.Equal(t, []string{rundata.RunInline, rundata.RunGoroutine, rundata.RunPool, rundata.RunRuntime}, rundata.Distinct(series, "running"))
		for _, s := range series {
			require.Len(t, s.Iterations, p.Blocks)
			allFired(t, s)
			require.Less(t, s.Late.TotalCount(), int64(s.Iterations[0]+s.Iterations[1]), "slow tasks are not recorded")
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
	require.Empty(t, slowCells((&harness.Plan{})), "no contestant")
}

// TestPresetsTakePartAsTheyAre has a preset in every experiment: in those that need a bare scheduler it is left out.
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
