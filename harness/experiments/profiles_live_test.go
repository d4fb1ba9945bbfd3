package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
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
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

func livePlan(w workload.Source, contestants ...harness.Contestant) *harness.Plan {
	p := replayPlan(w, contestants...)
	p.Experiments, p.LiveProfiles, p.LiveSlice = []string{rundata.Live}, p.Profiles, 100*time.Millisecond
	return p
}

// TestAWorkloadIsRunOnTheClock runs in a bubble, where nothing is late but by design.
func TestAWorkloadIsRunOnTheClock(t *testing.T) {
	ops := program(2000) // for about 200 ms
	done, want := expected(ops, 100*time.Millisecond)
	synctest.Test(t, func(t *testing.T) {
		got := must.Get(replayed(t, livePlan(workloadOf("mine", ops), sound("a"), runtimeTimers())))(t)
		require.Len(t, got, 3, "one is measured twice")
		for name, s := range got {
			require.Empty(t, s.Note, name)
			require.Equal(t, "mine", s.Get("profile"))
			require.Equal(t, "1", s.Get("scale"))
			require.Equal(t, []int{done, done}, s.Iterations)
			require.Equal(t, fmt.Sprint(10*done), s.Get("rate"))
			for i := range s.Iterations {
				require.GreaterOrEqual(t, s.Values[rundata.Fired][i], float64(want), name)
				require.Zero(t, s.Values[rundata.Early][i]+s.Values[rundata.Lost][i]+s.Values[rundata.Doubled][i], name)
				require.LessOrEqual(t, s.Values[rundata.MaxLate][i], 1.0, "a heap in a bubble is not late")
			}
			require.Equal(t, int64(2*want), s.Late.TotalCount())
			require.Zero(t, s.Early.TotalCount())
		}
		require.Contains(t, got["a"].Values, rundata.WakeupsPerSecond)
	})
}

// expected returns how many operations after the beginning of a stream make a timer or find theirs, and how many fire.
func expected(ops []workload.Op, within time.Duration) (done, fired int) {
	deadlines := map[uint32]time.Duration{}
	for _, op := range ops {
		if op.At >= within || op.Kind != workload.Schedule && deadlines[op.Timer] <= op.At {
			continue
		}
		if op.At > 0 {
			done++
		}
		if deadlines[op.Timer] = op.At + op.Delay; op.Kind == workload.Cancel {
			delete(deadlines, op.Timer)
		}
	}
	for _, d := range deadlines {
		if d <= within {
			fired++
		}
	}
	return done, fired
}

func TestNothingDueIsSaid(t *testing.T) {
	ops := []workload.Op{
		{Kind: workload.Schedule, Delay: time.Hour}, {Kind: workload.Schedule, Timer: 1, Delay: time.Hour},
		{At: 5, Kind: workload.Reset, Timer: 1, Delay: time.Hour},
	}
	synctest.Test(t, func(t *testing.T) {
		for _, s := range must.Get(replayed(t, livePlan(workloadOf("mine", ops), sound("a"), runtimeTimers())))(t) {
			require.Equal(t, rundata.NothingDue, s.State())
			require.NotContains(t, s.Values, rundata.P99Late)
			require.Equal(t, []float64{0, 0}, s.Values[rundata.Fired])
		}
	})
}

func TestFaultsAreCountedOnTheClock(t *testing.T) {
	for name, c := range map[string]struct {
		broken harness.Contestant
		unit   string
	}{
		"early": {brokenLive(faulty[driver.Task]{schedule: func(s schedulers.Scheduler[driver.Task], d time.Duration, v driver.Task) (schedulers.ID, error) {
			return s.Schedule(d-3*time.Millisecond, v)
		}}), rundata.Early},
		"lost": {brokenLive(faulty[driver.Task]{expire: func(s schedulers.Scheduler[driver.Task], now time.Duration, due []driver.Task) int {
			return max(s.Expire(now, due)-1, 0)
		}}), rundata.Lost},
		"fired though stopped": {brokenTimers(func(driver.Timer) bool { return true }), rundata.Doubled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := must.Get(replayed(t, livePlan(workloadOf("mine", program(1000)), c.broken)))(t)
				for _, n := range got["broken"].Values[c.unit] {
					require.Positive(t, n)
				}
			})
		})
	}
}

func TestAContestantThatCannotHoldAWorkloadIsNotRun(t *testing.T) {
	refusing := brokenLive(faulty[driver.Task]{schedule: func(schedulers.Scheduler[driver.Task], time.Duration, driver.Task) (schedulers.ID, error) {
		return 0, fmt.Errorf("broken: %w", schedulers.ErrBeyondHorizon)
	}})
	noWheel := harness.Contestant{Name: "no-wheel", Start: func(harness.Geometry, ...driver.Option) (*driver.Driver, error) {
		return nil, fmt.Errorf("no-wheel: %w", schedulers.ErrSlots)
	}}
	synctest.Test(t, func(t *testing.T) {
		got := must.Get(replayed(t, livePlan(workloadOf("mine", program(1000)), refusing, noWheel, sound("a"))))(t)
		require.Equal(t, rundata.CannotHold, got["broken"].State())
		require.Equal(t, "cannot hold: no-wheel: bad slot count", got["no-wheel"].Note)
		require.Empty(t, got["a"].Note)

		_, err := replayed(t, livePlan(workloadOf("mine", program(1000)), failing()))
		require.ErrorIs(t, err, errFake)
	})
}

func TestAContestantThatFallsBehindGivesUp(t *testing.T) {
	series := rundata.NewSeries(rundata.Live)
	require.NoError(t, unable(series, live.ErrBehind))
	require.Equal(t, rundata.GaveUp, series.State())
	list := sound("list")
	list.LinearInsert = true
	many := make([]workload.Op, 100_000)
	for i := range many {
		many[i] = workload.Op{Kind: workload.Schedule, Timer: uint32(i), Delay: time.Hour, At: time.Duration(max(i-50_000, 0)) * 1000}
	}
	synctest.Test(t, func(t *testing.T) {
		got := must.Get(replayed(t, livePlan(workloadOf("mine", many), list, sound("a"))))(t)
		require.Contains(t, got["list"].Note, "gave up: a sorted list cannot do ")
		require.Equal(t, rundata.NothingDue, got["a"].State())
	})
}

func TestWhatIsTooMuchForTheClockIsScaled(t *testing.T) {
	w := workloadOf("mine", nil)
	w.Scalable = true
	w.Open = func(o workload.Options) (workload.Stream, error) {
		scale := cmp.Or(o.Scale, 1)
		var ops []workload.Op
		every := time.Duration(float64(time.Microsecond) / scale)
		for i := range int(1000 * scale) {
			ops = append(ops, workload.Op{Kind: workload.Schedule, Timer: uint32(i), Delay: time.Millisecond})
		}
		for at := every; at < 50*time.Millisecond; at += every {
			ops = append(ops, workload.Op{At: at, Kind: workload.Schedule, Timer: uint32(len(ops)), Delay: time.Millisecond})
		}
		return recording(ops), nil
	}
	p := livePlan(w, sound("a"))
	p.LiveSlice = 50 * time.Millisecond
	sl, scale, err := liveSliceOf(sessionOf(t, p), w)
	require.NoError(t, err)
	require.InDelta(t, 0.2, scale, 0.001)
	require.InDelta(t, live.MostRate, sl.Rate(), 0.01*live.MostRate)
	require.InDelta(t, 200, len(sl.Pending), 1)

	w.Scalable = false
	sl, scale, err = liveSliceOf(sessionOf(t, p), w)
	require.NoError(t, err)
	require.Equal(t, 1.0, scale)
	require.InDelta(t, 5*live.MostRate, sl.Rate(), 0.01*5*live.MostRate)
}

func TestOnlyLiveWorkloadsAreRunOnTheClock(t *testing.T) {
	w := workloadOf("mine", program(100))
	p := livePlan(w, sound("a"))
	require.Len(t, p.Cells(), 1)
	p.LiveProfiles = nil
	require.Empty(t, p.Cells())
	require.Empty(t, livePlan(w, broken(faulty[uint64]{})).Cells(), "no contestant can run it")
}

func TestABrokenStreamFailsTheLiveCell(t *testing.T) {
	source := errors.New("no such stream")
	w := workloadOf("mine", nil)
	w.Open = func(workload.Options) (workload.Stream, error) { return nil, source }
	_, err := replayed(t, livePlan(w, sound("a")))
	require.ErrorIs(t, err, source)
	w.Open = func(workload.Options) (workload.Stream, error) { return workloadtest.Stalled{}, nil }
	_, err = replayed(t, livePlan(w, sound("a")))
	require.ErrorIs(t, err, io.ErrNoProgress)
	w.Open = func(workload.Options) (workload.Stream, error) { return recording(program(1000)), nil }
	p := livePlan(w, sound("a"))
	_, err = p.Cells()[0].Measure(sessionIn(ended(t), p))
	require.ErrorIs(t, err, ended(t).Err())
	require.False(t, slices.ContainsFunc(p.Cells(), func(c harness.Cell) bool { return c.Time <= 0 }))
}
