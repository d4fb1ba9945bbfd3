package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/live"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

// every is a workload one of whose timers is due in each gap.
func every(gap time.Duration) workload.Source {
	return workload.Source{Name: "w", Open: func(workload.Options) (workload.Stream, error) {
		return &workloadtest.Stream{Ops: dueEvery(gap, nil), AtOnce: 100}, nil
	}}
}

// dueEvery adds operations to others.
func dueEvery(gap time.Duration, ops []workload.Op) []workload.Op {
	first := time.Duration(min(len(ops), 1)) * time.Second // others are pending by then
	for i := range 2000 {
		ops = append(ops, workload.Op{At: first + time.Duration(i)*gap, Delay: gap / 2, Timer: uint32(len(ops)), Kind: workload.Schedule})
	}
	return ops
}

// A turn on the real clock is as long as the percentile that is printed needs, or it is said how long
// that would be.
func TestATurnIsAsLongAsAPercentileNeeds(t *testing.T) {
	for _, c := range []struct {
		gap, turn time.Duration
		said      []string
	}{
		{10 * time.Millisecond, time.Second, nil},
		{100 * time.Millisecond, 1800 * time.Millisecond, []string{"w: turns of 1.8s on the real clock, in which 100 timers are due, as the 99th percentile of lateness needs"}},
		{500 * time.Millisecond, 8400 * time.Millisecond, []string{"w: turns of 8.4s on the real clock, in which 100 timers are due, as the 99th percentile of lateness needs"}},
		{2 * time.Second, time.Second, []string{"w: 0 timers due on the real clock in six turns of 1s, want 100 for the 99th percentile of lateness: --live-for 35s"}},
		{time.Minute, time.Second, []string{"w: no timer is due on the real clock in turns of 1s, so there is no lateness: --live-for LONGER"}},
	} {
		var said []string
		turn, err := liveTurn(t.Context(), []workload.Source{every(c.gap)}, func(s string) { said = append(said, s) })
		require.NoError(t, err)
		require.Equal(t, c.turn, turn, c.gap)
		require.Equal(t, c.said, said, c.gap)
	}
}

// A workload that is scaled down to be played has its timers due less often.
func TestATurnOfAScaledWorkloadIsAsLongAsThatNeeds(t *testing.T) {
	w := workload.Source{Name: "w", Scalable: true, Steady: time.Second, Open: func(o workload.Options) (workload.Stream, error) {
		var pending []workload.Op
		for i := range int(o.Scale * 2 * live.MostPending) {
			pending = append(pending, workload.Op{Delay: time.Hour, Timer: uint32(i), Kind: workload.Schedule})
		}
		gap := time.Duration(float64(80*time.Millisecond) / o.Scale)
		return &workloadtest.Stream{Ops: dueEvery(gap, pending), AtOnce: 4096}, nil
	}}
	turn, err := liveTurn(t.Context(), []workload.Source{w}, func(string) {})
	require.NoError(t, err)
	require.Equal(t, 2800*time.Millisecond, turn, "the 17th of those that are due each 160ms")
}

// What is said of a workload holds for the turns that all have, which another may make longer.
func TestTheTurnsThatAreSaidAreThoseThatAreRun(t *testing.T) {
	var said []string
	turn, err := liveTurn(t.Context(), []workload.Source{every(100 * time.Millisecond), every(2 * time.Second), every(590 * time.Millisecond)}, func(s string) { said = append(said, s) })
	require.NoError(t, err)
	require.Equal(t, 9900*time.Millisecond, turn)
	require.Equal(t, []string{
		"w: 30 timers due on the real clock in six turns of 9.9s, want 100 for the 99th percentile of lateness: --live-for 35s",
		"w: turns of 9.9s on the real clock, in which 100 timers are due, as the 99th percentile of lateness needs",
	}, said)
	turn, err = liveTurn(t.Context(), []workload.Source{every(605 * time.Millisecond)}, func(string) {})
	require.NoError(t, err)
	require.Equal(t, longestTurn, turn, "enough are due just before its end")
}
