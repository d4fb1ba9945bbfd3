package trace

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

func op(kind workload.Kind, timer uint32, at, delay time.Duration) workload.Op {
	return workload.Op{At: at, Delay: delay, Timer: timer, Kind: kind}
}

func TestWhatAProgramDid(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []Event
		want   []workload.Op
	}{
		{
			"a timer that fires when it should", []Event{{0, 10, 900, Schedule}, {10, 0, 900, Fire}, {11, 5, 800, Schedule}},
			[]workload.Op{op(workload.Schedule, 0, 0, 10), op(workload.Schedule, 0, 11, 5)},
		},
		{
			"one that is reset and cancelled", []Event{{0, 10, 900, Schedule}, {4, 10, 900, Reset}, {9, 0, 900, Cancel}, {9, 1, 800, Schedule}},
			[]workload.Op{op(workload.Schedule, 0, 0, 10), op(workload.Reset, 0, 4, 10), op(workload.Cancel, 0, 9, 0), op(workload.Schedule, 0, 9, 1)},
		},
		{
			"one that fires early keeps its number until it is due",
			[]Event{{0, 10, 900, Schedule}, {7, 0, 900, Fire}, {8, 5, 900, Schedule}, {10, 1, 800, Schedule}},
			[]workload.Op{op(workload.Schedule, 0, 0, 10), op(workload.Schedule, 1, 8, 5), op(workload.Schedule, 0, 10, 1)},
		},
		{
			"one scheduled while pending", []Event{{0, 10, 900, Schedule}, {4, 10, 900, Schedule}, {14, 10, 900, Schedule}},
			[]workload.Op{op(workload.Schedule, 0, 0, 10), op(workload.Reset, 0, 4, 10), op(workload.Schedule, 0, 14, 10)},
		},
		{
			"one reset or cancelled though it should have fired", []Event{{0, 10, 900, Schedule}, {10, 5, 900, Reset}, {20, 0, 900, Cancel}},
			[]workload.Op{op(workload.Schedule, 0, 0, 10), op(workload.Schedule, 0, 10, 5), op(workload.Cancel, 0, 20, 0)},
		},
		{
			"those armed before the recording began",
			[]Event{{0, 0, 900, Cancel}, {1, 0, 901, Fire}, {2, 10, 902, Reset}, {3, 0, 902, Cancel}, {3, 0, 1 << 40, Cancel}},
			[]workload.Op{op(workload.Schedule, 0, 2, 10), op(workload.Cancel, 0, 3, 0)},
		},
		{
			"those that have ended", []Event{{0, 10, 900, Schedule}, {1, 0, 900, Cancel}, {2, 0, 900, Cancel}, {3, 0, 900, Fire}, {4, 9, 900, Reset}},
			[]workload.Op{op(workload.Schedule, 0, 0, 10), op(workload.Cancel, 0, 1, 0), op(workload.Schedule, 0, 4, 9)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, opsOf(t, Ops(&list{left: c.events})))
		})
	}
}

func TestTheOperationsOfAnyTraceKeepTheRulesOfAStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := someEvents(t)
		got := opsOf(t, Ops(&list{left: all}))
		did := summarized(t, must.Get(readAll(Events(workloadtest.StreamOf(got...))))(t))
		asked, armed := map[Kind]int{}, map[uint32]bool{}
		for i, op := range got {
			require.True(t, op.Kind == workload.Schedule || armed[op.Timer], "operation %d is on a timer that was cancelled, or never made", i)
			require.Less(t, uint64(op.Timer), did.Peak+7, "numbers are dense")
			asked[Kind(op.Kind)]++
			armed[op.Timer] = op.Kind != workload.Cancel
		}
		require.EqualValues(t, did.Schedules, asked[Schedule], "none takes a number that is pending")
		require.EqualValues(t, did.Resets, asked[Reset], "none resets what is not pending")
		armings := slices.DeleteFunc(all, func(e Event) bool { return !e.Kind.arms() })
		require.Len(t, armings, asked[Schedule]+asked[Reset], "every arming is an operation")
	})
}

func TestAStreamAsEventsAndBackIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := someOps(t)
		all := must.Get(readAll(Events(workloadtest.StreamOf(want...))))(t)
		useAll(t, all)
		got := opsOf(t, Ops(&list{left: all}))
		require.Len(t, got, len(want))
		same := map[uint32]uint32{} // numbers of the timers made last
		for i := range got {
			if want[i].Kind == workload.Schedule {
				same[want[i].Timer] = got[i].Timer
			}
			want[i].Timer = same[want[i].Timer]
			require.Equal(t, want[i], got[i], "operation %d", i)
		}
	})
}

func TestTheEventsOfAStream(t *testing.T) {
	all := must.Get(readAll(Events(&workloadtest.Stream{Ops: []workload.Op{
		op(workload.Schedule, 0, 0, 10), op(workload.Schedule, 1, 0, 20), op(workload.Reset, 0, 5, 10),
		op(workload.Cancel, 1, 15, 0), op(workload.Cancel, 0, 16, 0), op(workload.Reset, 0, 16, 5), op(workload.Schedule, 0, 17, 1<<63-1),
	}})))(t)
	require.Equal(t, []Event{
		{0, 10, 0, Schedule}, {0, 20, 1, Schedule}, {5, 10, 0, Reset}, {15, 0, 0, Fire}, {15, 0, 1, Cancel},
		{17, 1<<63 - 18, 0, Schedule}, {1<<63 - 1, 0, 0, Fire},
	}, all, "a deadline comes before what is done at it, and what comes too late is left out")
}

func TestAStreamThatBreaksItsRulesIsAnError(t *testing.T) {
	for name, ops := range map[string][]workload.Op{
		"time that goes back":   {op(workload.Schedule, 0, 5, 1), op(workload.Schedule, 1, 4, 1)},
		"a negative delay":      {op(workload.Schedule, 0, 5, -1)},
		"an unknown kind":       {op(workload.Schedule, 0, 5, 1), op(5, 0, 5, 1)},
		"an absurd number":      {op(workload.Schedule, maxNumbers, 5, 1)},
		"a time that is before": {op(workload.Cancel, 0, -1, 0)},
	} {
		_, err := readAll(Events(workloadtest.StreamOf(ops...)))
		require.ErrorIs(t, err, ErrEvent, name)
	}
}

func TestTheErrorOfATraceIsThatOfWhatReadsIt(t *testing.T) {
	broken := errors.New("broken")
	for want, trace := range map[error]list{
		ErrEvent: {left: []Event{{5, 1, 0, Schedule}, {4, 1, 1, Schedule}}},
		broken:   {left: []Event{{0, 1, 0, Schedule}}, err: broken},
	} {
		all := trace
		o := Ops(&trace)
		ops := make([]workload.Op, 4)
		n, err := o.Read(ops)
		require.Equal(t, 1, n)
		require.NoError(t, err)
		for range 2 {
			n, err = o.Read(ops)
			require.Zero(t, n)
			require.ErrorIs(t, err, want)
		}
		_, err = Summarize(&all)
		require.ErrorIs(t, err, want)
	}
}
