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

const ms = time.Millisecond

// lateness returns the outcome of timers that were due at 10 ms and were late by the given times, or early.
func lateness(late ...time.Duration) *live.Outcome {
	out := &live.Outcome{Fired: len(late)}
	for i, l := range late {
		if l < 0 {
			out.Early++
		}
		out.Firings = append(out.Firings, live.Firing{Timer: int32(i), At: 10*ms + l, Deadline: 10 * ms})
	}
	return out
}

func added(t *testing.T, series *rundata.Series, out *live.Outcome, counts func(int32) bool) rundata.Values {
	t.Helper()
	return must.Get((&harness.Session{}).AddOutcome(series, out, counts))(t)
}

func TestWhatWentWrongIsCountedAndLatenessRecorded(t *testing.T) {
	wrong := lateness(ms, ms)
	wrong.Lost, wrong.Doubled = 1, 2
	for _, c := range []struct {
		name                         string
		out                          *live.Outcome
		ok, early, lost, doubled     float64
		inLate, inEarly              int64
		median, p99, most, mostEarly time.Duration
	}{
		{"all on time", lateness(0, 0, 0), 3, 0, 0, 0, 3, 0, 1, 1, 1, 0},
		{"late by 1, 2 and 3 ms", lateness(ms, 2*ms, 3*ms), 3, 0, 0, 0, 3, 0, 2 * ms, 3 * ms, 3 * ms, 0},
		{"one lost, two doubled", wrong, 2, 0, 1, 2, 2, 0, ms, ms, ms, 0},
		{"none", lateness(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{"one early", lateness(-2*ms, ms, ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 2 * ms},
		{"one early by a nanosecond", lateness(-1, ms, ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 1},
		{"one before it was to be", lateness(-10*ms, ms, ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 10 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			series := rundata.NewSeries(rundata.Jitter)
			values := added(t, series, c.out, nil)
			require.Equal(t, []float64{c.ok, c.early, c.lost, c.doubled},
				[]float64{values[rundata.Fired], values[rundata.Early], values[rundata.Lost], values[rundata.Doubled]})
			require.Equal(t, c.inLate, series.Late.TotalCount())
			require.Equal(t, c.inEarly, series.Early.TotalCount())
			near(t, c.median, values[rundata.P50Late])
			near(t, c.p99, values[rundata.P99Late])
			near(t, c.most, values[rundata.MaxLate])
			near(t, c.mostEarly, float64(series.Early.Max()))
		})
	}
}

// near requires a value to be what was recorded, as a histogram reads it: exact to a thousandth.
func near(t *testing.T, want time.Duration, got float64) {
	t.Helper()
	require.InDelta(t, float64(want), got, float64(want)/1000)
}

func TestLatenessAddsUpOverRounds(t *testing.T) {
	series := rundata.NewSeries(rundata.Jitter)
	added(t, series, lateness(ms, ms), nil)
	second := added(t, series, lateness(-1, 8*ms), nil)
	require.Equal(t, int64(3), series.Late.TotalCount())
	require.Equal(t, int64(1), series.Early.TotalCount())
	near(t, 8*ms, second[rundata.P50Late]) // of its own round
	added(t, series, lateness(ms, ms), func(timer int32) bool { return timer == 1 })
	require.Equal(t, int64(4), series.Late.TotalCount(), "some do not count")
}

func arrivalsOf(t *testing.T, p *harness.Plan, round int) *live.Slice {
	return arrivingIn(p, "jitter", p.Slice, minDelay).draw(sessionOf(t, p), round)
}

func TestArrivalsAreTheSameForAllAndDifferByRound(t *testing.T) {
	p := tiny(sound("a"))
	p.Slice, p.Rate = 10*time.Second, 1000
	a := arrivalsOf(t, p, 0)
	require.Equal(t, a, arrivalsOf(t, p, 0))
	require.NotEqual(t, a, arrivalsOf(t, p, 1))
	require.InDelta(t, 10_000, a.Timers, 500)
	require.Len(t, a.Ops, a.Timers)
	for i, op := range a.Ops {
		require.Less(t, op.At, p.Slice)
		require.GreaterOrEqual(t, op.Deadline, op.At+minDelay)
		require.Less(t, op.Deadline, op.At+maxDelay+2*ms, "handed over a little ahead")
		if i > 0 {
			require.GreaterOrEqual(t, op.At, a.Ops[i-1].At)
		}
	}
	p.Slice, p.Rate = 10*ms, 1
	for round := range 20 {
		require.NotZero(t, arrivalsOf(t, p, round).Timers, "the shortest slice has one")
	}
}

func TestALiveContestantThatCannotBeUsedIsAnErrorAndIsClosed(t *testing.T) {
	needUsage(t)
	for _, experiment := range []string{rundata.Jitter, rundata.Idle} {
		synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left behind
			_, err := runOnly(t, tiny(failing()), experiment, rundata.OpPair)
			require.ErrorIs(t, err, errFake)
			_, err = runOnly(t, tiny(brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](0)})), experiment, rundata.OpPair)
			require.ErrorContains(t, err, "broken")
		})
	}
}

func TestShortDelaysAreCountedAndTheirArmingIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tiny(sound("a"), runtimeTimers())
		p.Slice = 200 * ms
		d := measured(t, p, rundata.Jitter, rundata.OpPair)
		short := d.Select(rundata.Jitter, "delays="+rundata.ShortDelays)
		require.Equal(t, []string{"a", "runtime"}, firstTime(short))
		require.Equal(t, []string{rundata.Tickless, rundata.RuntimeWaking}, rundata.Distinct(short, "waking"))
		for _, s := range short {
			allFired(t, s)
			for i, n := range s.Iterations {
				require.InDelta(t, 100, n, 40, "1000 a second, for half a slice")
				require.InDelta(t, 1, s.Values[rundata.ArmedP50Late][i], 0, "exact in virtual time")
				require.InDelta(t, 1, s.Values[rundata.ArmedP99Late][i], 0)
			}
		}
		for _, kicks := range short[0].Values[rundata.KicksPerSecond] {
			require.Greater(t, kicks, 100.0)
		}
		require.NotContains(t, short[1].Values, rundata.KicksPerSecond, "there is no worker")
		require.Equal(t, "runtime"+rundata.AASuffix, short[2].Get("impl"))
		for _, s := range d.Select(rundata.Jitter, "delays=") {
			require.NotContains(t, s.Values, rundata.ArmedP50Late, "handed over ahead: %s", s.Name())
		}
	})
}

func TestShortDelaysArriveWhenTheyArePlannedTo(t *testing.T) {
	p := tiny(sound("a"))
	p.Rate = 1000
	arrivals := arrivingShortly(p)
	arrivals.length = 10 * time.Second
	sl := arrivals.draw(sessionOf(t, p), 1)
	require.True(t, sl.Punctual)
	require.InDelta(t, 10_000, sl.Timers, 500)
	var together, shortest int
	for i, op := range sl.Ops {
		delay := op.Deadline - op.At
		require.GreaterOrEqual(t, delay, time.Duration(0))
		require.Less(t, delay, mostShort)
		if delay < 100*time.Microsecond {
			shortest++
		}
		if i > 0 && op.At == sl.Ops[i-1].At {
			together++
		}
	}
	require.InDelta(t, 200, shortest, 60)
	require.Less(t, together, 10, "not in batches")
	require.NotEqual(t, sl, arrivals.draw(sessionOf(t, p), 2))
}

func TestWhatIsArmedLateSaysSo(t *testing.T) {
	values := rundata.Values{}
	addArming(values, &live.Outcome{})
	require.Empty(t, values, "nothing was to arrive on time")
	addArming(values, &live.Outcome{Took: 2 * time.Second, PlayerCPU: time.Second, Metered: true,
		HandedLate: []time.Duration{0, ms, ms, 9 * ms}})
	near(t, ms, values[rundata.ArmedP50Late])
	near(t, 9*ms, values[rundata.ArmedP99Late])
	require.Equal(t, 5e8, values[rundata.ArmingCPU])
}

func TestWaysOfSleepingAreComparedOnAWheelAndAHeap(t *testing.T) {
	wheel, hier := sound("wheel"), standIn("wheel-for-all")
	wheel.HasTick, hier.HasTick = true, true
	p := tiny(sound("a"), list("b"), wheel, hier, sound("c"), runtimeTimers())
	require.Equal(t, []string{"wheel-for-all", "runtime", "a"}, implsOf(sleepers(p)))
	require.False(t, compareWaiting(p), "only a plan of everything does")
}

func TestCellsOfSleepingHaveEveryWay(t *testing.T) {
	needUsage(t)
	p := tiny(standIn("wheel-for-all"), runtimeTimers())
	p.Full, p.Blocks = true, 1
	s := sessionOf(t, p)
	cells := jitterCells(p)[2:]
	require.Len(t, cells, len(others(p)))
	for _, c := range cells {
		series := must.Get(allBlocks(s, c))(t)
		require.Len(t, series, 2+2, "time.AfterFunc, and one a second time")
		for _, one := range series {
			NotEarlyOrTwice(t, one)
		}
	}
	idle := idleCells(p)
	series := must.Get(allBlocks(s, idle[len(idle)-1]))(t)
	require.Len(t, series, 2+2, "time.AfterFunc, and one a second time")
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
