package pagetest

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// Geometry says what pages are tested.
type Geometry struct {
	// PageBits is the logarithm of how many cells a page has.
	PageBits int
	// Keep is how many pages are never given back.
	Keep int
	// New makes pages that have room for all that the tests take.
	New func() Pages
}

// cells returns how many cells so many pages have.
func (g Geometry) cells(pages int) int { return pages << g.PageBits }

// Run runs all tests.
func Run(t *testing.T, g Geometry) {
	t.Run("IDsAreValidUntilTheyAreDropped", g.validUntilDropped)
	for name, test := range map[string]func(*testing.T, Pages){
		"WhatWasNeverHandedOutIsRefused":         g.neverHandedOut,
		"SteadyStateDoesNotAllocate":             g.steadyState,
		"NothingIsAllocatedAroundAFullPage":      g.aroundAFullPage,
		"FirstPagesStay":                         g.firstPagesStay,
		"PageInUseStays":                         g.pageInUseStays,
		"PageThatReturnsHasHigherGenerations":    g.higherGenerations,
		"WornOutCellIsNeverUsedAgain":            g.wornOutCell,
		"PageWithAWornOutCellStays":              g.pageWithAWornOutCell,
		"GenerationBeforeTheLastReturns":         g.generationBeforeTheLast,
		"WornOutPagesDoNotMakeEachDropAScan":     g.wornOutPages,
		"PagesGoBackWhenThreeQuartersAreFree/33": func(t *testing.T, p Pages) { g.goBack(t, p, 33) },
		"PagesGoBackWhenThreeQuartersAreFree/65": func(t *testing.T, p Pages) { g.goBack(t, p, 65) },
		"ShrinksAreFew/16":                       func(t *testing.T, p Pages) { g.shrinksAreFew(t, p, 16) },
		"ShrinksAreFew/64":                       func(t *testing.T, p Pages) { g.shrinksAreFew(t, p, 64) },
	} {
		t.Run(name, func(t *testing.T) { test(t, g.New()) })
	}
}

func (g Geometry) neverHandedOut(t *testing.T, p Pages) {
	refused := func(cell, gen uint32) {
		id := schedulers.MakeID(cell, gen)
		require.False(t, p.Holds(id), "cell %d at generation %d", cell, gen)
		require.False(t, p.Drop(id), "cell %d at generation %d", cell, gen)
	}
	refused(0, 0)
	refused(0, 1)
	id := p.Take()
	Drop(t, p, p.Take()) // so that a free cell has a generation
	cell, gen, page := id.Cell(), id.Generation(), uint32(g.cells(1))
	for _, wrong := range [][2]uint32{
		{cell, 0}, {cell, gen + 1}, {cell, gen + 2}, {cell, math.MaxUint32},
		{cell + 1, 0}, {cell + 1, 1}, {cell + 1, 2}, {cell + 1, 3}, {cell + 2, 0}, {cell + 2, 1},
		{page, 0}, {page, 1}, {math.MaxUint32, gen}, {math.MaxUint32, math.MaxUint32},
	} {
		refused(wrong[0], wrong[1])
	}
	require.Equal(t, 1, p.Used())
	g.RequireSound(t, p)
	RequireValid(t, p, id)
	Drop(t, p, id)
}

// requireNoAllocation drops and takes some of the valid IDs again and again.
func requireNoAllocation(t *testing.T, p Pages, ids []schedulers.ID) {
	require.Zero(t, testing.AllocsPerRun(5, func() {
		Drop(t, p, ids...)
		for i := range ids {
			ids[i] = p.Take()
		}
	}))
	RequireValid(t, p, ids...)
}

// steadyState lets the population swing by a third, which is short of what makes
// pages come and go.
func (g Geometry) steadyState(t *testing.T, p Pages) {
	n := g.cells(12)
	requireNoAllocation(t, p, TakeMany(t, p, n)[n/3:2*n/3])
}

// aroundAFullPage lets the population swing around the number that fills the
// present pages: after growth, and after a burst has left.
func (g Geometry) aroundAFullPage(t *testing.T, p Pages) {
	const swing = 50
	pages := 2 * g.Keep
	ids := TakeMany(t, p, g.cells(pages)+swing)
	requireNoAllocation(t, p, ids[g.cells(pages)-swing:])

	DropBackward(t, p, TakeMany(t, p, g.cells(4*pages)))
	require.Less(t, p.Present(), 2*pages, "the burst has left")
	fill := TakeMany(t, p, g.cells(p.Present())-p.Used())
	requireNoAllocation(t, p, append(fill[len(fill)-swing:], TakeMany(t, p, swing)...))
}

func (g Geometry) goBack(t *testing.T, p Pages, pages int) {
	ids := TakeMany(t, p, g.cells(pages))
	quarter := g.cells(pages-1) / 4 // of what was used when it grew last

	Drop(t, p, ids[quarter+1:]...)
	require.Equal(t, pages, p.Present(), "one more than a quarter is in use")
	Drop(t, p, ids[quarter])
	require.Equal(t, (pages-1)/4, p.Present())
	g.RequireSound(t, p)
	RequireValid(t, p, ids[:quarter]...)
	RequireStale(t, p, ids[quarter:]...)
}

func (g Geometry) firstPagesStay(t *testing.T, p Pages) {
	ids := TakeMany(t, p, g.cells(g.Keep))
	require.Negative(t, p.ShrinkAt(), "nothing to look for")
	ids = append(ids, p.Take())
	require.Positive(t, p.ShrinkAt())
	DropBackward(t, p, ids)
	require.Equal(t, g.Keep, p.Present())
	g.RequireSound(t, p)
}

// shrinksAreFew has a used cell in each page nearly until the end, so that looking
// for empty pages is in vain: what is seen must still be paid for.
func (g Geometry) shrinksAreFew(t *testing.T, p Pages, pages int) {
	const stride = 997 // coprime
	n := g.cells(pages)
	ids := TakeMany(t, p, n)
	shrinks, last := 0, p.ShrinkAt()
	for i := range n {
		Drop(t, p, ids[i*stride%n])
		if p.ShrinkAt() != last {
			shrinks, last = shrinks+1, p.ShrinkAt()
		}
	}
	require.Equal(t, g.Keep, p.Present())
	require.InDelta(t, bits.Len(uint(n))/2-1, shrinks, 2, "each leaves a quarter")
	g.RequireSound(t, p)
}

func (g Geometry) pageInUseStays(t *testing.T, p Pages) {
	const pages = 16
	last := g.cells(1) - 1
	var kept []schedulers.ID
	for i, id := range TakeMany(t, p, g.cells(pages)) {
		if i&last == i>>g.PageBits*last/(pages-1) { // one in each page, the first to the last
			kept = append(kept, id)
		} else {
			Drop(t, p, id)
		}
	}
	require.Len(t, kept, pages)
	require.Equal(t, pages, p.Present())
	RequireValid(t, p, kept...)
	g.RequireSound(t, p)
}

func (g Geometry) higherGenerations(t *testing.T, p Pages) {
	const pages = 12
	stale := TakeMany(t, p, g.cells(pages))
	Drop(t, p, stale...)
	// Of the cells in use again, some have had more users than the others.
	for range 3 {
		again := TakeMany(t, p, g.cells(pages-1)+g.cells(1)/2)
		Drop(t, p, again[len(again)-100:]...)
		again = append(again, TakeMany(t, p, 50)...)
		Drop(t, p, again[:len(again)-150]...)
		Drop(t, p, again[len(again)-50:]...)
		stale = append(stale, again...)
		require.Equal(t, g.Keep, p.Present())
		RequireStale(t, p, stale...) // also where there is no page
		g.RequireSound(t, p)
	}

	fresh := TakeMany(t, p, g.cells(pages))
	require.Equal(t, pages, p.Len(), "pages given back are used before new ones")
	g.RequireSound(t, p)
	RequireStale(t, p, stale...)
	RequireValid(t, p, fresh...)
	latest := make(map[uint32]uint32)
	for _, id := range stale {
		latest[id.Cell()] = max(latest[id.Cell()], id.Generation())
	}
	for _, id := range fresh {
		if id.Generation() <= latest[id.Cell()] {
			require.Fail(t, "an ID for the second time", "%x", id)
		}
	}
}

func (g Geometry) wornOutCell(t *testing.T, p Pages) {
	Drop(t, p, p.Take())
	last := wearOut(t, p, 0)
	RequireValid(t, p, last)
	Drop(t, p, last)

	RequireStale(t, p, last)
	worn := schedulers.MakeID(last.Cell(), lastGen)
	require.False(t, p.Holds(worn))
	require.False(t, p.Drop(worn))
	g.RequireSound(t, p)
	for range 3 {
		ids := TakeMany(t, p, g.cells(9))
		requireNotReused(t, last.Cell(), ids...)
		Drop(t, p, ids...) // and made free anew
		g.RequireSound(t, p)
	}
}

// pageWithAWornOutCell is what keeps an ID from becoming valid again: a new copy of
// the page would begin behind the last generation.
func (g Geometry) pageWithAWornOutCell(t *testing.T, p Pages) {
	const pages = 9
	ids := TakeMany(t, p, g.cells(pages))
	Drop(t, p, ids[len(ids)-1])
	last := wearOut(t, p, ids[len(ids)-1].Cell())
	Drop(t, p, last)
	Drop(t, p, ids[:len(ids)-1]...)

	require.False(t, p.Gone(pages-1))
	require.Equal(t, g.Keep, p.Present())
	g.RequireSound(t, p)
	requireNotReused(t, last.Cell(), TakeMany(t, p, g.cells(pages))...)
}

// generationBeforeTheLast gives back a page whose cells have one use left each.
func (g Geometry) generationBeforeTheLast(t *testing.T, p Pages) {
	pages := g.Keep + 1
	ids := TakeMany(t, p, g.cells(pages))
	top := ids[len(ids)-1].Cell()
	*p.Gen(top) = lastGen - 3
	Drop(t, p, schedulers.MakeID(top, lastGen-3))
	DropBackward(t, p, ids[:len(ids)-1])
	require.True(t, p.Gone(pages-1))

	ids = TakeMany(t, p, g.cells(pages))
	for _, id := range ids[g.cells(g.Keep):] {
		if id.Generation() != lastGen-1 {
			require.Fail(t, "not beyond what was", "%x", id)
		}
	}
	Drop(t, p, ids...)
	require.False(t, p.Gone(pages-1), "worn out as a whole")
	g.RequireSound(t, p)
}

// wornOutPages has more pages that cannot be given back than are kept anyway.
func (g Geometry) wornOutPages(t *testing.T, p Pages) {
	pages := 2 * g.Keep
	ids := TakeMany(t, p, g.cells(pages))
	for page := range pages {
		id := &ids[g.cells(page)]
		Drop(t, p, *id)
		*id = wearOut(t, p, id.Cell())
	}
	Drop(t, p, ids...)
	require.Equal(t, pages, p.Present())
	require.Negative(t, p.ShrinkAt(), "there is nothing left to look for")

	// Nor when there are no free cells but those of a page just made.
	for cell := range g.cells(pages) {
		*p.Gen(uint32(cell)) = lastGen
	}
	p.ForgetFree()
	id := p.Take()
	require.Equal(t, pages+1, p.Present())
	require.Negative(t, p.ShrinkAt())
	Drop(t, p, id)
	g.RequireSound(t, p)
}
