package harness

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
	"schedbench/schedulers"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

// livePlan returns a plan that runs one workload on the real clock.
func livePlan(w workload.Source, contestants ...Contestant) *Plan {
	p := replayPlan(w, contestants...)
	p.Experiments, p.LiveProfiles, p.LiveSlice = []string{Live}, p.Profiles, 100*time.Millisecond
	return p
}

// TestAWorkloadIsRunOnTheClock runs in a bubble, where nothing is late but by
// design.
func TestAWorkloadIsRunOnTheClock(t *testing.T) {
	ops := program(1, 2000) // for about 200 ms
	var due, begun int
	for _, op := range ops {
		if op.At == 0 {
			begun++
		}
		if op.At < 100*time.Millisecond {
			due++
		}
	}
	synctest.Test(t, func(t *testing.T) {
		got, err := replayed(t, livePlan(workloadOf("mine", ops), sound("a"), runtimeTimers()))
		require.NoError(t, err)
		require.Len(t, got, 2)
		want := expectedToFire(ops, 100*time.Millisecond)
		for name, s := range got {
			require.Empty(t, s.Note, name)
			require.Equal(t, "mine", s.Get("profile"))
			require.Equal(t, "1", s.Get("scale"))
			require.Equal(t, []int{due - begun, due - begun}, s.Iterations)
			require.Equal(t, fmt.Sprint(10*(due-begun)), s.Get("rate"))
			for i := range s.Iterations {
				require.GreaterOrEqual(t, s.Values[Fired][i], float64(want), name)
				require.Zero(t, s.Values[Early][i]+s.Values[Lost][i]+s.Values[Doubled][i], name)
				require.LessOrEqual(t, s.Values[MaxLate][i], 1.0, "a heap in a bubble is not late")
			}
			require.Equal(t, int64(2*want), s.Late.TotalCount())
			require.Zero(t, s.Early.TotalCount())
		}
		require.Contains(t, got["a"].Values, WakeupsPerSecond)
	})
}

// expectedToFire counts the timers of a stream that fire within a time.
func expectedToFire(ops []workload.Op, within time.Duration) (n int) {
	deadlines := map[uint32]time.Duration{}
	for _, op := range ops {
		if op.At >= within {
			break
		}
		d, pending := deadlines[op.Timer]
		pending = pending && d > op.At
		switch {
		case op.Kind == workload.Cancel && pending:
			delete(deadlines, op.Timer)
		case op.Kind == workload.Schedule, op.Kind == workload.Reset && pending:
			deadlines[op.Timer] = op.At + op.Delay
		}
	}
	for _, d := range deadlines {
		if d <= within {
			n++
		}
	}
	return n
}

func TestNothingDueIsSaid(t *testing.T) {
	ops := []workload.Op{
		{Kind: workload.Schedule, Delay: time.Hour}, {Kind: workload.Schedule, Timer: 1, Delay: time.Hour},
		{At: 5, Kind: workload.Reset, Timer: 1, Delay: time.Hour},
	}
	synctest.Test(t, func(t *testing.T) {
		got, err := replayed(t, livePlan(workloadOf("mine", ops), sound("a"), runtimeTimers()))
		require.NoError(t, err)
		for _, s := range got {
			require.Equal(t, NothingDue, s.State())
			require.NotContains(t, s.Values, P99Late)
			require.Equal(t, []float64{0, 0}, s.Values[Fired])
		}
	})
}

func TestFaultsAreCountedOnTheClock(t *testing.T) {
	for name, c := range map[string]struct {
		faults faulty[driver.Task]
		unit   string
	}{
		"early": {faulty[driver.Task]{schedule: func(s schedulers.Scheduler[driver.Task], d time.Duration, v driver.Task) (schedulers.ID, error) {
			return s.Schedule(d-3*time.Millisecond, v)
		}}, Early},
		"lost": {faulty[driver.Task]{expire: func(s schedulers.Scheduler[driver.Task], now time.Duration, due []driver.Task) int {
			return max(s.Expire(now, due)-1, 0)
		}}, Lost},
		"fired though stopped": {faulty[driver.Task]{cancel: func(schedulers.Scheduler[driver.Task], schedulers.ID) bool { return true }}, Doubled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := replayed(t, livePlan(workloadOf("mine", program(1, 1000)), brokenLive(c.faults)))
				require.NoError(t, err)
				for _, n := range got["broken"].Values[c.unit] {
					require.Positive(t, n)
				}
			})
		})
	}
}

func TestWhoCannotHoldAWorkloadIsNotRun(t *testing.T) {
	refusing := brokenLive(faulty[driver.Task]{schedule: func(schedulers.Scheduler[driver.Task], time.Duration, driver.Task) (schedulers.ID, error) {
		return 0, fmt.Errorf("broken: %w", schedulers.ErrBeyondHorizon)
	}})
	noWheel := Contestant{Name: "no-wheel", Start: func(Geometry, ...driver.Option) (*driver.Driver, error) {
		return nil, fmt.Errorf("no-wheel: %w", schedulers.ErrSlots)
	}}
	synctest.Test(t, func(t *testing.T) {
		got, err := replayed(t, livePlan(workloadOf("mine", program(1, 1000)), refusing, noWheel, sound("a")))
		require.NoError(t, err)
		require.Equal(t, CannotHold, got["broken"].State())
		require.Equal(t, "cannot hold: no-wheel: bad slot count", got["no-wheel"].Note)
		require.Empty(t, got["a"].Note)

		_, err = replayed(t, livePlan(workloadOf("mine", program(1, 1000)), failing()))
		require.ErrorIs(t, err, errFake)
	})
}

// lazyArmer takes long to arm a timer.
type lazyArmer struct{ takes time.Duration }

func (a lazyArmer) arm(int32, time.Duration, func()) error { time.Sleep(a.takes); return nil }
func (lazyArmer) stop(int32) bool                          { return true }
func (lazyArmer) move(int32, time.Duration) (bool, error)  { return true, nil }

func TestWhoFallsBehindGivesUp(t *testing.T) {
	w := workloadOf("mine", program(1, 1000))
	p := livePlan(w, sound("a"))
	for _, takes := range []time.Duration{40 * time.Millisecond, 100 * time.Microsecond} {
		synctest.Test(t, func(t *testing.T) {
			s := sessionOf(t, p)
			sc, err := s.newScene(w)
			require.NoError(t, err)
			series := newLateSeries(Live)
			_, err = newLiveTurn(sc, lazyArmer{takes}).run(t.Context(), runner{}, series)
			if takes < time.Millisecond {
				require.NoError(t, err, "some slowness is made up for")
				return
			}
			require.ErrorIs(t, err, errBehind)
			_, _, err = s.unable(series, err)
			require.NoError(t, err)
			require.Equal(t, GaveUp, series.State())
		})
	}
	list := sound("list")
	list.LinearInsert = true
	many := make([]workload.Op, 100_000)
	for i := range many {
		many[i] = workload.Op{Kind: workload.Schedule, Timer: uint32(i), Delay: time.Hour, At: time.Duration(max(i-50_000, 0)) * 1000}
	}
	synctest.Test(t, func(t *testing.T) {
		got, err := replayed(t, livePlan(workloadOf("mine", many), list, sound("a")))
		require.NoError(t, err)
		require.Contains(t, got["list"].Note, "gave up: a sorted list cannot do ")
		require.Equal(t, NothingDue, got["a"].State())
	})
}

// TestWhatIsTooMuchForTheClockIsScaled has a workload of a million operations a
// second.
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
	sc, err := sessionOf(t, p).newScene(w)
	require.NoError(t, err)
	require.InDelta(t, 0.2, sc.scale, 0.001)
	require.InDelta(t, mostLiveRate, sc.rate(), 0.01*mostLiveRate)
	require.InDelta(t, 200, sc.begun, 1)
	require.Greater(t, sc.due, 9_000)

	w.Scalable = false
	sc, err = sessionOf(t, p).newScene(w)
	require.NoError(t, err)
	require.Equal(t, 1.0, sc.scale)
	require.InDelta(t, 5*mostLiveRate, sc.rate(), 0.01*5*mostLiveRate)
}

func TestASceneNumbersEveryUseOfATimer(t *testing.T) {
	ms := time.Millisecond
	sc := &scene{slice: 10 * ms, begun: 1, ops: []workload.Op{
		{Kind: workload.Schedule, Timer: 7, Delay: 2 * ms},
		{At: ms, Kind: workload.Cancel, Timer: 9},
		{At: ms, Kind: workload.Reset, Timer: 7, Delay: 30 * ms},
		{At: 2 * ms, Kind: workload.Schedule, Timer: 7, Delay: 5 * ms},
		{At: 3 * ms, Kind: workload.Schedule, Timer: 8, Delay: 5 * ms},
		{At: 4 * ms, Kind: workload.Cancel, Timer: 8},
		{At: 5 * ms, Kind: workload.Reset, Timer: 8, Delay: 1},
		{At: 8 * ms, Kind: workload.Cancel, Timer: 7},
	}}
	sc.number()
	require.Equal(t, []int32{0, -1, 0, 1, 2, 2, -1, -1}, sc.timers)
	require.Equal(t, 3, sc.count)
	require.Equal(t, 1, sc.due)
	require.Equal(t, 1, sc.pending, "16 ms of lives in 10 ms")
	require.Equal(t, 3, sc.inserts)
	require.InDelta(t, 700, sc.rate(), 1e-9)
}

func TestOnlyLiveWorkloadsAreRunOnTheClock(t *testing.T) {
	w := workloadOf("mine", program(1, 100))
	p := livePlan(w, sound("a"))
	require.Len(t, p.Cells(), 1)
	p.LiveProfiles = nil
	require.Empty(t, p.Cells())
	require.Empty(t, livePlan(w, broken(faulty[uint64]{})).Cells(), "there is nobody to run it")
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
	w.Open = func(workload.Options) (workload.Stream, error) { return recording(program(1, 1000)), nil }
	p := livePlan(w, sound("a"))
	_, err = p.Cells()[0].run(&session{ctx: ended(t), plan: p})
	require.ErrorIs(t, err, ended(t).Err())
	require.False(t, slices.ContainsFunc(p.Cells(), func(c Cell) bool { return c.Time <= 0 }))
}

// TestASceneBeginsInTheSteadyState has timers of every fate before it.
func TestASceneBeginsInTheSteadyState(t *testing.T) {
	ms := time.Millisecond
	w := workloadOf("mine", []workload.Op{
		{Kind: workload.Schedule, Timer: 0, Delay: 50 * ms},
		{Kind: workload.Schedule, Timer: 1, Delay: 200 * ms},
		{At: 1, Kind: workload.Schedule, Timer: 2, Delay: time.Second},
		{At: 2, Kind: workload.Cancel, Timer: 2},
		{At: 3, Kind: workload.Schedule, Timer: 3, Delay: 90 * ms},
		{At: 80 * ms, Kind: workload.Reset, Timer: 3, Delay: 90 * ms},
		{At: 81 * ms, Kind: workload.Reset, Timer: 0, Delay: 90 * ms}, // it has fired
		{At: 90 * ms, Kind: workload.Schedule, Timer: 4, Delay: 10 * ms},
		{At: 110 * ms, Kind: workload.Cancel, Timer: 1},
		{At: 120 * ms, Kind: workload.Schedule, Timer: 4, Delay: ms},
		{At: 200 * ms, Kind: workload.Schedule, Timer: 5, Delay: ms},
	})
	w.Steady = 100 * ms
	sc, err := sessionOf(t, livePlan(w, sound("a"))).newScene(w)
	require.NoError(t, err)
	require.Equal(t, []workload.Op{
		{Kind: workload.Schedule, Timer: 1, Delay: 100 * ms},
		{Kind: workload.Schedule, Timer: 3, Delay: 70 * ms},
		{At: 10 * ms, Kind: workload.Cancel, Timer: 1},
		{At: 20 * ms, Kind: workload.Schedule, Timer: 4, Delay: ms},
	}, sc.ops)
	require.Equal(t, 2, sc.begun)
	require.Equal(t, 2, sc.due)
	require.InDelta(t, 20, sc.rate(), 1e-9)

	w.Steady = time.Second
	sc, err = sessionOf(t, livePlan(w, sound("a"))).newScene(w)
	require.NoError(t, err)
	require.Empty(t, sc.ops, "all is over by then")
}
