package trace

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/workload"
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
		armed, deadline := map[uint32]bool{}, map[uint32]time.Duration{}
		armings := 0
		for i, op := range got {
			if op.Kind == workload.Schedule {
				require.False(t, armed[op.Timer] && deadline[op.Timer] > op.At, "operation %d takes a number that is pending", i)
			} else {
				require.True(t, armed[op.Timer], "operation %d is on a timer that was cancelled, or never made", i)
			}
			require.False(t, op.Kind == workload.Reset && deadline[op.Timer] <= op.At, "operation %d resets what has fired", i)
			if armed[op.Timer] = op.Kind != workload.Cancel; armed[op.Timer] {
				armings++
				deadline[op.Timer] = op.At + op.Delay
			}
			require.Less(t, int(op.Timer), len(deadline)+7, "numbers are dense")
		}
		require.Len(t, slices.DeleteFunc(all, func(e Event) bool { return !arms(e.Kind) }), armings, "every arming is an operation")
	})
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
