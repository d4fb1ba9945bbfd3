package idtable

import (
	"iter"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/pagetest"
	"schedbench/schedulers"
)

// testTable is a table as pages.
type testTable struct{ Table }

// unlimited is a limit that no test but those of limits reaches.
const unlimited = 1 << 30

func newTable(limit int) *testTable { return &testTable{New(limit)} }

func (t *testTable) Valid(id schedulers.ID) bool { return Valid(&t.Table, id) == 1 }

func (t *testTable) Len() int { return len(t.pages) }

func (t *testTable) Present() int { return t.present() }

func (t *testTable) Gone(page int) bool { return t.pages[page] == gone }

func (t *testTable) Gen(cell uint32) *uint32 { return &t.pages[cell>>pageBits][cell&pageMask] }

func (t *testTable) FreeCells() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for at := t.free.len - 1; at >= 0 && yield(t.free.pages[at>>pageBits][at&pageMask]); at-- {
		}
	}
}

func (t *testTable) ForgetFree() { t.free.len = 0 }

func (t *testTable) ShrinkAt() int { return t.shrinkAt }

// RequireSound checks that nothing was written to what tables share.
func (t *testTable) RequireSound(tt require.TestingT) {
	if *gone != (page{}) {
		require.Fail(tt, "written to what tables share")
	}
}

var geometry = pagetest.Geometry{PageBits: pageBits, Keep: keepPages, New: func() pagetest.Pages { return newTable(unlimited) }}

func TestPages(t *testing.T) { pagetest.Run(t, geometry) }

func TestFullTableRefuses(t *testing.T) {
	const pages = 3
	tab := newTable((pages+1)<<pageBits - 1) // rounded down
	ids := pagetest.TakeMany(t, tab, pages<<pageBits)
	for range 2 {
		require.Zero(t, tab.Take())
		require.Equal(t, pages<<pageBits, tab.Used(), "a refusal takes nothing")
		pagetest.RequireValid(t, tab, ids...)
		pagetest.Drop(t, tab, ids[7])
		ids[7] = tab.Take()
	}
	geometry.RequireSound(t, tab)
}

func TestLimitBelowAPageIsNone(t *testing.T) {
	for _, limit := range []int{math.MinInt, -1, 0, 1, pageLen - 1} {
		tab := New(limit)
		require.Zero(t, tab.Take(), "limit %d", limit)
		require.Zero(t, tab.Used())
	}
}

// TestHighestCells has a table that pretends to have all pages but the last.
func TestHighestCells(t *testing.T) {
	tab := newTable(math.MaxInt)
	tab.pages = make([]*page, maxPages-1)
	ids := pagetest.TakeMany(t, tab, pageLen)
	highest := ids[pageLen-1]
	require.Equal(t, schedulers.MakeID(math.MaxUint32, 1), highest)
	require.Zero(t, tab.Take(), "no more cells can be named")

	pagetest.RequireValid(t, tab, highest)
	pagetest.Drop(t, tab, highest)
	pagetest.RequireStale(t, tab, highest)
}

func TestLittleIsKeptAfterABurst(t *testing.T) {
	tab := newTable(unlimited)
	pagetest.Drop(t, tab, pagetest.TakeMany(t, tab, 64<<pageBits)...)
	require.Equal(t, keepPages, tab.present())
	require.LessOrEqual(t, len(tab.free.pages), keepPages)
	for _, pg := range tab.free.pages[:cap(tab.free.pages)][len(tab.free.pages):] {
		require.Nil(t, pg, "behind the stack")
	}
	geometry.RequireSound(t, tab)
}

// TestTablesShareWhatIsGone gives pages back in two tables, so that what one
// writes there the other would see.
func TestTablesShareWhatIsGone(t *testing.T) {
	const pages = 2 * keepPages
	one, other := newTable(unlimited), newTable(unlimited)
	for _, tab := range []*testTable{one, other} {
		pagetest.DropBackward(t, tab, pagetest.TakeMany(t, tab, pages<<pageBits))
		require.True(t, tab.Gone(pages-1))
	}
	ids := pagetest.TakeMany(t, one, pages<<pageBits)
	require.False(t, one.Gone(pages-1))
	pagetest.RequireStale(t, other, ids[keepPages<<pageBits:]...)
	geometry.RequireSound(t, one)
	geometry.RequireSound(t, other)
}
