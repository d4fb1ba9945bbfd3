package store

import (
	"iter"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// testIDs is a table as pages.
type testIDs struct{ IDs }

// unlimited is a limit that no test but those of limits reaches.
const unlimited = 1 << 30

func newIDs(limit int) *testIDs { return &testIDs{NewIDs(limit)} }

func (t *testIDs) Valid(id schedulers.ID) bool { return Valid(&t.IDs, id) == 1 }

func (t *testIDs) plan() *pages { return &t.pages }

func (t *testIDs) generation(cell uint32) *uint32 { return &t.gens[cell>>idPageBits][cell&idPageMask] }

func (t *testIDs) freeList() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for at := t.free.len - 1; at >= 0 && yield(t.free.pages[at>>idPageBits][at&idPageMask]); at-- {
		}
	}
}

func (t *testIDs) forgetFree() { t.free.len = 0 }

// requireSound checks that nothing was written to what tables share.
func (t *testIDs) requireSound(tt require.TestingT) {
	if *noIDs != (idPage{}) {
		require.Fail(tt, "written to what tables share")
	}
}

var idPages = pageTests{idPageBits, func() tested { return newIDs(unlimited) }}

func TestFullTableRefuses(t *testing.T) {
	const pages = 3
	tab := newIDs((pages+1)<<idPageBits - 1) // rounded down
	ids := takeMany(t, tab, pages<<idPageBits)
	for range 2 {
		require.Zero(t, tab.Take())
		require.Equal(t, pages<<idPageBits, tab.Used(), "a refusal takes nothing")
		requireValid(t, tab, ids...)
		drop(t, tab, ids[7])
		ids[7] = tab.Take()
	}
	idPages.requireSound(t, tab)
}

func TestLimitBelowAPageIsNone(t *testing.T) {
	for _, limit := range []int{math.MinInt, -1, 0, 1, idPageLen - 1} {
		tab := NewIDs(limit)
		require.Zero(t, tab.Take(), "limit %d", limit)
		require.Zero(t, tab.Used())
	}
}

// TestHighestCells has a table that pretends to have all pages but the last.
func TestHighestCells(t *testing.T) {
	tab := newIDs(math.MaxInt)
	tab.gens = make([]*idPage, maxIDPages-1)
	tab.count = len(tab.gens)
	ids := takeMany(t, tab, idPageLen)
	highest := ids[idPageLen-1]
	require.Equal(t, schedulers.MakeID(math.MaxUint32, 1), highest)
	require.Zero(t, tab.Take(), "no more cells can be named")

	requireValid(t, tab, highest)
	drop(t, tab, highest)
	requireStale(t, tab, highest)
}

func TestLittleIsKeptAfterABurst(t *testing.T) {
	tab := newIDs(unlimited)
	drop(t, tab, takeMany(t, tab, 64<<idPageBits)...)
	require.Equal(t, keepPages, tab.present())
	require.LessOrEqual(t, len(tab.free.pages), keepPages)
	for _, pg := range tab.free.pages[:cap(tab.free.pages)][len(tab.free.pages):] {
		require.Nil(t, pg, "behind the stack")
	}
	idPages.requireSound(t, tab)
}

// TestTablesShareWhatIsGone gives pages back in two tables, so that what one
// writes there the other would see.
func TestTablesShareWhatIsGone(t *testing.T) {
	const pages = 2 * keepPages
	one, other := newIDs(unlimited), newIDs(unlimited)
	for _, tab := range []*testIDs{one, other} {
		dropBackward(t, tab, takeMany(t, tab, pages<<idPageBits))
		require.True(t, tab.gone(pages-1))
	}
	ids := takeMany(t, one, pages<<idPageBits)
	require.False(t, one.gone(pages-1))
	requireStale(t, other, ids[keepPages<<idPageBits:]...)
	idPages.requireSound(t, one)
	idPages.requireSound(t, other)
}
