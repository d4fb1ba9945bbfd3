package replay_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/harness"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/replay"
	"schedbench/schedulers"
	"schedbench/workload"
)

// recorder notes at which instant each value comes out.
type recorder struct {
	schedulers.Scheduler[uint64]
	out []fired
}

func (r *recorder) Expire(now time.Duration, due []uint64) int {
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
			expected, err := replay.Expected(streamOf(c.ops), ms)
			require.NoError(t, err)
			for _, contestant := range virtual() {
				rec := &recorder{Scheduler: makeOne(t, contestant, ms)}
				r := play(t, rec, ms, c.ops...)
				require.Equal(t, sorted(c.want), sorted(rec.out), contestant.Name)
				require.Equal(t, uint64(len(c.want)), r.Fired)
				require.Equal(t, c.granted, r.Granted)
				require.Equal(t, c.refused, r.Refused)
				require.Equal(t, expected, r.Answer, contestant.Name)
				require.Equal(t, uint64(len(c.ops)), r.Ops)
			}
		})
	}
}

// TestTheModelIsRight compares it with a list that is searched before each
// operation.
func TestTheModelIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tick := rapid.SampledFrom([]time.Duration{1, 7, ms, time.Second}).Draw(t, "tick")
		ops := anyStream(t, tick)
		out, granted := brute(ops, tick)
		m, err := replay.NewModel(tick)
		require.NoError(t, err)
		require.NoError(t, m.Play(ops))
		m.RunOut()
		require.Equal(t, replay.AnswerOf(valuesOf(out, tick), repliesOf(ops, granted)), m.Answer())
	})
}

func TestEveryContestantAnswersAsTheModelDoes(t *testing.T) {
	contestants := virtual()
	rapid.Check(t, func(t *rapid.T) {
		tick := rapid.SampledFrom([]time.Duration{ms, 5 * ms, time.Second}).Draw(t, "tick")
		ops := anyStream(t, tick)
		want, err := replay.Expected(streamOf(ops), tick)
		require.NoError(t, err)
		for _, c := range contestants {
			s, err := c.New(harness.Geometry{Tick: tick, Horizon: 31 * time.Minute})
			require.NoError(t, err)
			got, err := replay.Run(context.Background(), s, &list{ops: ops, chunk: 7}, replay.Options{Tick: tick})
			require.NoError(t, err)
			require.Equal(t, want, got.Answer, c.Name)
			d, err := replay.Explain(context.Background(), makeOne(t, c, tick), streamOf(ops), tick)
			require.NoError(t, err)
			require.Nil(t, d, c.Name)
		}
	})
}

// A stream answers alike whether it is played at once or in parts, and at any
// operation, as the model does.
func TestAnswersAgreeAtEveryOperation(t *testing.T) {
	contestants := virtual()
	rapid.Check(t, func(t *rapid.T) {
		ops := anyStream(t, ms)
		m, err := replay.NewModel(ms)
		require.NoError(t, err)
		c := rapid.SampledFrom(contestants).Draw(t, "contestant")
		p, err := replay.NewPlayer(makeOne(t, c, ms), ms)
		require.NoError(t, err)
		for i := range ops {
			require.NoError(t, m.Play(ops[i:i+1]))
			require.NoError(t, p.Play(context.Background(), ops[i:i+1]))
			require.Equal(t, m.Answer(), p.Answer(), "%s after operation %d", c.Name, i)
			require.Equal(t, m.Ops(), p.Ops())
		}
	})
}

func TestDeadlinesEndWithTime(t *testing.T) {
	ops := []workload.Op{
		schedule(5, 0, math.MaxInt64), schedule(5, 1, math.MaxInt64-5), schedule(7, 2, math.MaxInt64-1e15),
		reset(8, 0, math.MaxInt64), schedule(math.MaxInt64, 3, 1), schedule(math.MaxInt64, 4, 0), cancel(math.MaxInt64, 3),
	}
	want, err := replay.Expected(streamOf(ops), ms)
	require.NoError(t, err)
	require.Equal(t, uint64(5), want.Fired)
	for _, s := range []schedulers.Scheduler[uint64]{
		heapsched.New[uint64](), named(t, "hierwheel", ms), named(t, "container-heap", ms), named(t, "listsched", ms),
	} {
		require.Equal(t, want, play(t, s, ms, ops...).Answer)
	}
	for _, c := range virtual() { // the year 2262 of a wheel with rounds takes as long as that
		if c.Name != "roundswheel" {
			s := makeOne(t, c, ms)
			_, err := replay.Run(t.Context(), s, streamOf(ops), replay.Options{Tick: ms})
			require.True(t, err == nil || errors.Is(err, schedulers.ErrBeyondHorizon), c.Name)
		}
	}
}

func TestIdleTimeIsSkipped(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, ms), schedule(300*24*time.Hour, 1, ms), schedule(301*24*time.Hour, 1, 300*24*time.Hour)}
	r := play(t, heapsched.New[uint64](), ms, ops...)
	require.Equal(t, uint64(3), r.Wakeups)
	require.Equal(t, 601*24*time.Hour, r.Now)
	r = play(t, named(t, "hierwheel", ms), ms, ops...)
	require.Less(t, r.Wakeups, uint64(20), "a wake-up for each cascade, too")
	require.True(t, r.Metered)
	require.Positive(t, r.Work.Cascades)
}

func TestASchedulerThatCannotHoldAStreamSaysAtWhich(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, time.Second), schedule(ms, 1, 3*time.Hour), schedule(2*ms, 2, time.Second)}
	r, err := replay.Run(t.Context(), named(t, "singlewheel", ms), streamOf(ops), replay.Options{Tick: ms})
	var refused *replay.CannotHold
	require.ErrorAs(t, err, &refused)
	require.ErrorIs(t, err, schedulers.ErrBeyondHorizon)
	require.Equal(t, ops[1], refused.Op)
	require.Equal(t, uint64(1), refused.Index)
	require.ErrorContains(t, err, "cannot hold operation 1, a schedule at 1ms for 3h0m0s ahead: singlewheel: ")
	require.Equal(t, uint64(1), r.Ops)

	for _, name := range []string{"singlewheel", "heapsched"} {
		ops[1] = reset(ms, 0, 3*time.Hour)
		_, err = replay.Run(t.Context(), named(t, name, ms), streamOf(ops), replay.Options{Tick: ms})
		require.Equal(t, name == "singlewheel", errors.As(err, &refused), "a reset is refused alike")
	}
	_, err = replay.Explain(t.Context(), named(t, "singlewheel", ms), streamOf(ops), ms)
	require.ErrorAs(t, err, &refused)
}

// gate sleeps: for each insertion after some, and for each Expire.
type gate struct {
	schedulers.Scheduler[uint64]
	quick          int
	insert, expire time.Duration
}

func (g *gate) Schedule(d time.Duration, v uint64) (schedulers.ID, error) {
	if g.quick--; g.quick < 0 {
		time.Sleep(g.insert)
	}
	return g.Scheduler.Schedule(d, v)
}

func (g *gate) Expire(now time.Duration, due []uint64) int {
	time.Sleep(g.expire)
	return g.Scheduler.Expire(now, due)
}

// In a bubble, time passes only while somebody sleeps.
func TestASchedulerThatIsTooSlowGivesUpWhereItsAnswerIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ops := steady(3 * 4096)
		g := &gate{Scheduler: heapsched.New[uint64](), quick: 2000, insert: ms}
		r, err := replay.Run(t.Context(), g, streamOf(ops), replay.Options{Tick: ms, Limit: 2 * time.Second})
		var late *replay.GaveUp
		require.ErrorAs(t, err, &late)
		require.Equal(t, 2*time.Second, late.Limit)
		require.Equal(t, r.Ops, late.Ops)
		require.Equal(t, uint64(8192), late.Mark.Ops)
		require.Equal(t, uint64(8192+2048), late.Ops, "a block that takes long is cut")
		require.Less(t, r.Took, 3*time.Second)
		require.ErrorContains(t, err, "gave up after 2s with ")

		m, err := replay.NewModel(ms)
		require.NoError(t, err)
		require.NoError(t, m.Play(ops[:late.Mark.Ops]))
		require.Equal(t, m.Answer(), late.Mark.Answer)
	})
}

// A year at a tick of a millisecond is too much for a scheduler that wakes up at
// each of them, and it is stopped between two operations.
func TestTimeIsLookedAtBetweenWakeupsToo(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, 365*24*time.Hour), schedule(360*24*time.Hour, 1, 0)}
	synctest.Test(t, func(t *testing.T) {
		s := &ticking{Scheduler: &gate{Scheduler: heapsched.New[uint64](), expire: time.Microsecond}}
		_, err := replay.Run(t.Context(), s, streamOf(ops), replay.Options{Tick: ms, Limit: 50 * ms})
		var late *replay.GaveUp
		require.ErrorAs(t, err, &late)
		require.Equal(t, uint64(1), late.Ops)
		require.InDelta(t, 50_000*ms, late.Now, float64(1024*ms))
	})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := replay.Run(ctx, &ticking{Scheduler: heapsched.New[uint64]()}, streamOf(ops), replay.Options{Tick: ms})
	require.ErrorIs(t, err, context.Canceled)
}

// ticking wakes up at every millisecond.
type ticking struct {
	schedulers.Scheduler[uint64]
	now time.Duration
}

func (s *ticking) Next() (time.Duration, bool) {
	_, ok := s.Scheduler.Next()
	return s.now + ms, ok
}

func (s *ticking) Expire(now time.Duration, due []uint64) int {
	s.now = now
	return s.Scheduler.Expire(now, due)
}

// A horizon counts from a clock that is behind while nothing is due.
func TestAHorizonIsCountedFromTheTimeOfTheOperation(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, time.Hour)}
	for at := time.Minute; at < 24*time.Hour; at += time.Minute {
		ops = append(ops, reset(at, 0, time.Hour))
	}
	want, err := replay.Expected(streamOf(ops), ms)
	require.NoError(t, err)
	s := named(t, "singlewheel", ms)
	require.Equal(t, want, play(t, s, ms, ops...).Answer)
	require.Equal(t, want, play(t, withoutReset{named(t, "singlewheel", ms)}, ms, ops...).Answer)
}

// withoutReset hides that a scheduler can reset.
type withoutReset struct{ schedulers.Scheduler[uint64] }

func TestAPlayerThatHasFailedDoesNothingMore(t *testing.T) {
	s := heapsched.New[uint64]()
	p, err := replay.NewPlayer(s, ms)
	require.NoError(t, err)
	bad := p.Play(t.Context(), []workload.Op{schedule(0, 0, -1)})
	require.ErrorIs(t, bad, replay.ErrStream)
	require.Equal(t, bad, p.Play(t.Context(), []workload.Op{schedule(0, 0, 1)}))
	require.Equal(t, bad, p.RunOut(t.Context()))
	require.Zero(t, s.Len())
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
		_, err := replay.Run(t.Context(), heapsched.New[uint64](), streamOf(ops), replay.Options{Tick: ms})
		require.ErrorIs(t, err, replay.ErrStream)
		require.ErrorContains(t, err, want)
		_, err = replay.Expected(streamOf(ops), ms)
		require.ErrorContains(t, err, want, "the model says so too")
	}
	source := errors.New("the source is broken")
	r, err := replay.Run(t.Context(), heapsched.New[uint64](), &list{ops: steady(10), err: source}, replay.Options{Tick: ms})
	require.ErrorIs(t, err, source)
	require.Equal(t, uint64(10), r.Ops)
	_, err = replay.Run(t.Context(), heapsched.New[uint64](), silent{}, replay.Options{Tick: ms})
	require.ErrorIs(t, err, replay.ErrStream)
	_, err = replay.Run(t.Context(), heapsched.New[uint64](), streamOf(nil), replay.Options{})
	require.ErrorIs(t, err, schedulers.ErrTick)
	_, err = replay.Expected(streamOf(nil), -1)
	require.ErrorIs(t, err, schedulers.ErrTick)
	_, err = replay.Explain(t.Context(), heapsched.New[uint64](), streamOf(nil), 0)
	require.ErrorIs(t, err, schedulers.ErrTick)
}

// silent is a stream that never says anything.
type silent struct{}

func (silent) Read([]workload.Op) (int, error) { return 0, nil }

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

// endless makes the same operations over and over, later each time.
type endless struct {
	ops   []workload.Op
	round time.Duration
	next  int
	at    time.Duration
	left  int
}

func (e *endless) Read(ops []workload.Op) (n int, err error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	for ; n < len(ops) && e.left > 0; n++ {
		if e.next == len(e.ops) {
			e.next, e.at = 0, e.at+e.round
		}
		ops[n] = e.ops[e.next]
		ops[n].At += e.at
		e.next++
		e.left--
	}
	return n, nil
}

func TestASteadyStateAllocatesNothing(t *testing.T) {
	ops := steady(1 << 14)
	round := ops[len(ops)-1].At + 1
	w, err := hierwheel.New[uint64](ms, 256)
	require.NoError(t, err)
	for name, s := range map[string]schedulers.Scheduler[uint64]{"heapsched": heapsched.New[uint64](), "hierwheel": w} {
		p, err := replay.NewPlayer(s, ms)
		require.NoError(t, err)
		e := &endless{ops: ops, round: round, left: math.MaxInt}
		block := make([]workload.Op, 1<<12)
		again := func() {
			n, err := e.Read(block)
			require.NoError(t, err)
			if err := p.Play(context.Background(), block[:n]); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 {
			again()
		}
		require.Zero(t, testing.AllocsPerRun(20, again), name)
	}
}
