package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

// A turn on the real clock is as long as the percentile that is printed needs, or it is said how long
// that would be.
func TestATurnIsAsLongAsAPercentileNeeds(t *testing.T) {
	every := func(gap time.Duration) workload.Source {
		return workload.Source{Name: "w", Open: func(workload.Options) (workload.Stream, error) {
			var ops []workload.Op
			for i := range 2000 {
				ops = append(ops, workload.Op{At: time.Duration(i) * gap, Delay: gap / 2, Timer: uint32(i), Kind: workload.Schedule})
			}
			return &workloadtest.Stream{Ops: ops, AtOnce: 100}, nil
		}}
	}
	for _, c := range []struct {
		gap, turn time.Duration
		said      []string
	}{
		{10 * time.Millisecond, time.Second, nil},
		{100 * time.Millisecond, 1800 * time.Millisecond, []string{"w: turns of 1.8s on the real clock, in which 100 timers are due, as the 99th percentile of lateness needs"}},
		{500 * time.Millisecond, 8400 * time.Millisecond, []string{"w: turns of 8.4s on the real clock, in which 100 timers are due, as the 99th percentile of lateness needs"}},
		{2 * time.Second, time.Second, []string{"w: 30 timers due on the real clock in six turns of 10s, want 100 for the 99th percentile of lateness: --live-for 35s"}},
		{time.Minute, time.Second, []string{"w: no timer is due on the real clock in turns of 10s, so there is no lateness: --live-for LONGER"}},
	} {
		var said []string
		turn, err := liveTurn(t.Context(), []workload.Source{every(c.gap)}, func(s string) { said = append(said, s) })
		require.NoError(t, err)
		require.Equal(t, c.turn, turn, c.gap)
		require.Equal(t, c.said, said, c.gap)
	}
}
