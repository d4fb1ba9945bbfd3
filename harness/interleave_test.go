package harness

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorded are competitors that note who had a turn, in order.
type recorded struct {
	competitors []*competitor
	turns       []int
	freed       []int
	// before is called before a turn with how many there have been.
	before func(turns int) error
}

func recordedOf(n int) *recorded {
	r := &recorded{freed: make([]int, n)}
	for i := range n {
		series := &Series{Experiment: Cost, Params: []Param{{"impl", fmt.Sprint(i)}}}
		r.competitors = append(r.competitors, &competitor{
			series: series,
			turn: func(round int) (int, map[string]float64, error) {
				if r.before != nil {
					if err := r.before(len(r.turns)); err != nil {
						return 0, nil, err
					}
				}
				r.turns = append(r.turns, i)
				return 100 + i, map[string]float64{NsPerOp: float64(round)}, nil
			},
			done: func() { r.freed[i]++ },
		})
	}
	return r
}

// allFreed returns a count of 1 for each of n competitors.
func allFreed(n int) []int {
	freed := make([]int, n)
	for i := range freed {
		freed[i] = 1
	}
	return freed
}

func TestEachCompetitorHasEachPositionEquallyOften(t *testing.T) {
	for n := 1; n <= 8; n++ {
		const blocks = 3
		r := recordedOf(n)
		_, err := interleave(sessionOf(t, tiny(sound("a"))), blocks*n, r.competitors)
		require.NoError(t, err)
		count := map[[2]int]int{}
		for i, who := range r.turns {
			count[[2]int{who, i % n}]++
		}
		for who := range n {
			for position := range n {
				require.Equal(t, blocks, count[[2]int{who, position}], "competitor %d of %d at position %d", who, n, position)
			}
		}
	}
}

func TestEachBlockOfRoundsHasAnOrderOfItsOwn(t *testing.T) {
	const n, blocks = 6, 5
	r := recordedOf(n)
	_, err := interleave(sessionOf(t, tiny(sound("a"))), blocks*n, r.competitors)
	require.NoError(t, err)
	orders := map[string]bool{}
	for b := range blocks {
		orders[fmt.Sprint(r.turns[b*n*n:b*n*n+n])] = true
	}
	require.Greater(t, len(orders), 1, "%v", orders)
}

func TestTheOrderDependsOnTheSeedAlone(t *testing.T) {
	order := func(seed uint64) []int {
		p := tiny(sound("a"))
		p.Seed = seed
		r := recordedOf(7)
		_, err := interleave(sessionOf(t, p), 7, r.competitors)
		require.NoError(t, err)
		return r.turns
	}
	require.Equal(t, order(1), order(1))
	require.NotEqual(t, order(1), order(2))
}

func TestSamplesAreAlignedByRound(t *testing.T) {
	r := recordedOf(3)
	series, err := interleave(sessionOf(t, tiny(sound("a"))), 4, r.competitors)
	require.NoError(t, err)
	require.Len(t, series, 3)
	for i, s := range series {
		require.Same(t, r.competitors[i].series, s)
		require.Equal(t, []float64{0, 1, 2, 3}, s.Values[NsPerOp])
		require.Equal(t, []int{100 + i, 100 + i, 100 + i, 100 + i}, s.Iterations)
	}
	require.Equal(t, allFreed(3), r.freed)
}

func TestACompetitorNeedNotHaveAnythingToFree(t *testing.T) {
	r := recordedOf(2)
	r.competitors[0].done = nil
	_, err := interleave(sessionOf(t, tiny(sound("a"))), 1, r.competitors)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, r.freed)
}

func TestAnErrorStopsTheRoundsAndFreesAll(t *testing.T) {
	for _, at := range []int{0, 4, 8} {
		r := recordedOf(3)
		r.before = func(turns int) error {
			if turns == at {
				return errFake
			}
			return nil
		}
		_, err := interleave(sessionOf(t, tiny(sound("a"))), 3, r.competitors)
		require.ErrorIs(t, err, errFake)
		require.Len(t, r.turns, at)
		require.Equal(t, allFreed(3), r.freed)
	}
}

func TestACancelledContextStopsTheRoundsAndFreesAll(t *testing.T) {
	for _, at := range []int{0, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := recordedOf(3)
		r.before = func(turns int) error {
			if turns == at {
				cancel()
			}
			return nil
		}
		_, err := interleave(&session{ctx: ctx, plan: tiny(sound("a"))}, 3, r.competitors)
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, r.turns, at+1, "the turn under way ends")
		require.Equal(t, allFreed(3), r.freed)
	}
}

func TestNoTurnIsGivenInAContextThatHasEnded(t *testing.T) {
	r := recordedOf(2)
	_, err := interleave(&session{ctx: ended(t), plan: tiny(sound("a"))}, 3, r.competitors)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, r.turns)
	require.Equal(t, allFreed(2), r.freed)
}
