package store

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// pageTests are the tests of one kind of pages.
type pageTests struct {
	bits int           // logarithm of how many cells a page has
	make func() tested // with room for all that the tests take
}

// cells returns how many cells so many pages have.
func (g pageTests) cells(pages int) int { return pages << g.bits }

// TestPages runs all tests of pages on both.
func TestPages(t *testing.T) {
	t.Run("Store", storePages.run)
	t.Run("IDs", idPages.run)
}

func (g pageTests) run(t *testing.T) {
	t.Run("IDsAreValidUntilTheyAreDropped", g.validUntilDropped)
	for name, test := range map[string]func(*testing.T, tested){
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
		"PagesGoBackWhenThreeQuartersAreFree/33": func(t *testing.T, p tested) { g.goBack(t, p, 33) },
		"PagesGoBackWhenThreeQuartersAreFree/65": func(t *testing.T, p tested) { g.goBack(t, p, 65) },
		"ShrinksAreFew/16":                       func(t *testing.T, p tested) { g.shrinksAreFew(t, p, 16) },
		"ShrinksAreFew/64":                       func(t *testing.T, p tested) { g.shrinksAreFew(t, p, 64) },
	} {
		t.Run(name, func(t *testing.T) { test(t, g.make()) })
	}
}

func (g pageTests) neverHandedOut(t *testing.T, p tested) {
	refused := func(cell, gen uint32) {
		id := schedulers.MakeID(cell, gen)
		require.False(t, p.Holds(id), "cell %d at generation %d", cell, gen)
		require.False(t, p.Drop(id), "cell %d at generation %d", cell, gen)
	}
	refused(0, 0)
	refused(0, 1)
	id := p.Take()
	drop(t, p, p.Take()) // so that a free cell has a generation
	cell, gen, page := id.Cell(), id.Generation(), uint32(g.cells(1))
	for _, wrong := range [][2]uint32{
		{cell, 0}, {cell, gen + 1}, {cell, gen + 2}, {cell, math.MaxUint32},
		{cell + 1, 0}, {cell + 1, 1}, {cell + 1, 2}, {cell + 1, 3}, {cell + 2, 0}, {cell + 2, 1},
		{page, 0}, {page, 1}, {math.MaxUint32, gen}, {math.MaxUint32, math.MaxUint32},
	} {
		refused(wrong[0], wrong[1])
	}
	require.Equal(t, 1, p.plan().used)
	g.requireSound(t, p)
	requireValid(t, p, id)
	drop(t, p, id)
}

// requireNoAllocation drops and takes some of the valid IDs again and again.
func requireNoAllocation(t *testing.T, p tested, ids []schedulers.ID) {
	require.Zero(t, testing.AllocsPerRun(5, func() {
		drop(t, p, ids...)
		for i := range ids {
			ids[i] = p.Take()
		}
	}))
	requireValid(t, p, ids...)
}

// steadyState lets the population swing by a third, which is short of what makes
// pages come and go.
func (g pageTests) steadyState(t *testing.T, p tested) {
	n := g.cells(12)
	requireNoAllocation(t, p, takeMany(t, p, n)[n/3:2*n/3])
}

// aroundAFullPage lets the population swing around the number that fills the
// present pages: after growth, and after a burst has left.
func (g pageTests) aroundAFullPage(t *testing.T, p tested) {
	const swing = 50
	pages := 2 * keepPages
	ids := takeMany(t, p, g.cells(pages)+swing)
	requireNoAllocation(t, p, ids[g.cells(pages)-swing:])

	dropBackward(t, p, takeMany(t, p, g.cells(4*pages)))
	require.Less(t, p.plan().present(), 2*pages, "the burst has left")
	fill := takeMany(t, p, g.cells(p.plan().present())-p.plan().used)
	requireNoAllocation(t, p, append(fill[len(fill)-swing:], takeMany(t, p, swing)...))
}

func (g pageTests) goBack(t *testing.T, p tested, pages int) {
	ids := takeMany(t, p, g.cells(pages))
	quarter := g.cells(pages-1) / 4 // of what was used when it grew last

	drop(t, p, ids[quarter+1:]...)
	require.Equal(t, pages, p.plan().present(), "one more than a quarter is in use")
	drop(t, p, ids[quarter])
	require.Equal(t, (pages-1)/4, p.plan().present())
	g.requireSound(t, p)
	requireValid(t, p, ids[:quarter]...)
	requireStale(t, p, ids[quarter:]...)
}

func (g pageTests) firstPagesStay(t *testing.T, p tested) {
	ids := takeMany(t, p, g.cells(keepPages))
	require.Negative(t, p.plan().shrinkAt, "nothing to look for")
	ids = append(ids, p.Take())
	require.Positive(t, p.plan().shrinkAt)
	dropBackward(t, p, ids)
	require.Equal(t, keepPages, p.plan().present())
	g.requireSound(t, p)
}

// shrinksAreFew has a used cell in each page nearly until the end, so that looking
// for empty pages is in vain: what is seen must still be paid for.
func (g pageTests) shrinksAreFew(t *testing.T, p tested, pages int) {
	const stride = 997 // coprime
	n := g.cells(pages)
	ids := takeMany(t, p, n)
	shrinks, last := 0, p.plan().shrinkAt
	for i := range n {
		drop(t, p, ids[i*stride%n])
		if p.plan().shrinkAt != last {
			shrinks, last = shrinks+1, p.plan().shrinkAt
		}
	}
	require.Equal(t, keepPages, p.plan().present())
	require.InDelta(t, bits.Len(uint(n))/2-1, shrinks, 2, "each leaves a quarter")
	g.requireSound(t, p)
}

func (g pageTests) pageInUseStays(t *testing.T, p tested) {
	const pages = 16
	last := g.cells(1) - 1
	var kept []schedulers.ID
	for i, id := range takeMany(t, p, g.cells(pages)) {
		if i&last == i>>g.bits*last/(pages-1) { // one in each page, the first to the last
			kept = append(kept, id)
		} else {
			drop(t, p, id)
		}
	}
	require.Len(t, kept, pages)
	require.Equal(t, pages, p.plan().present())
	requireValid(t, p, kept...)
	g.requireSound(t, p)
}

func (g pageTests) higherGenerations(t *testing.T, p tested) {
	const pages = 12
	stale := takeMany(t, p, g.cells(pages))
	drop(t, p, stale...)
	// Of the cells in use again, some have had more users than the others.
	for range 3 {
		again := takeMany(t, p, g.cells(pages-1)+g.cells(1)/2)
		drop(t, p, again[len(again)-100:]...)
		again = append(again, takeMany(t, p, 50)...)
		drop(t, p, again[:len(again)-150]...)
		drop(t, p, again[len(again)-50:]...)
		stale = append(stale, again...)
		require.Equal(t, keepPages, p.plan().present())
		requireStale(t, p, stale...) // also where there is no page
		g.requireSound(t, p)
	}

	fresh := takeMany(t, p, g.cells(pages))
	require.Equal(t, pages, p.plan().count, "pages given back are used before new ones")
	g.requireSound(t, p)
	requireStale(t, p, stale...)
	requireValid(t, p, fresh...)
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

func (g pageTests) wornOutCell(t *testing.T, p tested) {
	drop(t, p, p.Take())
	last := wearOut(t, p, 0)
	requireValid(t, p, last)
	drop(t, p, last)

	requireStale(t, p, last)
	worn := schedulers.MakeID(last.Cell(), lastGen)
	require.False(t, p.Holds(worn))
	require.False(t, p.Drop(worn))
	g.requireSound(t, p)
	for range 3 {
		ids := takeMany(t, p, g.cells(9))
		requireNotReused(t, last.Cell(), ids...)
		drop(t, p, ids...) // and made free anew
		g.requireSound(t, p)
	}
}

// pageWithAWornOutCell is what keeps an ID from becoming valid again: a new copy of
// the page would begin behind the last generation.
func (g pageTests) pageWithAWornOutCell(t *testing.T, p tested) {
	const pages = 9
	ids := takeMany(t, p, g.cells(pages))
	drop(t, p, ids[len(ids)-1])
	last := wearOut(t, p, ids[len(ids)-1].Cell())
	drop(t, p, last)
	drop(t, p, ids[:len(ids)-1]...)

	require.False(t, p.gone(pages-1))
	require.Equal(t, keepPages, p.plan().present())
	g.requireSound(t, p)
	requireNotReused(t, last.Cell(), takeMany(t, p, g.cells(pages))...)
}

// generationBeforeTheLast gives back a page whose cells have one use left each.
func (g pageTests) generationBeforeTheLast(t *testing.T, p tested) {
	pages := keepPages + 1
	ids := takeMany(t, p, g.cells(pages))
	top := ids[len(ids)-1].Cell()
	*p.generation(top) = lastGen - 3
	drop(t, p, schedulers.MakeID(top, lastGen-3))
	dropBackward(t, p, ids[:len(ids)-1])
	require.True(t, p.gone(pages-1))

	ids = takeMany(t, p, g.cells(pages))
	for _, id := range ids[g.cells(keepPages):] {
		if id.Generation() != lastGen-1 {
			require.Fail(t, "not beyond what was", "%x", id)
		}
	}
	drop(t, p, ids...)
	require.False(t, p.gone(pages-1), "worn out as a whole")
	g.requireSound(t, p)
}

// wornOutPages has more pages that cannot be given back than are kept anyway.
func (g pageTests) wornOutPages(t *testing.T, p tested) {
	pages := 2 * keepPages
	ids := takeMany(t, p, g.cells(pages))
	for page := range pages {
		id := &ids[g.cells(page)]
		drop(t, p, *id)
		*id = wearOut(t, p, id.Cell())
	}
	drop(t, p, ids...)
	require.Equal(t, pages, p.plan().present())
	require.Negative(t, p.plan().shrinkAt, "there is nothing left to look for")

	// Nor when there are no free cells but those of a page just made.
	for cell := range g.cells(pages) {
		*p.generation(uint32(cell)) = lastGen
	}
	p.forgetFree()
	id := p.Take()
	require.Equal(t, pages+1, p.plan().present())
	require.Negative(t, p.plan().shrinkAt)
	drop(t, p, id)
	g.requireSound(t, p)
}
