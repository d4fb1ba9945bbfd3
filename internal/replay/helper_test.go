package replay_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/internal/replay"
	"schedbench/schedulers"
	"schedbench/workload"
)

const ms = time.Millisecond

// The operations of hand-written streams.
func schedule(at time.Duration, timer uint32, delay time.Duration) workload.Op {
	return workload.Op{At: at, Delay: delay, Timer: timer, Kind: workload.Schedule}
}

func reset(at time.Duration, timer uint32, delay time.Duration) workload.Op {
	return workload.Op{At: at, Delay: delay, Timer: timer, Kind: workload.Reset}
}

func cancel(at time.Duration, timer uint32) workload.Op {
	return workload.Op{At: at, Timer: timer, Kind: workload.Cancel}
}

// virtual returns every contestant that is a scheduler.
func virtual() (found []harness.Contestant) {
	for _, c := range catalog.All() {
		if c.New != nil {
			found = append(found, c)
		}
	}
	return found
}

// makeOne returns a scheduler of a contestant, for an hour at a tick.
func makeOne(t require.TestingT, c harness.Contestant, tick time.Duration) schedulers.Scheduler[uint64] {
	return must.Get(c.New(harness.Geometry{Tick: tick, Horizon: time.Hour}))(t)
}

// named returns a scheduler of the contestant of a name, at ticks of a millisecond.
func named(t require.TestingT, name string) schedulers.Scheduler[uint64] {
	return makeOne(t, must.Get(catalog.Find([]string{name}))(t)[0], ms)
}

// replayed replays operations with a scheduler, which may take so long, 0 is any length, and runs them out.
func replayed(ctx context.Context, s schedulers.Scheduler[uint64], ops []workload.Op, tick, limit time.Duration) (replay.Result, error) {
	p, err := replay.NewPlayer(s, tick)
	if err != nil {
		return replay.Result{}, err
	}
	p.Limit(limit)
	if err = p.Play(ctx, ops); err == nil {
		err = p.RunOut(ctx)
	}
	return p.Result(), err
}

// run is replayed at ticks of a millisecond, in any time.
func run(t *testing.T, s schedulers.Scheduler[uint64], ops []workload.Op) (replay.Result, error) {
	return replayed(t.Context(), s, ops, ms, 0)
}

// play is run of what a scheduler can do.
func play(t *testing.T, s schedulers.Scheduler[uint64], ops ...workload.Op) replay.Result {
	t.Helper()
	return must.Get(run(t, s, ops))(t)
}

// expected returns the right answer to operations.
func expected(t require.TestingT, tick time.Duration, ops []workload.Op) replay.Answer {
	m := must.Get(replay.NewModel(tick))(t)
	require.NoError(t, m.Play(ops))
	m.RunOut()
	return m.Answer()
}

// anyStream draws operations of which some are nonsense: cancels and resets of timers that are not pending, numbers used
// again while their timer is pending, delays of nothing, instants on a tick.
func anyStream(t *rapid.T, tick time.Duration) []workload.Op {
	ops := make([]workload.Op, rapid.IntRange(0, 300).Draw(t, "operations"))
	at := time.Duration(0)
	for i := range ops {
		switch rapid.IntRange(0, 9).Draw(t, "pause") {
		case 0:
			at += rapid.SampledFrom([]time.Duration{time.Second, 400 * time.Second, 3 * tick}).Draw(t, "long")
		case 1, 2:
			at += (tick - at%tick) % tick
		case 3, 4, 5:
			at += time.Duration(rapid.Int64Range(0, int64(3*tick)).Draw(t, "short"))
		}
		ops[i] = workload.Op{
			At:    at,
			Kind:  rapid.SampledFrom([]workload.Kind{workload.Schedule, workload.Schedule, workload.Reset, workload.Cancel}).Draw(t, "kind"),
			Timer: uint32(rapid.IntRange(0, 30).Draw(t, "timer")),
		}
		if ops[i].Kind != workload.Cancel {
			ops[i].Delay = anyDelay(t, tick)
		}
	}
	return ops
}

func anyDelay(t *rapid.T, tick time.Duration) time.Duration {
	switch rapid.IntRange(0, 5).Draw(t, "delay") {
	case 0:
		return 0
	case 1:
		return tick * time.Duration(rapid.IntRange(0, 5).Draw(t, "ticks"))
	case 2:
		return time.Duration(rapid.Int64Range(0, int64(30*time.Minute)).Draw(t, "far"))
	}
	return time.Duration(rapid.Int64Range(0, int64(20*tick)).Draw(t, "near"))
}

func TestASchedulerThatCannotHoldAStreamSaysAtWhich(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, time.Second), schedule(ms, 1, 3*time.Hour), schedule(2*ms, 2, time.Second)}
	r, err := run(t, named(t, "singlewheel"), ops)
	var refused *replay.CannotHold
	require.ErrorAs(t, err, &refused)
	require.ErrorIs(t, err, schedulers.ErrBeyondHorizon)
	require.Equal(t, ops[1], refused.Op)
	require.Equal(t, uint64(1), refused.Index)
	require.ErrorContains(t, err, "cannot hold operation 1, a schedule at 1ms for 3h0m0s ahead: singlewheel: ")
	require.Equal(t, uint64(1), r.Ops)

	for _, name := range []string{"singlewheel", "heapsched"} {
		ops[1] = reset(ms, 0, 3*time.Hour)
		_, err = run(t, named(t, name), ops)
		require.Equal(t, name == "singlewheel", errors.As(err, &refused), "a reset is refused alike")
	}
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
		r, err := replayed(t.Context(), g, ops, ms, 2*time.Second)
		var late *replay.GaveUp
		require.ErrorAs(t, err, &late)
		require.Equal(t, 2*time.Second, late.Limit)
		require.Equal(t, r.Ops, late.Ops)
		require.Equal(t, uint64(8192), late.Mark.Ops)
		require.Equal(t, uint64(8192+2048), late.Ops, "a block that takes long is cut")
		require.Less(t, r.Took, 3*time.Second)
		require.ErrorContains(t, err, "gave up after 2s with ")

		m := must.Get(replay.NewModel(ms))(t)
		require.NoError(t, m.Play(ops[:late.Mark.Ops]))
		require.Equal(t, m.Answer(), late.Mark.Answer)
	})
}

// A scheduler that wakes up at each millisecond of a year is stopped between two operations.
func TestTimeIsLookedAtBetweenWakeupsToo(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, 365*24*time.Hour), schedule(360*24*time.Hour, 1, 0)}
	synctest.Test(t, func(t *testing.T) {
		s := &everyMillisecond{Scheduler: &gate{Scheduler: heapsched.New[uint64](), expire: time.Microsecond}}
		_, err := replayed(t.Context(), s, ops, ms, 50*ms)
		var late *replay.GaveUp
		require.ErrorAs(t, err, &late)
		require.Equal(t, uint64(1), late.Ops)
		require.InDelta(t, 50_000*ms, late.Now, float64(1024*ms))
	})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := replayed(ctx, &everyMillisecond{Scheduler: heapsched.New[uint64]()}, ops, ms, 0)
	require.ErrorIs(t, err, context.Canceled)
}

// everyMillisecond wakes up at every millisecond.
type everyMillisecond struct {
	schedulers.Scheduler[uint64]
	now time.Duration
}

func (s *everyMillisecond) Next() (time.Duration, bool) {
	_, ok := s.Scheduler.Next()
	return s.now + ms, ok
}

func (s *everyMillisecond) Expire(now time.Duration, due []uint64) int {
	s.now = now
	return s.Scheduler.Expire(now, due)
}

// A horizon counts from a clock that is behind while nothing is due.
func TestAHorizonIsCountedFromTheTimeOfTheOperation(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, time.Hour)}
	for at := time.Minute; at < 24*time.Hour; at += time.Minute {
		ops = append(ops, reset(at, 0, time.Hour))
	}
	want, s := expected(t, ms, ops), named(t, "singlewheel")
	require.Equal(t, want, play(t, s, ops...).Answer)
	require.Equal(t, want, play(t, withoutReset{named(t, "singlewheel")}, ops...).Answer)
}

// withoutReset hides that a scheduler can reset.
type withoutReset struct{ schedulers.Scheduler[uint64] }

func TestAPlayerThatHasFailedDoesNothingMore(t *testing.T) {
	s := heapsched.New[uint64]()
	p := must.Get(replay.NewPlayer(s, ms))(t)
	bad := p.Play(t.Context(), []workload.Op{schedule(0, 0, -1)})
	require.ErrorIs(t, bad, replay.ErrStream)
	require.Equal(t, bad, p.Play(t.Context(), []workload.Op{schedule(0, 0, 1)}))
	require.Equal(t, bad, p.RunOut(t.Context()))
	require.Zero(t, s.Len())
}
