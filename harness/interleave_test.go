package harness

import (
	"context"
	"fmt"
	"slices"
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

// freedBy returns how often each of n competitors is freed in so many blocks.
func freedBy(blocks, n int) []int { return slices.Repeat([]int{blocks}, n) }

// inOneCell are the blocks of a cell with so many rounds, each of which is a block.
func inOneCell(rounds int) blocks { return blocks{count: rounds, rounds: 1} }

// ordersOf returns the orders of some rounds of n competitors.
func ordersOf(t *testing.T, cell string, n int, b blocks) (orders [][]int) {
	t.Helper()
	r := recordedOf(n)
	_, err := interleave(sessionOf(t, tiny(sound("a"))), cell, b, r.competitors)
	require.NoError(t, err)
	for order := range slices.Chunk(r.turns, n) {
		orders = append(orders, order)
	}
	return orders
}

func TestNobodyIsFavouredByWhenItsTurnComes(t *testing.T) {
	for n := 1; n <= 9; n++ {
		sum := make([]int, n)
		for i, order := range ordersOf(t, "a cell", n, inOneCell(6)) {
			for place, who := range order {
				sum[who] += place
			}
			if i%2 == 1 {
				require.Len(t, slices.Compact(slices.Clone(sum)), 1, "%d competitors, round %d: %v", n, i, sum)
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
		for _, order := range ordersOf(t, "a cell", n, inOneCell(rounds)) {
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

func TestEachCellHasAnOrderOfItsOwn(t *testing.T) {
	require.NotEqual(t, ordersOf(t, "one", 8, inOneCell(6)), ordersOf(t, "another", 8, inOneCell(6)))
	require.Equal(t, ordersOf(t, "one", 8, inOneCell(6)), ordersOf(t, "one", 8, blocks{count: 2, rounds: 3}))
}

func TestEachBlockIsBuiltAndFreed(t *testing.T) {
	r := recordedOf(2)
	var built []string
	for i, c := range r.competitors {
		c.build = func(block int) error {
			require.Len(t, r.turns, block*2*3, "after the turns of the blocks before")
			built = append(built, fmt.Sprint(block, i))
			return nil
		}
	}
	series, err := interleave(sessionOf(t, tiny(sound("a"))), "a cell", blocks{count: 3, rounds: 2 + 1}, r.competitors)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"0 0", "0 1", "1 0", "1 1", "2 0", "2 1"}, built)
	require.Equal(t, []int{3, 3}, r.freed)
	require.Equal(t, 3, series[0].PerBlock)
	require.Equal(t, []float64{1, 4, 7}, series[0].Blocks(NsPerOp), "medians of rounds 0 to 2, 3 to 5 and 6 to 8")

	r.competitors[1].build = func(int) error { return errFake }
	_, err = interleave(sessionOf(t, tiny(sound("a"))), "a cell", inOneCell(1), r.competitors)
	require.ErrorIs(t, err, errFake)
	require.Equal(t, []int{4, 4}, r.freed)
}

func TestTheOrderDependsOnTheSeedAlone(t *testing.T) {
	order := func(seed uint64) []int {
		p := tiny(sound("a"))
		p.Seed = seed
		r := recordedOf(7)
		_, err := interleave(sessionOf(t, p), "a cell", inOneCell(7), r.competitors)
		require.NoError(t, err)
		return r.turns
	}
	require.Equal(t, order(1), order(1))
	require.NotEqual(t, order(1), order(2))
}

func TestSamplesAreAlignedByRound(t *testing.T) {
	r := recordedOf(3)
	series, err := interleave(sessionOf(t, tiny(sound("a"))), "a cell", inOneCell(4), r.competitors)
	require.NoError(t, err)
	require.Len(t, series, 3)
	for i, s := range series {
		require.Same(t, r.competitors[i].series, s)
		require.Equal(t, []float64{0, 1, 2, 3}, s.Values[NsPerOp])
		require.Equal(t, []int{100 + i, 100 + i, 100 + i, 100 + i}, s.Iterations)
	}
	require.Equal(t, []int{4, 4, 4}, r.freed, "after each block")
}

func TestACompetitorNeedNotHaveAnythingToFree(t *testing.T) {
	r := recordedOf(2)
	r.competitors[0].done = nil
	_, err := interleave(sessionOf(t, tiny(sound("a"))), "a cell", inOneCell(1), r.competitors)
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
		_, err := interleave(sessionOf(t, tiny(sound("a"))), "a cell", inOneCell(3), r.competitors)
		require.ErrorIs(t, err, errFake)
		require.Len(t, r.turns, at)
		require.Equal(t, freedBy(at/3+1, 3), r.freed)
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
		_, err := interleave(&session{ctx: ctx, plan: tiny(sound("a"))}, "a cell", inOneCell(3), r.competitors)
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, r.turns, at+1, "the turn under way ends")
		require.Equal(t, freedBy(at/3+1, 3), r.freed)
	}
}

func TestNoTurnIsGivenInAContextThatHasEnded(t *testing.T) {
	r := recordedOf(2)
	_, err := interleave(&session{ctx: ended(t), plan: tiny(sound("a"))}, "a cell", inOneCell(3), r.competitors)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, r.turns)
	require.Equal(t, freedBy(1, 2), r.freed)
}
