package idtable

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
)

// unlimited is a limit that no test but those of limits reaches.
const unlimited = 1 << 30

func take(t require.TestingT, tab *Table) schedulers.ID {
	id := tab.Take()
	if id == 0 {
		require.Fail(t, "no room")
	}
	return id
}

func takeMany(t require.TestingT, tab *Table, n int) []schedulers.ID {
	ids := make([]schedulers.ID, n)
	for i := range ids {
		ids[i] = take(t, tab)
	}
	return ids
}

func drop(t require.TestingT, tab *Table, ids ...schedulers.ID) {
	for _, id := range ids {
		if !tab.Drop(id) {
			require.Fail(t, "lost a valid id", "%x", id)
		}
	}
}

// requireValid and requireStale are about IDs that were handed out.
func requireValid(t require.TestingT, tab *Table, ids ...schedulers.ID) {
	for _, id := range ids {
		if Valid(tab, id) != 1 || !tab.Holds(id) {
			require.Fail(t, "lost a valid id", "%x", id)
		}
	}
}

func requireStale(t require.TestingT, tab *Table, ids ...schedulers.ID) {
	for _, id := range ids {
		if Valid(tab, id) != 0 || tab.Holds(id) || tab.Drop(id) {
			require.Fail(t, "a stale id is valid", "%x", id)
		}
	}
}

// requireSound checks that each cell of a present page is in use, on the stack,
// or worn out, that nothing was written to the pages given back, and that the
// counts say so too.
func requireSound(t require.TestingT, tab *Table) {
	free := make([]bool, len(tab.pages)<<pageBits)
	for at := range tab.free.len {
		cell := tab.free.pages[at>>pageBits][at&pageMask]
		if int(cell) >= len(free) || free[cell] {
			require.Fail(t, "on the stack twice, or without a page", "cell %d", cell)
		}
		free[cell] = true
	}
	used, present := 0, 0
	for p, pg := range tab.pages {
		if pg != gone {
			present++
		}
		for at, gen := range pg {
			cell := p<<pageBits | at
			unused := pg != gone && gen&1 == 0 && gen != lastGen
			if unused != free[cell] {
				require.Fail(t, "wrong about what is free", "cell %d at generation %d", cell, gen)
			}
			used += int(gen & 1)
		}
	}
	require.Equal(t, used, tab.Used())
	require.Equal(t, present, tab.present())
	if *gone != (page{}) {
		require.Fail(t, "written to what tables share")
	}
}

// model is a table beside what it ought to hold.
type model struct {
	tab         Table
	live, stale []schedulers.ID
	latest      []uint32 // generation handed out, by cell
}

func (m *model) take(t require.TestingT, n int) {
	for range n {
		id := take(t, &m.tab)
		cell := int(id.Cell())
		if cell >= len(m.latest) {
			m.latest = append(m.latest, make([]uint32, cell+1-len(m.latest))...)
		}
		if id.Generation() <= m.latest[cell] {
			require.Fail(t, "an id for the second time", "%x after generation %d", id, m.latest[cell])
		}
		m.latest[cell] = id.Generation()
		m.live = append(m.live, id)
	}
}

// drop drops n of the live IDs, or as many as there are: the latest, or every
// second one before them.
func (m *model) drop(t require.TestingT, n int, scattered bool) {
	var kept []schedulers.ID
	for at, id := range slices.Backward(m.live) {
		if n == 0 || scattered && at%2 == 0 {
			kept = append(kept, id)
			continue
		}
		drop(t, &m.tab, id)
		m.stale = append(m.stale, id)
		n--
	}
	slices.Reverse(kept)
	m.live = kept
}

// wearOut brings the cell that is next to be handed out to its last use.
func (m *model) wearOut() {
	if f := &m.tab.free; f.len > 0 {
		cell := f.pages[(f.len-1)>>pageBits][(f.len-1)&pageMask]
		m.tab.pages[cell>>pageBits][cell&pageMask] = lastGen - 2
	}
}

func (m *model) check(t require.TestingT) {
	requireSound(t, &m.tab)
	require.Equal(t, len(m.live), m.tab.Used())
	requireValid(t, &m.tab, m.live...)
	for at := len(m.stale) - 1; at >= 0; at -= 31 { // a sample is enough
		requireStale(t, &m.tab, m.stale[at])
	}
}

func TestIDsAreValidUntilTheyAreDropped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{tab: New(unlimited)}
		for range rapid.IntRange(1, 7).Draw(t, "bursts") {
			switch rapid.SampledFrom([]string{"take", "drop", "wear out"}).Draw(t, "act") {
			case "take":
				pages := rapid.SampledFrom([]int{keepPages + 1, 0, 2}).Draw(t, "pages")
				m.take(t, pages<<pageBits+rapid.IntRange(0, 100).Draw(t, "more"))
			case "drop":
				eighths := rapid.SampledFrom([]int{8, 0, 4, 7}).Draw(t, "eighths")
				few := rapid.IntRange(0, 100).Draw(t, "more")
				m.drop(t, len(m.live)*eighths/8+few, rapid.Bool().Draw(t, "scattered"))
			case "wear out":
				m.wearOut()
			}
			m.check(t)
		}
	})
}

func TestWhatWasNeverHandedOutIsRefused(t *testing.T) {
	tab := New(unlimited)
	for _, id := range []schedulers.ID{0, schedulers.MakeID(0, 1)} {
		require.False(t, tab.Holds(id))
		require.False(t, tab.Drop(id))
	}
	id := take(t, &tab)
	drop(t, &tab, take(t, &tab)) // so that a free cell has a generation
	cell, gen := id.Cell(), id.Generation()
	for _, wrong := range []struct{ cell, gen uint32 }{
		{cell, 0}, {cell, gen + 1}, {cell, gen + 2}, {cell, math.MaxUint32},
		{cell + 1, 0}, {cell + 1, 1}, {cell + 1, 2}, {cell + 1, 3}, {cell + 2, 0}, {cell + 2, 1},
		{pageLen, 0}, {pageLen, 1}, {math.MaxUint32, gen}, {math.MaxUint32, math.MaxUint32},
	} {
		id := schedulers.MakeID(wrong.cell, wrong.gen)
		require.False(t, tab.Holds(id), "%v", wrong)
		require.False(t, tab.Drop(id), "%v", wrong)
	}
	require.Equal(t, 1, tab.Used())
	requireSound(t, &tab)
	drop(t, &tab, id)
}

func TestFullTableRefuses(t *testing.T) {
	const pages = 3
	tab := New((pages+1)<<pageBits - 1) // rounded down
	ids := takeMany(t, &tab, pages<<pageBits)
	for range 2 {
		require.Zero(t, tab.Take())
		require.Equal(t, pages<<pageBits, tab.Used(), "a refusal takes nothing")
		requireValid(t, &tab, ids...)
		drop(t, &tab, ids[7])
		ids[7] = take(t, &tab)
	}
	requireSound(t, &tab)
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
	tab := New(math.MaxInt)
	tab.pages = make([]*page, maxPages-1)
	ids := takeMany(t, &tab, pageLen)
	highest := ids[pageLen-1]
	require.Equal(t, schedulers.MakeID(math.MaxUint32, 1), highest)
	require.Zero(t, tab.Take(), "no more cells can be named")

	requireValid(t, &tab, highest)
	drop(t, &tab, highest)
	requireStale(t, &tab, highest)
}

// requireNoAllocation drops and takes some of the valid IDs again and again.
func requireNoAllocation(t *testing.T, tab *Table, ids []schedulers.ID) {
	require.Zero(t, testing.AllocsPerRun(5, func() {
		drop(t, tab, ids...)
		for i := range ids {
			ids[i] = take(t, tab)
		}
	}))
	requireValid(t, tab, ids...)
}

// TestSteadyTableDoesNotAllocate lets the population swing by a third, which is
// short of what makes pages come and go.
func TestSteadyTableDoesNotAllocate(t *testing.T) {
	tab := New(unlimited)
	const n = 12 << pageBits
	requireNoAllocation(t, &tab, takeMany(t, &tab, n)[n/3:2*n/3])
}

// TestNothingIsAllocatedAroundAFullPage lets the population swing around the
// number that fills the present pages: after growth, and after a burst has left.
func TestNothingIsAllocatedAroundAFullPage(t *testing.T) {
	const pages, swing = 2 * keepPages, 50
	tab := New(unlimited)
	ids := takeMany(t, &tab, pages<<pageBits+swing)
	requireNoAllocation(t, &tab, ids[pages<<pageBits-swing:])

	dropBackward(t, &tab, takeMany(t, &tab, 4*pages<<pageBits))
	require.Less(t, tab.present(), 2*pages, "the burst has left")
	fill := takeMany(t, &tab, tab.free.len)
	requireNoAllocation(t, &tab, append(fill[len(fill)-swing:], takeMany(t, &tab, swing)...))
}
