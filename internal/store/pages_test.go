package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPagesGoBackWhenThreeQuartersAreFree(t *testing.T) {
	const pages = 64
	s := New[[1]uint32, uint64](testShift)
	names := takeMany(t, &s, pages<<testShift)
	quarter := len(names) / 4

	giveBack(t, &s, names[quarter+1:]...)
	require.Equal(t, pages, s.present(), "one more than a quarter is in use")
	giveBack(t, &s, names[quarter])
	require.Equal(t, pages/4, s.present())
	requireSound(t, &s)
}

func TestFirstPagesStay(t *testing.T) {
	s := New[[1]uint32, uint64](testShift)
	giveBack(t, &s, takeMany(t, &s, 64<<testShift)...)
	require.Equal(t, keepPages, s.present())
	requireSound(t, &s)
}

func TestPageInUseStays(t *testing.T) {
	const pages = 64
	s := New[[1]uint32, uint64](testShift)
	names := takeMany(t, &s, pages<<testShift)
	var kept []name
	for i, n := range names {
		if i%(1<<testShift) == i/(1<<testShift)%(1<<testShift) { // one in each page
			kept = append(kept, n)
		} else {
			giveBack(t, &s, n)
		}
	}
	require.Equal(t, pages, s.present())
	for _, n := range kept {
		require.NotNil(t, s.Find(n.i, n.gen))
	}
	requireSound(t, &s)
}

func TestPageThatReturnsHasHigherGenerations(t *testing.T) {
	const pages = 16
	s := New[[1]uint32, uint64](testShift)
	stale := takeMany(t, &s, pages<<testShift)
	giveBack(t, &s, stale...)
	// Of the cells in use again, some have had one more user than the others.
	for range 3 {
		again := takeMany(t, &s, (pages-1)<<testShift)
		giveBack(t, &s, again...)
		stale = append(stale, again...)
	}
	require.Equal(t, keepPages, s.present())

	fresh := takeMany(t, &s, pages<<testShift)
	require.Equal(t, pages, len(s.pages), "pages given back are used before new ones")
	latest := make(map[uint32]uint32)
	for _, n := range stale {
		require.Nil(t, s.Find(n.i, n.gen))
		latest[n.i] = max(latest[n.i], n.gen)
	}
	for _, n := range fresh {
		require.Greater(t, n.gen, latest[n.i])
	}
}

func TestIDsOfAbsentPagesAreRefused(t *testing.T) {
	s := New[[1]uint32, uint64](testShift)
	names := takeMany(t, &s, 64<<testShift)
	giveBack(t, &s, names...)
	for _, n := range names {
		require.Nil(t, s.Find(n.i, n.gen))
	}
}

// wearOut brings a free cell to its last use.
func wearOut(t *testing.T, s *testStore, i uint32) name {
	require.Zero(t, s.Cell(i).Gen&1)
	s.Cell(i).Gen = lastGen - 2
	require.Equal(t, i, s.free, "the next cell to be handed out")
	return take(t, s, 0)
}

func TestWornOutCellIsNeverUsedAgain(t *testing.T) {
	s := New[[1]uint32, uint64](testShift)
	giveBack(t, &s, take(t, &s, 0))
	last := wearOut(t, &s, 0)
	require.EqualValues(t, lastGen-1, last.gen)
	require.NotNil(t, s.Find(last.i, last.gen))
	giveBack(t, &s, last)

	require.Nil(t, s.Find(last.i, last.gen))
	require.Nil(t, s.Find(last.i, lastGen))
	requireSound(t, &s)
	for _, n := range takeMany(t, &s, 10<<testShift) {
		require.NotEqual(t, last.i, n.i)
	}
	requireSound(t, &s)
}

// TestPageWithAWornOutCellStays is what keeps an ID from becoming valid again:
// a new copy of the page would begin behind the last generation.
func TestPageWithAWornOutCellStays(t *testing.T) {
	const pages = 16
	s := New[[1]uint32, uint64](testShift)
	names := takeMany(t, &s, pages<<testShift)
	giveBack(t, &s, names[len(names)-1])
	last := wearOut(t, &s, names[len(names)-1].i)
	giveBack(t, &s, last)
	giveBack(t, &s, names[:len(names)-1]...)

	require.NotNil(t, s.pages[pages-1].cells)
	require.Equal(t, keepPages, s.present())
	requireSound(t, &s)
	for _, n := range takeMany(t, &s, pages<<testShift) {
		require.NotEqual(t, last.i, n.i)
	}
}

// TestWornOutPagesDoNotMakeEachFreeAScan has more pages that cannot be given
// back than are kept anyway.
func TestWornOutPagesDoNotMakeEachFreeAScan(t *testing.T) {
	const pages = 2 * keepPages
	s := New[[1]uint32, uint64](testShift)
	names := takeMany(t, &s, pages<<testShift)
	for i := range pages {
		n := &names[i<<testShift]
		giveBack(t, &s, *n)
		*n = wearOut(t, &s, n.i)
	}
	giveBack(t, &s, names...)
	require.Equal(t, pages, s.present())
	require.Negative(t, s.shrinkAt, "there is nothing left to look for")
}
