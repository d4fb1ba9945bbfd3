package replay_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/harness"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/internal/replay"
	"schedbench/schedulers"
	"schedbench/workload"
)

// fired is a timer that came out: which, and at which instant.
type fired struct {
	timer, use int
	at         time.Duration
}

// firingRecorder notes at which instant each value comes out.
type firingRecorder struct {
	schedulers.Scheduler[uint64]
	out []fired
}

func (r *firingRecorder) Expire(now time.Duration, due []uint64) int {
	n := r.Scheduler.Expire(now, due)
	for _, v := range due[:n] {
		r.out = append(r.out, fired{int(uint32(v)), int(v >> 32), now})
	}
	return n
}

func sorted(list []fired) []fired {
	slices.SortFunc(list, func(a, b fired) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.timer, b.timer), cmp.Compare(a.use, b.use))
	})
	return list
}

// TestHandWrittenStreams says what fires when, in milliseconds that are ticks.
func TestHandWrittenStreams(t *testing.T) {
	for name, c := range map[string]struct {
		ops              []workload.Op
		want             []fired
		granted, refused uint64
	}{
		"nothing":                      {},
		"a deadline between two ticks": {ops: []workload.Op{schedule(0, 0, 4600*time.Microsecond)}, want: []fired{{0, 1, 5 * ms}}},
		"a deadline on a tick":         {ops: []workload.Op{schedule(100, 0, 4*ms-100)}, want: []fired{{0, 1, 4 * ms}}},
		"no delay at the start":        {ops: []workload.Op{schedule(0, 0, 0)}, want: []fired{{0, 1, 0}}},
		"no delay between two ticks":   {ops: []workload.Op{schedule(1, 0, 0)}, want: []fired{{0, 1, ms}}},
		"no delay at the instant that was expired last": {
			ops:  []workload.Op{schedule(0, 0, 3*ms), schedule(3*ms, 1, 0), cancel(3*ms, 1), schedule(3*ms, 2, 0)},
			want: []fired{{0, 1, 3 * ms}, {1, 1, 3 * ms}, {2, 1, 3 * ms}}, refused: 1,
		},
		"a cancellation in time": {ops: []workload.Op{schedule(0, 0, 2*ms), cancel(2*ms-1, 0)}, granted: 1},
		"one after the deadline but before the tick": {
			ops: []workload.Op{schedule(0, 0, 1500*time.Microsecond), cancel(1700*time.Microsecond, 0)}, granted: 1,
		},
		"one at the tick": {ops: []workload.Op{schedule(0, 0, 2*ms), cancel(2*ms, 0)}, want: []fired{{0, 1, 2 * ms}}, refused: 1},
		"one of a timer that never was": {
			ops: []workload.Op{cancel(0, 3), reset(0, 4, ms)}, refused: 2,
		},
		"two": {ops: []workload.Op{schedule(0, 0, ms), cancel(0, 0), cancel(0, 0)}, granted: 1, refused: 1},
		"a reset to later and one to earlier": {
			ops: []workload.Op{
				schedule(0, 0, 2*ms), schedule(0, 1, 9*ms), reset(ms, 0, 6*ms), reset(ms, 1, 3*ms),
			},
			want: []fired{{1, 1, 4 * ms}, {0, 1, 7 * ms}}, granted: 2,
		},
		"a reset of what has fired": {
			ops: []workload.Op{schedule(0, 0, ms), reset(2*ms, 0, ms)}, want: []fired{{0, 1, ms}}, refused: 1,
		},
		"a reset to now": {
			ops: []workload.Op{schedule(0, 0, 9*ms), reset(2*ms, 0, 0), cancel(2*ms, 0)}, want: []fired{{0, 1, 2 * ms}}, granted: 1, refused: 1,
		},
		"a number that is used again": {
			ops: []workload.Op{
				schedule(0, 0, 5*ms), cancel(ms, 0), schedule(ms, 0, 5*ms), schedule(2*ms, 0, 5*ms), cancel(3*ms, 0), schedule(7*ms, 0, 0),
			},
			want: []fired{{0, 2, 6 * ms}, {0, 4, 7 * ms}}, granted: 2,
		},
		"a long pause": {
			ops:  []workload.Op{schedule(0, 0, ms), schedule(0, 1, 30*time.Minute), cancel(40*time.Minute, 1)},
			want: []fired{{0, 1, ms}, {1, 1, 30 * time.Minute}}, refused: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			right := expected(t, ms, c.ops)
			for _, contestant := range virtual() {
				rec := &firingRecorder{Scheduler: makeOne(t, contestant, ms)}
				r := play(t, rec, c.ops...)
				require.Equal(t, sorted(c.want), sorted(rec.out), contestant.Name)
				require.Equal(t, uint64(len(c.want)), r.Fired)
				require.Equal(t, c.granted, r.Granted)
				require.Equal(t, c.refused, r.Refused)
				require.Equal(t, right, r.Answer, contestant.Name)
				require.Equal(t, uint64(len(c.ops)), r.Ops)
			}
		})
	}
}

// The answers are equal after every operation, and after the run-out.
func TestEveryContestantAnswersAsTheModelDoes(t *testing.T) {
	contestants := virtual()
	rapid.Check(t, func(t *rapid.T) {
		tick := rapid.SampledFrom([]time.Duration{ms, 5 * ms, time.Second}).Draw(t, "tick")
		ops := anyStream(t, tick)
		for _, c := range contestants {
			s := must.Get(c.New(harness.Geometry{Tick: tick, Horizon: 31 * time.Minute}))(t)
			p, m := must.Get(replay.NewPlayer(s, tick))(t), must.Get(replay.NewModel(tick))(t)
			for i := range ops {
				require.NoError(t, p.Play(context.Background(), ops[i:i+1]))
				require.NoError(t, m.Play(ops[i:i+1]))
				require.Equal(t, m.Answer(), p.Answer(), "%s after operation %d", c.Name, i)
			}
			require.NoError(t, p.RunOut(context.Background()))
			m.RunOut()
			require.Equal(t, m.Answer(), p.Answer(), c.Name)
		}
	})
}

func TestDeadlinesEndWithTime(t *testing.T) {
	ops := []workload.Op{
		schedule(5, 0, math.MaxInt64), schedule(5, 1, math.MaxInt64-5), schedule(7, 2, math.MaxInt64-1e15),
		reset(8, 0, math.MaxInt64), schedule(math.MaxInt64, 3, 1), schedule(math.MaxInt64, 4, 0), cancel(math.MaxInt64, 3),
	}
	want := expected(t, ms, ops)
	require.Equal(t, uint64(5), want.Fired)
	for _, s := range []schedulers.Scheduler[uint64]{
		heapsched.New[uint64](), named(t, "hierwheel"), named(t, "container-heap"), named(t, "listsched"),
	} {
		require.Equal(t, want, play(t, s, ops...).Answer)
	}
	for _, c := range virtual() { // the year 2262 of a wheel with rounds takes as long as that
		if c.Name != "roundswheel" {
			_, err := run(t, makeOne(t, c, ms), ops)
			require.True(t, err == nil || errors.Is(err, schedulers.ErrBeyondHorizon), c.Name)
		}
	}
}

func TestIdleTimeIsSkipped(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, ms), schedule(300*24*time.Hour, 1, ms), schedule(301*24*time.Hour, 1, 300*24*time.Hour)}
	r := play(t, heapsched.New[uint64](), ops...)
	require.Equal(t, uint64(3), r.Wakeups)
	require.Equal(t, 601*24*time.Hour, r.Now)
	r = play(t, named(t, "hierwheel"), ops...)
	require.Less(t, r.Wakeups, uint64(20), "a wake-up for each cascade, too")
	require.True(t, r.Metered)
	require.Positive(t, r.Work.Cascades)
}

func TestABadStreamIsRefused(t *testing.T) {
	for want, ops := range map[string][]workload.Op{
		"operation 1: time 1ms, want at least 2ms":                 {schedule(2*ms, 0, 0), schedule(ms, 0, 0)},
		"operation 0: time -1ns, want at least 0s":                 {schedule(-1, 0, 0)},
		"operation 0: delay -1ns, want 0 or more":                  {schedule(0, 0, -1)},
		"operation 1: kind 0, want schedule, reset or cancel":      {schedule(0, 0, 0), {}},
		"operation 0: kind 4, want schedule, reset or cancel":      {{Kind: 4}},
		"operation 0: timer 4294967295, want small numbers: below": {cancel(0, math.MaxUint32)},
	} {
		_, err := run(t, heapsched.New[uint64](), ops)
		require.ErrorIs(t, err, replay.ErrStream)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, must.Get(replay.NewModel(ms))(t).Play(ops), want, "the model says so too")
	}
	_, err := replay.NewPlayer(heapsched.New[uint64](), 0)
	require.ErrorIs(t, err, schedulers.ErrTick)
	_, err = replay.NewModel(-1)
	require.ErrorIs(t, err, schedulers.ErrTick)
}

// steady returns operations on a thousand timers, in a steady state.
func steady(n int) []workload.Op {
	r := rand.New(rand.NewPCG(1, 2))
	ops := make([]workload.Op, n)
	at := time.Duration(0)
	for i := range ops {
		at += time.Duration(r.IntN(int(50 * time.Microsecond)))
		ops[i] = workload.Op{At: at, Timer: uint32(r.IntN(1000)), Kind: workload.Kind(1 + r.IntN(3)), Delay: time.Duration(r.IntN(int(time.Second)))}
		if ops[i].Kind == workload.Cancel {
			ops[i].Delay = 0
		}
	}
	return ops
}

func TestASteadyStateAllocatesNothing(t *testing.T) {
	w := must.Get(hierwheel.New[uint64](ms, 256))(t)
	for name, s := range map[string]schedulers.Scheduler[uint64]{"heapsched": heapsched.New[uint64](), "hierwheel": w} {
		p := must.Get(replay.NewPlayer(s, ms))(t)
		ops := steady(1 << 14)
		round := ops[len(ops)-1].At + 1
		again := func() { // the same operations, later each time
			if err := p.Play(context.Background(), ops); err != nil {
				t.Fatal(err)
			}
			for i := range ops {
				ops[i].At += round
			}
		}
		for range 25 {
			again()
		}
		require.Zero(t, testing.AllocsPerRun(20, again), name)
	}
}
