package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/machine"
	"schedbench/internal/must"
	"schedbench/live"
)

type recorded struct {
	all   []*Turns
	turns []int
	freed []int
	// before is called before a turn with how many there have been.
	before func(turns int) error
}

func recordedOf(n int) *recorded {
	r := &recorded{freed: make([]int, n)}
	for i := range n {
		series := &rundata.Series{Experiment: rundata.Cost, Params: []rundata.Param{{Key: "impl", Value: fmt.Sprint(i)}}}
		r.all = append(r.all, &Turns{
			Series: series,
			Turn: func(round int) (int, map[string]float64, error) {
				if r.before != nil {
					if err := r.before(len(r.turns)); err != nil {
						return 0, nil, err
					}
				}
				r.turns = append(r.turns, i)
				return 100 + i, map[string]float64{rundata.NsPerOp: float64(round)}, nil
			},
			Done: func() { r.freed[i]++ },
		})
	}
	return r
}

var errTurn = errors.New("a turn failed")

func sessionFor(t *testing.T, rounds int) *Session {
	s := NewSession(t.Context(), &Plan{Seed: 1}, 0)
	s.Rounds = rounds
	return s
}

// interleave gives participants their turns in so many blocks, as so many sessions do.
func (s *Session) interleave(cell string, blocks int, participants []*Turns) (series []*rundata.Series, err error) {
	for end := s.First + blocks; s.First < end && err == nil; s.First++ {
		series, err = s.take(Cell{Name: cell}, participants)
	}
	return series, err
}

func roundsOf(blocks, rounds int) (all []float64) {
	for block := range blocks {
		for i := range rounds {
			all = append(all, float64(block*RoundsApart+i))
		}
	}
	return all
}

func ordersOf(t *testing.T, cell string, n, rounds int) (orders [][]int) {
	t.Helper()
	r := recordedOf(n)
	must.Get(sessionFor(t, rounds).interleave(cell, 1, r.all))(t)
	for order := range slices.Chunk(r.turns, n) {
		orders = append(orders, order)
	}
	return orders
}

func TestNobodyIsFavouredByWhenItsTurnComes(t *testing.T) {
	for n := 1; n <= 9; n++ {
		sum := make([]int, n)
		for i, order := range ordersOf(t, "a cell", n, 6) {
			for place, who := range order {
				sum[who] += place
			}
			if i%2 == 1 {
				require.Len(t, slices.Compact(slices.Clone(sum)), 1, "%d participants, round %d: %v", n, i, sum)
			}
		}
	}
}

func TestNobodyKeepsItsPredecessor(t *testing.T) {
	for n := 2; n <= 9; n++ {
		rounds, times := 2*n, 2 // an odd number takes a square and its mirror image
		if n%2 == 0 {
			rounds, times = n, 1
		}
		follows := map[[2]int]int{}
		for _, order := range ordersOf(t, "a cell", n, rounds) {
			for i := 1; i < n; i++ {
				follows[[2]int{order[i-1], order[i]}]++
			}
		}
		require.Len(t, follows, n*(n-1), "everybody follows everybody, of %d", n)
		for pair, count := range follows {
			require.Equal(t, times, count, "%v of %d", pair, n)
		}
	}
}

func TestEachCellAndBlockHasAnOrderOfItsOwn(t *testing.T) {
	order := func(cell string, seed uint64, first int) []int {
		s, r := sessionFor(t, 1), recordedOf(8)
		s.Plan.Seed, s.First = seed, first
		must.Get(s.interleave(cell, 1, r.all))(t)
		return r.turns
	}
	require.Equal(t, order("one", 1, 0), order("one", 1, 0))
	require.NotEqual(t, order("one", 1, 0), order("another", 1, 0))
	require.NotEqual(t, order("one", 1, 0), order("one", 1, 1), "a process for each begins with its own")
	require.NotEqual(t, order("one", 1, 0), order("one", 2, 0))
}

func TestEachBlockIsBuiltAndFreed(t *testing.T) {
	r := recordedOf(2)
	var built []string
	s := sessionFor(t, 3)
	s.First = 5
	for i, c := range r.all {
		c.Build = func() error {
			block := s.First
			require.Len(t, r.turns, (block-5)*2*3, "after the turns of the blocks before")
			built = append(built, fmt.Sprint(block, i))
			return nil
		}
	}
	series := must.Get(s.interleave("a cell", 3, r.all))(t)
	require.ElementsMatch(t, []string{"5 0", "5 1", "6 0", "6 1", "7 0", "7 1"}, built)
	require.Equal(t, []int{3, 3}, r.freed)
	require.Equal(t, []int{5, 5, 5, 6, 6, 6, 7, 7, 7}, series[0].Block)
	require.Equal(t, []float64{5*RoundsApart + 1, 6*RoundsApart + 1, 7*RoundsApart + 1}, series[0].Blocks(rundata.NsPerOp)[5:], "the medians of their rounds")

}

func TestAnErrorOrACancelledContextStopsTheRoundsAndFreesAll(t *testing.T) {
	for _, at := range []int{-1, 0, 4, 7} { // before any turn, or in one
		for _, fails := range []bool{true, false} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s, r, want, turns := sessionFor(t, 1), recordedOf(3), context.Canceled, at+1 // the turn under way ends
			if s.Ctx = ctx; fails {
				want, turns = errTurn, max(at, 0)
			}
			stop := func() error {
				if cancel(); fails {
					return errTurn
				}
				return nil
			}
			r.before = func(turns int) error {
				if turns == at {
					return stop()
				}
				return nil
			}
			if at < 0 {
				r.all[0].Build = stop
			}
			_, err := s.interleave("a cell", 3, r.all)
			require.ErrorIs(t, err, want)
			require.Len(t, r.turns, turns)
			require.Equal(t, slices.Repeat([]int{max(at, 0)/3 + 1}, 3), r.freed)
		}
	}
}

func TestAParticipantBesideOthersIsBuiltOnce(t *testing.T) {
	for _, participant := range []int{0, 2} {
		r := recordedOf(3)
		built := 0
		for _, c := range r.all {
			c.Build = func() error { built++; return nil }
		}
		s := sessionFor(t, 1)
		met := 0
		s.First, s.participant, s.ready = 8, participant, func() error { met++; return nil }
		series := must.Get(s.take(Cell{ParallelBlocks: 3}, r.all))(t)
		require.Len(t, slices.Compact(slices.Clone(r.turns)), len(series), "one after another")
		if participant > 0 {
			require.Equal(t, slices.Repeat([]int{participant - 1}, 3), r.turns)
		}
		require.Equal(t, len(series), built)
		for _, one := range series {
			require.Equal(t, []int{8, 9, 10}, one.Block)
		}
		require.Equal(t, participant, 2*met, "only processes wait for each other")
	}

	s, r := sessionFor(t, 1), recordedOf(2)
	s.participant, s.ready = 1, func() error { return errTurn }
	_, err := s.take(Cell{ParallelBlocks: 3}, r.all)
	require.ErrorIs(t, err, errTurn)
	require.Empty(t, r.turns)
	require.Equal(t, []int{1, 0}, r.freed)
}

func TestSetsBesideEachOtherAreOfEverybodyOnce(t *testing.T) {
	for _, c := range []struct{ n, abreast, sets int }{{10, 0, 1}, {10, 4, 3}, {10, 10, 1}, {11, 10, 2}, {1, 4, 1}, {0, 4, 0}} {
		sets := sessionFor(t, 1).sets(Cell{Name: "a cell", Abreast: c.abreast}, c.n)
		require.Len(t, sets, c.sets, "%v", c)
		var all []int
		for _, set := range sets {
			require.LessOrEqual(t, len(set), cmp.Or(c.abreast, c.n))
			all = append(all, set...)
		}
		slices.Sort(all)
		require.Equal(t, c.n, len(slices.Compact(all)))
	}
}

func TestTimersThatTheMachineHeldUpAreCountedAndNotLate(t *testing.T) {
	const ms = time.Millisecond
	out := &live.Outcome{Began: int64(time.Hour), Fired: 3, Firings: []live.Firing{{At: 11 * ms, Deadline: 10 * ms}, {At: 40 * ms, Deadline: 20 * ms}, {At: 61 * ms, Deadline: 60 * ms}}}
	for name, c := range map[string]struct {
		stalls   string
		late, up int
		most     time.Duration
	}{
		"nobody watched": {"", 3, 0, 20 * ms},
		"none":           {"1 2\n", 3, 0, 20 * ms},
		"one":            {"3600021000000 3600039500000\n", 2, 1, ms},
		"most":           {"3600001000000 3600090000000\n", 3, 0, 20 * ms},
	} {
		s := &Session{stalls: filepath.Join(t.TempDir(), "stalls")}
		if c.stalls != "" {
			require.NoError(t, os.WriteFile(s.stalls, []byte(c.stalls), 0o600))
		}
		series := rundata.NewSeries(rundata.Jitter)
		values := must.Get(s.AddOutcome(series, out, nil))(t)
		require.EqualValues(t, 3, values[rundata.Fired], name)
		require.EqualValues(t, c.up, values[rundata.HeldUp], name)
		require.EqualValues(t, c.late, series.Late.TotalCount(), name)
		require.InEpsilon(t, float64(c.most), values[rundata.MaxLate], 0.001, name)
	}
	s := &Session{stalls: filepath.Join(t.TempDir(), "stalls")}
	require.NoError(t, os.WriteFile(s.stalls, []byte("3600021000000 late\n"), 0o600))
	_, err := s.AddOutcome(rundata.NewSeries(rundata.Jitter), out, nil)
	require.ErrorContains(t, err, "late")
}

// Of very many timers nobody holds any while another does.
func TestVeryManyAreHeldByOneAtATime(t *testing.T) {
	for _, atOnce := range []int{9, 10} {
		holding, most := 0, 0
		r := recordedOf(3)
		for _, c := range r.all {
			c.Holds = 10
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

func TestWhatDoesNotFitTogetherComesOneAfterAnother(t *testing.T) {
	for _, c := range []struct{ bytes, left, touch, atOnce int }{
		{1 << 30, 2 << 30, 1 << 30, 0},
		{1 << 30, 2<<30 - 1, leastMemory, lessAtOnce},
		{1 << 20, 1 << 20, 1 << 20, lessAtOnce},
	} {
		touch, atOnce := within(c.bytes, float64(c.left))
		require.Equal(t, []int{c.touch, c.atOnce}, []int{touch, atOnce}, "%+v", c)
	}
}

func TestTheLimitOfMemoryIsTakenBack(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	s := NewSession(t.Context(), &Plan{Memory: 1 << 30}, 0)
	few := []*Turns{{Holds: MostAtOnce}}
	s.limitMemory(few)()
	require.Equal(t, before, debug.SetMemoryLimit(-1), "what always fits has no limit")
	end := s.limitMemory([]*Turns{{}, {Holds: MostAtOnce + 1}})
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
	c := &Turns{Holds: 5, Series: &rundata.Series{}}
	require.False(t, c.leaveOut(errors.Join(errTurn, context.Canceled)))
	require.Empty(t, c.Series.Note)
	require.True(t, c.leaveOut(fmt.Errorf("of somebody: 9 GB %w", errTooMuch)))
	require.Equal(t, "cannot hold 5 timers: of somebody: 9 GB are available", c.Series.Note)
}
