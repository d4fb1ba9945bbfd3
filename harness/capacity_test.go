package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/machine"
	"schedbench/internal/must"
)

// Of very many timers nobody holds any while another does.
func TestVeryManyAreHeldByOneAtATime(t *testing.T) {
	for _, atOnce := range []int{9, 10} {
		holding, most := 0, 0
		r := recordedOf(3)
		for _, c := range r.all {
			c.Holds = Held{Pending: 10, Estimate: func() (float64, error) { return 10, nil }}
			c.Build = func() error { holding++; most = max(most, holding); return nil }
			c.Done = func() { holding-- }
		}
		s := sessionFor(t, 3)
		s.AtOnce = atOnce
		series := must.Get(s.interleave("a cell", 4, r.all))(t)
		require.Len(t, r.turns, 3*4*3)
		for _, one := range series {
			require.Equal(t, roundsOf(4, 3), one.Values[rundata.NsPerOp], "in the order of the rounds")
			require.Equal(t, []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, one.Block)
		}
		require.Equal(t, map[int]int{9: 1, 10: 3}[atOnce], most)
		require.Zero(t, holding)
	}
}

func TestTheLimitOfMemoryIsTakenBack(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	s := NewSession(t.Context(), &Plan{Memory: 1 << 30}, 0)
	few := []*Turns{{Holds: Held{Pending: MostFitting}}}
	s.limitMemory(few)()
	require.Equal(t, before, debug.SetMemoryLimit(-1), "what always fits has no limit")
	end := s.limitMemory([]*Turns{{}, {Holds: Held{Pending: MostFitting + 1}}})
	within := debug.SetMemoryLimit(-1)
	end()
	require.Less(t, within, before)
	require.Greater(t, within, int64(1<<30), "and what is taken already")
	require.Equal(t, before, debug.SetMemoryLimit(-1))
}

func TestALimitThatIsGivenCountsIfItIsLess(t *testing.T) {
	p := &Plan{Memory: 5e6}
	left, limited := NewSession(t.Context(), p, 0).memoryLeft()
	require.True(t, limited)
	require.LessOrEqual(t, left, 5e6)
	if has, known := machine.Available(); known {
		p.Memory = 1 << 60
		left, _ = NewSession(t.Context(), p, 0).memoryLeft()
		require.InEpsilon(t, has, left, 0.5)
	}
	p.Memory = -1
	require.ErrorContains(t, p.Check(), "Memory: -1 bytes")
}

func TestOnlyALimitIsLeftOut(t *testing.T) {
	c := &Turns{Holds: Held{Pending: 5}, Series: &rundata.Series{}}
	require.False(t, c.leaveOut(errors.Join(errTurn, context.Canceled)))
	require.Empty(t, c.Series.Note)
	require.True(t, c.leaveOut(fmt.Errorf("of somebody: %w", &tooMuch{14e9, 9e9})))
	require.Equal(t, "cannot hold 5 timers: of somebody: that would take about 14 GB of memory, and 9 GB are available", c.Series.Note)
}
