package replay_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/must"
	"schedbench/internal/replay"
	"schedbench/schedulers"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
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

// named returns a scheduler of the contestant of a name.
func named(t require.TestingT, name string, tick time.Duration) schedulers.Scheduler[uint64] {
	return makeOne(t, must.Get(catalog.Find([]string{name}))(t)[0], tick)
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

// explained returns where the answer of a scheduler to operations parts from the right one, nil if it does not.
func explained(t require.TestingT, s schedulers.Scheduler[uint64], tick time.Duration, ops []workload.Op) *replay.Difference {
	return must.Get(replay.Explain(context.Background(), s, workloadtest.StreamOf(ops...), tick))(t)
}

// anyStream draws operations of which some are nonsense: cancellations and resets
// of timers that have fired, were cancelled, or never were; numbers that are used
// again while their timer is pending; delays of nothing; instants on a tick.
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
