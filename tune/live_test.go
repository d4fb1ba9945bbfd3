package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/workload"
)

// sourceOf returns a source that always gives the same operations, and cannot be
// scaled.
func sourceOf(ops ...workload.Op) workload.Source {
	return workload.Source{Name: "mine", Open: func(workload.Options) (workload.Stream, error) { return &listed{ops: ops}, nil }}
}

// listed is a stream of operations, a few at a time. At the end comes err, or
// io.EOF.
type listed struct {
	ops    []workload.Op
	err    error
	closed *bool
}

func (s *listed) Read(ops []workload.Op) (int, error) {
	if len(s.ops) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		return 0, io.EOF
	}
	n := copy(ops[:min(3, len(ops))], s.ops)
	s.ops = s.ops[n:]
	return n, nil
}

func (s *listed) Close() error {
	if s.closed != nil {
		*s.closed = true
	}
	return nil
}

// profile returns a source of a profile.
func profile(t testing.TB, name string) workload.Source {
	p, err := workload.Find(name)
	require.NoError(t, err)
	return workload.Source{Name: name, Scalable: true, Open: p.Stream}
}

// all reads a stream to its end.
func all(t require.TestingT, s workload.Stream) (ops []workload.Op) {
	for buf := make([]workload.Op, 7); ; {
		n, err := s.Read(buf)
		ops = append(ops, buf[:n]...)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return ops
		}
	}
}

func TestAStageBeginsWithWhatIsPending(t *testing.T) {
	src := sourceOf(
		workload.Op{At: 0, Delay: 500 * ms, Timer: 0, Kind: workload.Schedule}, // pending at 100 ms
		workload.Op{At: 10 * ms, Delay: 50 * ms, Timer: 1, Kind: workload.Schedule},
		workload.Op{At: 20 * ms, Delay: 500 * ms, Timer: 2, Kind: workload.Schedule},
		workload.Op{At: 30 * ms, Timer: 2, Kind: workload.Cancel},
		workload.Op{At: 40 * ms, Delay: 300 * ms, Timer: 0, Kind: workload.Reset}, // due at 340 ms
		workload.Op{At: 110 * ms, Delay: 20 * ms, Timer: 1, Kind: workload.Schedule},
		workload.Op{At: 120 * ms, Delay: 100 * ms, Timer: 0, Kind: workload.Reset}, // due at 220 ms
		workload.Op{At: 150 * ms, Timer: 1, Kind: workload.Cancel},                 // has fired at 130 ms
		workload.Op{At: 210 * ms, Delay: ms, Timer: 1, Kind: workload.Schedule},    // in the second round
	)
	st, err := NewStage(src, &Load{Warm: 100 * ms}, StageOptions{For: 200 * ms, Rounds: 2})
	require.NoError(t, err)
	require.Equal(t, 1.0, st.Scale())
	var scenes []*scene
	require.NoError(t, st.scenes(context.Background(), func(sc *scene) error {
		scenes = append(scenes, sc)
		return nil
	}))
	require.Equal(t, []*scene{
		{
			length: 100 * ms, initial: []start{{240 * ms, 0}}, count: 2,
			ops: []planned{
				{plan(10 * ms), 30 * ms, 1, 1, workload.Schedule},
				{plan(20 * ms), 120 * ms, 0, 0, workload.Reset},
			},
		},
		{
			length: 100 * ms, initial: []start{{20 * ms, 0}}, count: 2,
			ops: []planned{{plan(10 * ms), 11 * ms, 1, 2, workload.Schedule}},
		},
	}, scenes)

	s, err := st.Stream(context.Background())
	require.NoError(t, err)
	at := plan(10 * ms)
	require.Equal(t, []workload.Op{
		{At: 0, Delay: 240 * ms, Timer: 0, Kind: workload.Schedule},
		{At: at, Delay: 30*ms - at, Timer: 1, Kind: workload.Schedule},
		{At: plan(20 * ms), Delay: 120*ms - plan(20*ms), Timer: 0, Kind: workload.Reset},
		{At: 100*ms + at, Delay: 11*ms - at, Timer: 2, Kind: workload.Schedule},
	}, all(t, s))
}

func TestOperationsAreDoneALittleAheadAndInBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "at"))
		p := plan(at)
		require.Zero(t, p%liveBatch)
		require.GreaterOrEqual(t, p, time.Duration(0))
		require.LessOrEqual(t, at-p, liveLead)
		if p > 0 {
			require.Greater(t, at-p, liveLead-liveBatch)
		}
		require.LessOrEqual(t, p, plan(at+1))
	})
}

// drawOps draws operations as a stream may have them.
func drawOps(t *rapid.T) (ops []workload.Op) {
	at := time.Duration(0)
	for range rapid.IntRange(1, 60).Draw(t, "n") {
		at += time.Duration(rapid.IntRange(0, 30).Draw(t, "gap")) * ms / 4
		ops = append(ops, workload.Op{
			At: at, Timer: uint32(rapid.IntRange(0, 5).Draw(t, "timer")),
			Kind: rapid.SampledFrom([]workload.Kind{workload.Schedule, workload.Reset, workload.Cancel}).Draw(t, "kind"),
		})
		if ops[len(ops)-1].Kind != workload.Cancel {
			ops[len(ops)-1].Delay = time.Duration(rapid.IntRange(0, 200).Draw(t, "delay")) * ms / 4
		}
	}
	return ops
}

// deadlines returns the deadlines that hold in the end, of operations that are done
// in their order.
func deadlines(ops []workload.Op) (held []time.Duration) {
	type timer struct {
		deadline time.Duration
		armed    bool
	}
	timers := map[uint32]timer{}
	for _, op := range ops {
		old := timers[op.Timer]
		pending := old.armed && old.deadline > op.At
		switch {
		case op.Kind == workload.Schedule:
			if old.armed { // it has fired, or goes on without a name
				held = append(held, old.deadline)
			}
			timers[op.Timer] = timer{op.At + op.Delay, true}
		case !pending:
		case op.Kind == workload.Reset:
			timers[op.Timer] = timer{op.At + op.Delay, true}
		default:
			timers[op.Timer] = timer{}
		}
	}
	for _, tm := range timers {
		if tm.armed {
			held = append(held, tm.deadline)
		}
	}
	slices.Sort(held)
	return held
}

// What is played sets the deadlines that the workload sets, wherever it is cut.
func TestTheDeadlinesThatArePlayedAreThoseOfTheWorkload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := drawOps(t)
		rounds := rapid.IntRange(1, 5).Draw(t, "rounds")
		length := ops[len(ops)-1].At + 10*ms
		st, err := NewStage(sourceOf(ops...), &Load{}, StageOptions{For: length * time.Duration(rounds), Rounds: rounds})
		require.NoError(t, err)
		if rapid.Bool().Draw(t, "cut through") {
			st.o.For = max(length, time.Duration(rounds)*10*ms)
		}
		s, err := st.Stream(context.Background())
		require.NoError(t, err)
		played := all(t, s)
		require.True(t, slices.IsSortedFunc(played, func(a, b workload.Op) int { return int(a.At - b.At) }))
		var within []workload.Op
		for _, op := range ops {
			if op.At < st.slice()*time.Duration(rounds) {
				within = append(within, op)
			}
		}
		require.Equal(t, deadlines(within), deadlinesOfDistinct(played))
	})
}

// deadlinesOfDistinct returns the deadlines that hold in the end, where each arming
// has a number of its own and nothing is refused.
func deadlinesOfDistinct(ops []workload.Op) (held []time.Duration) {
	timers := map[uint32]time.Duration{}
	for _, op := range ops {
		if op.Kind == workload.Cancel {
			delete(timers, op.Timer)
		} else {
			timers[op.Timer] = op.At + op.Delay
		}
	}
	for _, d := range timers {
		held = append(held, d)
	}
	slices.Sort(held)
	return held
}

func TestTooFastAWorkloadIsScaledDown(t *testing.T) {
	load := &Load{Schedules: 600_000, Cancels: 200_000, MostPending: 100_000, Warm: time.Minute}
	st, err := NewStage(profile(t, "rpc-timeout"), load, StageOptions{})
	require.NoError(t, err)
	require.Equal(t, 0.25, st.Scale())
	require.Contains(t, fmt.Sprint(st.Notes()), "scaled by 0.25")
	require.Contains(t, fmt.Sprint(st.Notes()), "only 15s of it are skipped")

	load = &Load{Schedules: 10, MostPending: 2_000_000}
	st, err = NewStage(profile(t, "long-uniform"), load, StageOptions{})
	require.NoError(t, err)
	require.Equal(t, 0.025, st.Scale())

	_, err = NewStage(sourceOf(), load, StageOptions{})
	require.ErrorIs(t, err, ErrTooFast)
	require.ErrorContains(t, err, "up to 2000000 timers")
}

func TestAStageThatCannotBePlayedIsRefused(t *testing.T) {
	_, err := NewStage(sourceOf(), &Load{}, StageOptions{For: -1})
	require.ErrorContains(t, err, "want at least 10ms each")
	_, err = NewStage(sourceOf(), &Load{}, StageOptions{For: time.Second, Rounds: 1000})
	require.ErrorContains(t, err, "1000 rounds")

	played := func(src workload.Source) error {
		st, err := NewStage(src, &Load{}, StageOptions{For: 60 * ms})
		require.NoError(t, err)
		return st.scenes(context.Background(), func(*scene) error { return nil })
	}
	require.ErrorContains(t, played(sourceOf()), "nothing is pending or armed")
	mine := errors.New("mine")
	closed := false
	broken := workload.Source{Name: "broken", Open: func(workload.Options) (workload.Stream, error) {
		return &listed{err: mine, closed: &closed}, nil
	}}
	require.ErrorIs(t, played(broken), mine)
	require.True(t, closed, "a stream is closed")
	broken.Open = func(workload.Options) (workload.Stream, error) { return nil, mine }
	require.ErrorIs(t, played(broken), mine)
	require.ErrorIs(t, played(sourceOf(workload.Op{Timer: mostTimers, Kind: workload.Schedule})), ErrLoad)
}

// A trace that is shorter than asked for is played as far as it goes.
func TestAShortTraceEndsEarly(t *testing.T) {
	st, err := NewStage(sourceOf(workload.Op{At: ms, Delay: 15 * ms, Kind: workload.Schedule}), &Load{}, StageOptions{For: 60 * ms})
	require.NoError(t, err)
	rounds := 0
	require.NoError(t, st.scenes(context.Background(), func(*scene) error { rounds++; return nil }))
	require.Equal(t, 2, rounds)
}

func TestTheLoadOfAStageIsThatOfTheWorkload(t *testing.T) {
	src := profile(t, "kafka-purgatory")
	st, err := NewStage(src, &Load{Schedules: 10_000, Warm: time.Second}, StageOptions{For: 2 * time.Second})
	require.NoError(t, err)
	l, err := st.Load(context.Background())
	require.NoError(t, err)
	require.InEpsilon(t, 10_000, l.Schedules, 0.05)
	require.InEpsilon(t, 8820, l.Cancels, 0.05)
	require.InEpsilon(t, 335, l.Pending, 0.1)
	again, err := st.Load(context.Background())
	require.NoError(t, err)
	require.Equal(t, l.Fires, again.Fires)
}

// The real thing: every configuration plays a workload, and every timer fires once
// and not early. How late they are and what they cost is not for a test to say.
func TestWorkloadsArePlayed(t *testing.T) {
	needCPUTime(t)
	for _, name := range []string{"kafka-purgatory", "idle-keepalive", "sub-ms"} {
		load := &Load{Warm: 200 * ms, Schedules: 1e6, Resets: 1e6, MostPending: 100}
		st, err := NewStage(profile(t, name), load, StageOptions{For: 120 * ms, Rounds: 2})
		require.NoError(t, err)
		configs := append(calibrated(100), catalog.Config{Scheduler: catalog.Heap, Tick: 5 * ms, Waking: catalog.Ticking})
		measured, err := MeasureAll(context.Background(), st, configs, Requirements{}, nil)
		require.NoError(t, err)
		for i, m := range measured {
			require.Equal(t, configs[i], m.Config)
			require.Positive(t, m.For)
			require.GreaterOrEqual(t, m.Resolution, leastResolution)
			require.Equal(t, measured[0].Fired > 0, m.Fired > 0)
		}
	}
}

func TestPlayingCanBeStopped(t *testing.T) {
	needCPUTime(t)
	st, err := NewStage(profile(t, "kafka-purgatory"), &Load{}, StageOptions{For: 120 * ms})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = MeasureAll(ctx, st, calibrated(100), Requirements{}, func(_ string, done, _ int) {
		if done == 1 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	_, err = MeasureAll(context.Background(), st, []catalog.Config{{Scheduler: "other"}}, Requirements{}, nil)
	require.ErrorIs(t, err, catalog.ErrConfig)
}

// fakePlayer returns a player whose timers, all due at 10 ms of 20, have been
// noted as given.
func fakePlayer(n int, runs ...noted) *player {
	p := newPlayer(context.Background(), &thread{}, &scene{length: 20 * ms, count: n})
	for i := range n {
		p.deadline[i] = 10 * ms
	}
	p.noted = runs
	return p
}

func TestWrongAnswersAreFound(t *testing.T) {
	var r reading
	p := fakePlayer(2, noted{11 * ms, 1}, noted{10 * ms, 0})
	require.NoError(t, p.judge(&r))
	require.Equal(t, []float64{0.001, 0}, r.late)
	require.Equal(t, 2, r.fired)

	p = fakePlayer(2, noted{11 * ms, 1}, noted{30 * ms, 0})
	p.deadline[0] = 25 * ms // not within the turn
	r = reading{}
	require.NoError(t, p.judge(&r))
	require.Equal(t, 1, r.fired)

	for want, p := range map[string]*player{
		"1 fired early":      fakePlayer(1, noted{9 * ms, 0}),
		"1 more than once":   fakePlayer(1, noted{10 * ms, 0}, noted{11 * ms, 0}),
		"1 never":            fakePlayer(2, noted{10 * ms, 0}),
		"of 1 timers 0 fire": func() *player { p := fakePlayer(1, noted{10 * ms, 0}); p.gone[0] = true; return p }(),
	} {
		err := p.judge(&reading{})
		require.ErrorIs(t, err, ErrWrong, want)
		require.ErrorContains(t, err, want)
	}
}
