package store

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/table"
	"schedbench/schedulers"
)

func TestWhatWasNeverHandedOutIsRefused(t *testing.T) {
	for _, reserved := range []int{0, 2} {
		s := newReserved(reserved)
		first := uint32(reserved * PageLen)
		require.Nil(t, s.Find(first, 0))
		require.Nil(t, s.Find(first, 1))
		id := s.take()
		s.dropAll(t, s.take()) // so that a free cell has a generation
		cell, gen := id.Cell(), id.Generation()
		for _, wrong := range [][2]uint32{
			{cell, 0}, {cell, gen + 1}, {cell, gen + 2}, {cell, math.MaxUint32},
			{cell + 1, 0}, {cell + 1, 1}, {cell + 1, 2}, {cell + 1, 3}, {cell + 2, 0}, {cell + 2, 1},
			{cell + linked, 0}, {cell + linked, 1}, {cell + PageLen, 0}, {cell + PageLen, 1},
			{math.MaxUint32, gen}, {math.MaxUint32, math.MaxUint32}, {0, 0}, {0, 3},
		} {
			require.Nil(t, s.Find(wrong[0], wrong[1]), "cell %d at generation %d", wrong[0], wrong[1])
		}
		s.requireSound(t)
		s.requireValid(t, id)
	}
}

// TestFullStoreRefuses has a store that pretends to have all pages but the last.
func TestFullStoreRefuses(t *testing.T) {
	const reserved = 3
	s := newReserved(reserved)
	s.pages = table.New[*cellPage[[1]uint32, uint64]](maxPages - 1 + reserved)
	s.supply.lists = table.New[pageList](maxPages - 1)
	s.supply.offers = maxPages
	ids := s.takeMany(t, PageLen)
	require.Equal(t, schedulers.MakeID(Max-1+reserved*PageLen, 1), ids[PageLen-1])
	for range 2 {
		i, c := s.Alloc()
		require.Nil(t, c)
		require.EqualValues(t, None, i)
		require.Equal(t, PageLen, s.Used(), "a refusal takes nothing")
		s.requireValid(t, ids...)
		s.dropAll(t, ids[7])
		ids[7] = s.take()
	}
}

// TestReservedPagesAreMadeOneByOne, and nothing is written to the one that stands for
// the others, whatever is taken and dropped meanwhile.
func TestReservedPagesAreMadeOneByOne(t *testing.T) {
	const reserved = 4
	s := newReserved(reserved)
	standIn := s.pages.Now[reserved-1]
	require.Same(t, standIn, s.pages.Now[0])
	ids := s.takeMany(t, 3*PageLen)
	require.True(t, *standIn == cellPage[[1]uint32, uint64]{})

	last := s.Reserve(reserved*PageLen - 1)
	require.Same(t, &standIn.cells[PageLen-1], last, "is there already")
	one := s.Reserve(PageLen + 7)
	one.Gen, one.Link[0] = 2, 77
	require.Same(t, one, s.Reserve(PageLen+7), "is made once")
	require.Same(t, one, s.Cell(PageLen+7))
	require.True(t, *standIn == cellPage[[1]uint32, uint64]{})
	for p := range reserved {
		require.Equal(t, p != 1, s.pages.Now[p] == standIn)
	}
	s.dropAll(t, ids...)
	s.requireSound(t)
	require.Equal(t, Cell[[1]uint32]{Gen: 2, Link: [1]uint32{77}}, *one)
	require.Nil(t, s.Find(PageLen+7, 2))
}

// TestViewSeesWhatIsMadeAndGivenBack as long as no page is added.
func TestViewSeesWhatIsMadeAndGivenBack(t *testing.T) {
	s := newReserved(2)
	ids := s.takeMany(t, 6*PageLen)
	v := s.View()
	require.Same(t, s.Reserve(3), v.Cell(3))
	for _, id := range ids {
		c, val := v.Both(id.Cell())
		require.Same(t, v.Find(id.Cell(), id.Generation()), c)
		require.EqualValues(t, id, *val)
	}
	s.dropAll(t, ids...)
	require.Less(t, s.present(), 6)
	for _, id := range ids {
		require.Nil(t, v.Find(id.Cell(), id.Generation()))
	}
}
