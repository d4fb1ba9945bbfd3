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
	for n := range 3 * spread * entriesPerChain * mostChains {
		b.Add(uint32(n%spread), 0, 0)
		require.LessOrEqual(t, int(b.chain)+1, chains(spread, n+1, mostChains))
	}
	require.EqualValues(t, mostChains-1, b.chain)
	require.Equal(t, 1, chains(spread, spread*entriesPerChain, mostChains))
	require.Equal(t, 2, chains(spread, spread*entriesPerChain+1, mostChains))

	for _, one := range []Buckets[uint64]{New[uint64](mostHeads, 1), NewPlain[uint64](1)} {
		for range 10_000 {
			one.Add(0, 0, 0)
		}
		require.Zero(t, one.chain)
	}
}

// TestHeadsThatAreNotMadeAreEmpty although a page is made that stands for them.
func TestHeadsThatAreNotMadeAreEmpty(t *testing.T) {
	b := New[uint64](180, 1)
	b.chain = mostChains - 1
	for _, at := range []struct{ bucket, chain uint32 }{{0, 7}, {28, 4}} { // 512 cells apart
		b.Add(1, 0, uint64(at.bucket))
		b.put(b.Take(1, 1)[0], at.bucket, at.chain)
	}
	due := make([]uint64, 3)
	require.Equal(t, 1, b.Drain(0, due))
	require.Equal(t, 1, b.Drain(28, due[1:]))
	require.Equal(t, []uint64{0, 28, 0}, due)
}

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
