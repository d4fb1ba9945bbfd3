package store

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// giveBackward gives the highest cells back first, so that those of the first
// pages are the last in use.
func giveBackward(t require.TestingT, s *testStore, names []name) {
	for _, n := range slices.Backward(names) {
		giveBack(t, s, n)
	}
}

func TestPagesGoBackWhenThreeQuartersAreFree(t *testing.T) {
	const pages = 65
	s := newStore()
	names := takeMany(t, s, pages<<pageBits)
	quarter := (pages - 1) << pageBits / 4 // of what was used when it grew last

	giveBack(t, s, names[quarter+1:]...)
	require.Equal(t, pages, s.present(), "one more than a quarter is in use")
	giveBack(t, s, names[quarter])
	require.Equal(t, (pages-1)/4, s.present())
	requireSound(t, s)
	requireUsed(t, s, names[:quarter]...)
	requireStale(t, s, names[quarter:]...)
}

func TestFirstPagesStay(t *testing.T) {
	s := newStore()
	names := takeMany(t, s, keepPages<<pageBits)
	require.Negative(t, s.shrinkAt, "nothing to look for")
	names = append(names, take(t, s, 0))
	require.Positive(t, s.shrinkAt)
	giveBackward(t, s, names)
	require.Equal(t, keepPages, s.present())
	requireSound(t, s)
}

// TestShrinksAreFew has a used cell in each page nearly until the end, so that
// looking for empty pages is in vain: what is seen must still be paid for.
func TestShrinksAreFew(t *testing.T) {
	const pages, stride = 64, 997 // coprime
	const n = pages << pageBits
	s := newStore()
	names := takeMany(t, s, n)
	shrinks, last := 0, s.shrinkAt
	for i := range n {
		giveBack(t, s, names[i*stride%n])
		if s.shrinkAt != last {
			shrinks, last = shrinks+1, s.shrinkAt
		}
	}
	require.Equal(t, keepPages, s.present())
	require.InDelta(t, 6, shrinks, 2, "each leaves a quarter")
	requireSound(t, s)
}

func TestPageInUseStays(t *testing.T) {
	const pages = 16
	s := newStore()
	var kept []name
	for i, n := range takeMany(t, s, pages<<pageBits) {
		if i&pageMask == i>>pageBits*pageMask/(pages-1) { // one in each page, the first to the last
			kept = append(kept, n)
		} else {
			giveBack(t, s, n)
		}
	}
	require.Len(t, kept, pages)
	require.Equal(t, pages, s.present())
	requireUsed(t, s, kept...)
	requireSound(t, s)
}

func TestPageThatReturnsHasHigherGenerations(t *testing.T) {
	const pages = 12
	s := newStore()
	stale := takeMany(t, s, pages<<pageBits)
	giveBack(t, s, stale...)
	// Of the cells in use again, some have had more users than the others.
	for range 3 {
		again := takeMany(t, s, (pages-1)<<pageBits+pageLen/2)
		giveBack(t, s, again[len(again)-100:]...)
		again = append(again, takeMany(t, s, 50)...)
		giveBack(t, s, again[:len(again)-150]...)
		giveBack(t, s, again[len(again)-50:]...)
		stale = append(stale, again...)
		require.Equal(t, keepPages, s.present())
		requireStale(t, s, stale...) // also where there is no page
		requireSound(t, s)
	}

	fresh := takeMany(t, s, pages<<pageBits)
	require.Len(t, s.cells, pages, "pages given back are used before new ones")
	requireSound(t, s)
	requireStale(t, s, stale...)
	requireUsed(t, s, fresh...)
	latest := make(map[uint32]uint32)
	for _, n := range stale {
		latest[n.i] = max(latest[n.i], n.gen)
	}
	for _, n := range fresh {
		if n.gen <= latest[n.i] {
			require.Fail(t, "a name for the second time", "%v", n)
		}
	}
}

// wearOut brings a free cell, which is the next to be handed out, to its last
// use.
func wearOut(t *testing.T, s *testStore, i uint32) name {
	require.Zero(t, s.Cell(i).Gen&1)
	s.Cell(i).Gen = lastGen - 2
	last := take(t, s, 0)
	require.Equal(t, name{i, lastGen - 1}, last)
	return last
}

func TestWornOutCellIsNeverUsedAgain(t *testing.T) {
	s := newStore()
	giveBack(t, s, take(t, s, 0))
	last := wearOut(t, s, 0)
	requireUsed(t, s, last)
	giveBack(t, s, last)

	requireStale(t, s, last, name{last.i, lastGen})
	requireSound(t, s)
	for range 3 {
		names := takeMany(t, s, 9<<pageBits)
		for _, n := range names {
			if n.i == last.i {
				require.Fail(t, "used again", "%v", n)
			}
		}
		giveBack(t, s, names...) // and strung anew
		requireSound(t, s)
	}
}

// TestPageWithAWornOutCellStays is what keeps an ID from becoming valid again:
// a new copy of the page would begin behind the last generation.
func TestPageWithAWornOutCellStays(t *testing.T) {
	const pages = 9
	s := newStore()
	names := takeMany(t, s, pages<<pageBits)
	giveBack(t, s, names[len(names)-1])
	last := wearOut(t, s, names[len(names)-1].i)
	giveBack(t, s, last)
	giveBack(t, s, names[:len(names)-1]...)

	require.False(t, s.cells[pages-1] == s.gone)
	require.Equal(t, keepPages, s.present())
	requireSound(t, s)
	for _, n := range takeMany(t, s, pages<<pageBits) {
		if n.i == last.i {
			require.Fail(t, "used again", "%v", n)
		}
	}
}

// TestGenerationBeforeTheLastReturns gives back a page whose cells have one use
// left each.
func TestGenerationBeforeTheLastReturns(t *testing.T) {
	const pages = keepPages + 1
	s := newStore()
	names := takeMany(t, s, pages<<pageBits)
	top := &names[len(names)-1]
	s.Cell(top.i).Gen = lastGen - 3
	top.gen = lastGen - 3
	giveBackward(t, s, names)
	require.True(t, s.cells[pages-1] == s.gone)

	names = takeMany(t, s, pages<<pageBits)
	for _, n := range names[keepPages<<pageBits:] {
		if n.gen != lastGen-1 {
			require.Fail(t, "not beyond what was", "%v", n)
		}
	}
	giveBack(t, s, names...)
	require.False(t, s.cells[pages-1] == s.gone, "worn out as a whole")
	requireSound(t, s)
}

// TestWornOutPagesDoNotMakeEachFreeAScan has more pages that cannot be given
// back than are kept anyway.
func TestWornOutPagesDoNotMakeEachFreeAScan(t *testing.T) {
	const pages = 2 * keepPages
	s := newStore()
	names := takeMany(t, s, pages<<pageBits)
	for p := range pages {
		n := &names[p<<pageBits]
		giveBack(t, s, *n)
		*n = wearOut(t, s, n.i)
	}
	giveBack(t, s, names...)
	require.Equal(t, pages, s.present())
	require.Negative(t, s.shrinkAt, "there is nothing left to look for")

	// Nor when there are no free cells but those of a page just made.
	for _, pg := range s.cells {
		for at := range pg {
			pg[at].Gen = lastGen
		}
	}
	s.free = None
	n := take(t, s, 0)
	require.Equal(t, pages+1, s.present())
	require.Negative(t, s.shrinkAt)
	giveBack(t, s, n)
	requireSound(t, s)
}
