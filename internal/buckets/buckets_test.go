package buckets

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/store"
)

// TestNothingIsWrittenForThosePagesOfHeadsThatAreNotMade looks at every bucket of many, of
// which two are used, and at what stands for the others.
func TestNothingIsWrittenForThosePagesOfHeadsThatAreNotMade(t *testing.T) {
	const n = 20 * store.PageLen
	b := New[uint64](n, n)
	id := b.Add(3, 7, 1)
	b.Add(n-1, 7, 2)
	require.True(t, b.Cancel(id))
	for i := range n {
		require.Equal(t, i == n-1, b.Holding(i))
		require.Equal(t, i == n-1, b.From(i) == i)
		var w Walk
		require.Equal(t, i == n-1, b.Start(&w, i, never))
		if i != n-1 {
			require.Empty(t, b.Take(i, Batch))
			require.Zero(t, b.chains(i))
		}
	}
	for i := uint32(store.PageLen); i < n-store.PageLen; i++ {
		require.Zero(t, b.cells.Cell(i).Gen)
	}
}

// TestChainsGrowWithWhatIsPending and never beyond what there is room for.
func TestChainsGrowWithWhatIsPending(t *testing.T) {
	const spread = 4
	b := New[uint64](spread, spread)
	for n := range 3 * spread * entriesPerChain * MostChains {
		b.Add(uint32(n%spread), 0, 0)
		require.LessOrEqual(t, int(b.chain)+1, Chains(spread, n+1, MostChains))
	}
	require.EqualValues(t, MostChains-1, b.chain)
	require.Equal(t, 1, Chains(spread, spread*entriesPerChain, MostChains))
	require.Equal(t, 2, Chains(spread, spread*entriesPerChain+1, MostChains))

	few := New[uint64](mostHeads, 1)
	for range 10_000 {
		few.Add(5, 0, 0)
	}
	require.Zero(t, few.chain)
}

// TestTurnsTakeChainsOneAfterTheOther, so that a walk sees an entry in as many turns only
// as there are to a chain.
func TestTurnsTakeChainsOneAfterTheOther(t *testing.T) {
	const turn, turns = 3, 5 * MostByTurn
	b := NewByTurn[uint64](8, 1, turn)
	for k := range uint64(turns) {
		b.use(uint32(1)<<min(k, 4) - 1) // those that came when there were fewer are found too
		id := b.Add(2, k<<turn+2, k)
		b.Lower(uint32(id), 2, k<<turn+2)
	}
	for k := range uint64(turns) {
		before := b.Work.Visits
		var w Walk
		require.True(t, b.StartTurn(&w, 2, k<<turn+2))
		due, more := b.Step(&w, k<<turn+2)
		require.False(t, more)
		require.Len(t, due, 1)
		require.Equal(t, k, b.Hand(due[0]))
		require.LessOrEqual(t, b.Work.Visits-before, uint64(turns/MostByTurn+4))
	}
	require.Zero(t, b.Len())
}

// TestOpenedTellsOfBucketsThatWereNotOccupied and of no others.
func TestOpenedTellsOfBucketsThatWereNotOccupied(t *testing.T) {
	b := New[uint64](4, 1)
	add := func(i uint32) bool {
		b.Opened = false
		b.Add(i, 0, 0)
		return b.Opened
	}
	require.True(t, add(2))
	require.False(t, add(2))
	require.True(t, add(1))
	b.Drain(2, make([]uint64, 3))
	require.True(t, add(2))
}
