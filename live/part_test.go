package live

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

const ms = time.Millisecond

// partOf returns a part of a stream that always has the same operations.
func partOf(from, length time.Duration, ops ...workload.Op) Part {
	return Part{
		Open: func() (workload.Stream, error) { return &workloadtest.Stream{Ops: ops, AtOnce: 3}, nil },
		From: from, Length: length,
	}
}

func sliceOf(t require.TestingT, p Part) *Slice { return must.Get(p.Slice(context.Background()))(t) }

// TestAPartBeginsWithWhatIsPending has timers of every fate before it.
func TestAPartBeginsWithWhatIsPending(t *testing.T) {
	p := partOf(100*ms, 100*ms,
		workload.Op{At: 0, Delay: 500 * ms, Timer: 0, Kind: workload.Schedule}, // pending at 100 ms
		workload.Op{At: 10 * ms, Delay: 50 * ms, Timer: 1, Kind: workload.Schedule},
		workload.Op{At: 20 * ms, Delay: 500 * ms, Timer: 2, Kind: workload.Schedule},
		workload.Op{At: 30 * ms, Timer: 2, Kind: workload.Cancel},
		workload.Op{At: 40 * ms, Delay: 300 * ms, Timer: 0, Kind: workload.Reset}, // due at 340 ms
		workload.Op{At: 50 * ms, Delay: 500 * ms, Timer: 3, Kind: workload.Schedule},
		workload.Op{At: 80 * ms, Delay: 90 * ms, Timer: 1, Kind: workload.Reset},    // has fired at 60 ms
		workload.Op{At: 90 * ms, Delay: 10 * ms, Timer: 4, Kind: workload.Schedule}, // is not pending at 100 ms any more
		workload.Op{At: 110 * ms, Delay: 20 * ms, Timer: 1, Kind: workload.Schedule},
		workload.Op{At: 120 * ms, Delay: 100 * ms, Timer: 0, Kind: workload.Reset}, // due at 220 ms
		workload.Op{At: 150 * ms, Timer: 1, Kind: workload.Cancel},                 // has fired at 130 ms
		workload.Op{At: 160 * ms, Timer: 3, Kind: workload.Cancel},
		workload.Op{At: 200 * ms, Delay: ms, Timer: 1, Kind: workload.Schedule}, // after it
	)
	s := sliceOf(t, p)
	require.Equal(t, &Slice{
		Length: 100 * ms, Pending: []time.Duration{450 * ms, 240 * ms}, Places: []time.Duration{420 * ms, 240 * ms}, takenOver: []bool{true, false}, Timers: 3,
		Ops: []Op{
			{handOver(10 * ms), 30 * ms, 2, workload.Schedule},
			{handOver(20 * ms), 120 * ms, 1, workload.Reset},
			{handOver(60 * ms), 450 * ms, 0, workload.Cancel},
		},
	}, s)
	require.InDelta(t, 30, s.Rate(), 1e-9)

	p.From = time.Second
	require.Zero(t, sliceOf(t, p).Timers, "all is over by then")
}

// A driver leaves what is put off at its place until that comes, and gives the place of a stopped timer to the next one.
// What came to its place first is armed first.
func TestAPartBeginsWithTimersAtTheirPlaces(t *testing.T) {
	ops := []workload.Op{
		{Kind: workload.Schedule, Timer: 0, Delay: 150 * ms},
		{Kind: workload.Schedule, Timer: 1, Delay: 60 * ms},
		{Kind: workload.Schedule, Timer: 2, Delay: 300 * ms},
		{Kind: workload.Schedule, Timer: 3, Delay: 120 * ms},
		{Kind: workload.Schedule, Timer: 4, Delay: 30 * ms},
		{At: 10 * ms, Kind: workload.Cancel, Timer: 3},
		{At: 20 * ms, Kind: workload.Cancel, Timer: 4},
		{At: 40 * ms, Kind: workload.Schedule, Timer: 5, Delay: 160 * ms}, // 30 ms has passed
		{At: 41 * ms, Kind: workload.Schedule, Timer: 6, Delay: 159 * ms}, // it takes over 120 ms
		{At: 50 * ms, Kind: workload.Reset, Timer: 0, Delay: 150 * ms},
		{At: 50 * ms, Kind: workload.Reset, Timer: 1, Delay: 150 * ms}, // its place moves at 60 ms
		{At: 50 * ms, Kind: workload.Reset, Timer: 2, Delay: 150 * ms}, // to an earlier deadline
	}
	s := sliceOf(t, partOf(100*ms, 100*ms, ops...))
	require.Equal(t, []time.Duration{100 * ms, 100 * ms, 100 * ms, 100 * ms, 100 * ms}, s.Pending)
	require.Equal(t, []time.Duration{50 * ms, 20 * ms, 100 * ms, 100 * ms, 100 * ms}, s.Places)
	require.Equal(t, []bool{false, true, false, false, false}, s.takenOver)
}

func TestOperationsAreHandedOverALittleAheadAndInBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "at"))
		h := handOver(at)
		require.Zero(t, h%batch)
		require.GreaterOrEqual(t, h, time.Duration(0))
		require.LessOrEqual(t, at-h, lead)
		if h > 0 {
			require.Greater(t, at-h, lead-batch)
		}
		require.LessOrEqual(t, h, handOver(at+1))
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

// deadlines returns the deadlines that hold in the end, of operations that are done in their order.
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
		length := max((ops[len(ops)-1].At+10*ms)/time.Duration(rapid.IntRange(1, 5).Draw(t, "parts")), 10*ms)
		played := sliceOf(t, partOf(0, length, ops...))
		require.True(t, slices.IsSortedFunc(played.Ops, func(a, b Op) int { return int(a.At - b.At) }))
		var within []workload.Op
		for _, op := range ops {
			if op.At < length {
				within = append(within, op)
			}
		}
		require.Equal(t, deadlines(within), deadlinesOfDistinct(played))
	})
}

// deadlinesOfDistinct returns the final deadlines of a slice, in which each arming has a number of its own.
func deadlinesOfDistinct(s *Slice) (held []time.Duration) {
	timers := map[int32]time.Duration{}
	for i, d := range s.Pending {
		timers[int32(i)] = d
	}
	for _, op := range s.Ops {
		if op.Kind == workload.Cancel {
			delete(timers, op.Timer)
		} else {
			timers[op.Timer] = op.Deadline
		}
	}
	for _, d := range timers {
		held = append(held, d)
	}
	slices.Sort(held)
	return held
}

func TestABrokenStreamIsAnError(t *testing.T) {
	played := func(open func() (workload.Stream, error), from time.Duration) error {
		_, err := Part{Open: open, From: from, Length: 10 * ms}.Slice(context.Background())
		return err
	}
	mine := errors.New("mine")
	for _, from := range []time.Duration{0, ms} {
		closed := 0
		require.ErrorIs(t, played(func() (workload.Stream, error) { return &workloadtest.Stream{Err: mine, Closed: &closed}, nil }, from), mine)
		require.Equal(t, 1, closed, "a stream is closed")
		require.ErrorIs(t, played(func() (workload.Stream, error) { return nil, mine }, from), mine)
		require.ErrorIs(t, played(func() (workload.Stream, error) { return workloadtest.Stalled{}, nil }, from), io.ErrNoProgress)
	}
	many := partOf(0, 10*ms, workload.Op{Timer: mostTimers, Kind: workload.Schedule})
	_, err := many.Slice(t.Context())
	require.ErrorContains(t, err, "an operation on timer 67108864")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = many.Slice(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestASliceHasSoManyOperations(t *testing.T) {
	ops := &workloadtest.Stream{Ops: []workload.Op{{At: 1, Kind: workload.Schedule}, {At: 2, Kind: workload.Schedule}}}
	_, err := (&cutter{Slice: &Slice{Length: ms}, most: 1}).cut(workload.Blocks(t.Context(), ops, 2))
	require.ErrorIs(t, err, ErrTooFast)
}

func TestWhatIsTooMuchIsScaled(t *testing.T) {
	require.Equal(t, 1.0, Scale(200_000, 200_000))
	require.Equal(t, 0.25, Scale(800_000, 1000))
	require.Equal(t, 0.1, Scale(800_000, 2_000_000))
	require.Equal(t, 1.0, Scale(0, 0))
}
