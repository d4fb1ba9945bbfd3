package idtable

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// dropBackward drops the highest cells first, so that those of the first pages
// are the last in use.
func dropBackward(t require.TestingT, tab *Table, ids []schedulers.ID) {
	for _, id := range slices.Backward(ids) {
		drop(t, tab, id)
	}
}

func TestPagesGoBackWhenThreeQuartersAreFree(t *testing.T) {
	const pages = 33
	tab := New(unlimited)
	ids := takeMany(t, &tab, pages<<pageBits)
	quarter := (pages - 1) << pageBits / 4 // of what was used when it grew last

	drop(t, &tab, ids[quarter+1:]...)
	require.Equal(t, pages, tab.present(), "one more than a quarter is in use")
	drop(t, &tab, ids[quarter])
	require.Equal(t, (pages-1)/4, tab.present())
	requireSound(t, &tab)
	requireValid(t, &tab, ids[:quarter]...)
	requireStale(t, &tab, ids[quarter:]...)
}

func TestLittleIsKeptAfterABurst(t *testing.T) {
	tab := New(unlimited)
	drop(t, &tab, takeMany(t, &tab, 64<<pageBits)...)
	require.Equal(t, keepPages, tab.present())
	require.LessOrEqual(t, len(tab.free.pages), keepPages)
	for _, pg := range tab.free.pages[:cap(tab.free.pages)][len(tab.free.pages):] {
		require.Nil(t, pg, "behind the stack")
	}
	requireSound(t, &tab)
}

func TestFirstPagesStay(t *testing.T) {
	tab := New(unlimited)
	ids := takeMany(t, &tab, keepPages<<pageBits)
	require.Negative(t, tab.shrinkAt, "nothing to look for")
	ids = append(ids, take(t, &tab))
	require.Positive(t, tab.shrinkAt)
	dropBackward(t, &tab, ids)
	require.Equal(t, keepPages, tab.present())
	requireSound(t, &tab)
}

// TestShrinksAreFew has a used cell in each page nearly until the end, so that
// looking for empty pages is in vain: what is seen must still be paid for.
func TestShrinksAreFew(t *testing.T) {
	const pages, stride = 16, 997 // coprime
	const n = pages << pageBits
	tab := New(unlimited)
	ids := takeMany(t, &tab, n)
	shrinks, last := 0, tab.shrinkAt
	for i := range n {
		drop(t, &tab, ids[i*stride%n])
		if tab.shrinkAt != last {
			shrinks, last = shrinks+1, tab.shrinkAt
		}
	}
	require.Equal(t, keepPages, tab.present())
	require.InDelta(t, 7, shrinks, 2, "each leaves a quarter")
	requireSound(t, &tab)
}

func TestPageInUseStays(t *testing.T) {
	const pages = 16
	tab := New(unlimited)
	var kept []schedulers.ID
	for i, id := range takeMany(t, &tab, pages<<pageBits) {
		if i&pageMask == i>>pageBits*pageMask/(pages-1) { // one in each page, the first to the last
			kept = append(kept, id)
		} else {
			drop(t, &tab, id)
		}
	}
	require.Len(t, kept, pages)
	require.Equal(t, pages, tab.present())
	requireValid(t, &tab, kept...)
	requireSound(t, &tab)
}

func TestPageThatReturnsHasHigherGenerations(t *testing.T) {
	const pages = 12
	tab := New(unlimited)
	stale := takeMany(t, &tab, pages<<pageBits)
	drop(t, &tab, stale...)
	// Of the cells in use again, some have had more users than the others.
	for range 3 {
		again := takeMany(t, &tab, (pages-1)<<pageBits+pageLen/2)
		drop(t, &tab, again[len(again)-100:]...)
		again = append(again, takeMany(t, &tab, 50)...)
		drop(t, &tab, again[:len(again)-150]...)
		drop(t, &tab, again[len(again)-50:]...)
		stale = append(stale, again...)
		require.Equal(t, keepPages, tab.present())
		requireStale(t, &tab, stale...) // also where there is no page
	}

	fresh := takeMany(t, &tab, pages<<pageBits)
	require.Len(t, tab.pages, pages, "pages given back are used before new ones")
	requireSound(t, &tab)
	requireStale(t, &tab, stale...)
	requireValid(t, &tab, fresh...)
	latest := make(map[uint32]uint32)
	for _, id := range stale {
		latest[id.Cell()] = max(latest[id.Cell()], id.Generation())
	}
	for _, id := range fresh {
		if id.Generation() <= latest[id.Cell()] {
			require.Fail(t, "an id for the second time", "%x", id)
		}
	}
}

// TestTablesShareWhatIsGone gives pages back in two tables, so that what one
// writes there the other would see.
func TestTablesShareWhatIsGone(t *testing.T) {
	const pages = 2 * keepPages
	one, other := New(unlimited), New(unlimited)
	for _, tab := range []*Table{&one, &other} {
		dropBackward(t, tab, takeMany(t, tab, pages<<pageBits))
		require.True(t, tab.pages[pages-1] == gone)
	}
	ids := takeMany(t, &one, pages<<pageBits)
	require.False(t, one.pages[pages-1] == gone)
	requireStale(t, &other, ids[keepPages<<pageBits:]...)
	requireSound(t, &one)
	requireSound(t, &other)
}

// wearOut brings a free cell, which is the next to be handed out, to its last
// use, and returns its last ID.
func wearOut(t *testing.T, tab *Table, cell uint32) schedulers.ID {
	gen := &tab.pages[cell>>pageBits][cell&pageMask]
	require.Zero(t, *gen&1)
	*gen = lastGen - 2
	last := take(t, tab)
	require.Equal(t, schedulers.MakeID(cell, lastGen-1), last)
	return last
}

func TestWornOutCellIsNeverUsedAgain(t *testing.T) {
	tab := New(unlimited)
	drop(t, &tab, take(t, &tab))
	last := wearOut(t, &tab, 0)
	requireValid(t, &tab, last)
	drop(t, &tab, last)

	requireStale(t, &tab, last)
	require.False(t, tab.Drop(schedulers.MakeID(0, lastGen)))
	requireSound(t, &tab)
	for range 3 {
		ids := takeMany(t, &tab, 9<<pageBits)
		for _, id := range ids {
			if id.Cell() == last.Cell() {
				require.Fail(t, "used again", "%x", id)
			}
		}
		drop(t, &tab, ids...) // and stacked anew
		requireSound(t, &tab)
	}
}

// TestPageWithAWornOutCellStays is what keeps an ID from becoming valid again:
// a new copy of the page would begin behind the last generation.
func TestPageWithAWornOutCellStays(t *testing.T) {
	const pages = 9
	tab := New(unlimited)
	ids := takeMany(t, &tab, pages<<pageBits)
	drop(t, &tab, ids[len(ids)-1])
	last := wearOut(t, &tab, ids[len(ids)-1].Cell())
	drop(t, &tab, last)
	drop(t, &tab, ids[:len(ids)-1]...)

	require.False(t, tab.pages[pages-1] == gone)
	require.Equal(t, keepPages, tab.present())
	requireSound(t, &tab)
	for _, id := range takeMany(t, &tab, pages<<pageBits) {
		if id.Cell() == last.Cell() {
			require.Fail(t, "used again", "%x", id)
		}
	}
}

// TestGenerationBeforeTheLastReturns gives back a page whose cells have one use
// left each.
func TestGenerationBeforeTheLastReturns(t *testing.T) {
	const pages = keepPages + 1
	tab := New(unlimited)
	ids := takeMany(t, &tab, pages<<pageBits)
	top := ids[len(ids)-1]
	tab.pages[pages-1][pageMask] = lastGen - 3
	drop(t, &tab, schedulers.MakeID(top.Cell(), lastGen-3))
	dropBackward(t, &tab, ids[:len(ids)-1])
	require.True(t, tab.pages[pages-1] == gone)

	ids = takeMany(t, &tab, pages<<pageBits)
	for _, id := range ids[keepPages<<pageBits:] {
		if id.Generation() != lastGen-1 {
			require.Fail(t, "not beyond what was", "%x", id)
		}
	}
	drop(t, &tab, ids...)
	require.False(t, tab.pages[pages-1] == gone, "worn out as a whole")
	requireSound(t, &tab)
}

// TestWornOutPagesDoNotMakeEachDropAScan has more pages that cannot be given
// back than are kept anyway.
func TestWornOutPagesDoNotMakeEachDropAScan(t *testing.T) {
	const pages = 2 * keepPages
	tab := New(unlimited)
	ids := takeMany(t, &tab, pages<<pageBits)
	for i := range pages {
		id := &ids[i<<pageBits]
		drop(t, &tab, *id)
		*id = wearOut(t, &tab, id.Cell())
	}
	drop(t, &tab, ids...)
	require.Equal(t, pages, tab.present())
	require.Negative(t, tab.shrinkAt, "there is nothing left to look for")

	// Nor when there are no free cells but those of a page just made.
	for _, pg := range tab.pages {
		for at := range pg {
			pg[at] = lastGen
		}
	}
	tab.free.len = 0
	id := take(t, &tab)
	require.Equal(t, pages+1, tab.present())
	require.Negative(t, tab.shrinkAt)
	drop(t, &tab, id)
	requireSound(t, &tab)
}
