package store

import (
	"iter"
	"slices"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// tested is what the tests of pages are run on: a store or a table of IDs, and of
// its inside what they have to see. An ID is a cell and its generation.
type tested interface {
	Take() schedulers.ID         // zero if there is no room
	Drop(id schedulers.ID) bool  // whether it was valid
	Valid(id schedulers.ID) bool // of one that was handed out
	Holds(id schedulers.ID) bool // of any
	plan() *pages
	gone(page int) bool
	generation(cell uint32) *uint32 // of a page that was given back too
	freeList() iter.Seq[uint32]     // those to be handed out first come first
	forgetFree()                    // as if no cell were free
	requireSound(require.TestingT)  // checks what only this kind has
}

// takeMany takes n IDs.
func takeMany(t require.TestingT, p tested, n int) []schedulers.ID {
	ids := make([]schedulers.ID, n)
	for i := range ids {
		if ids[i] = p.Take(); ids[i] == 0 {
			require.Fail(t, "no room")
		}
	}
	return ids
}

// drop drops IDs that must be valid.
func drop(t require.TestingT, p tested, ids ...schedulers.ID) {
	for _, id := range ids {
		if !p.Drop(id) {
			require.Fail(t, "lost a valid ID", "%x", id)
		}
	}
}

// dropBackward drops the highest cells first, so that those of the first pages
// are the last in use.
func dropBackward(t require.TestingT, p tested, ids []schedulers.ID) {
	for _, id := range slices.Backward(ids) {
		drop(t, p, id)
	}
}

// requireValid checks that IDs are valid.
func requireValid(t require.TestingT, p tested, ids ...schedulers.ID) {
	for _, id := range ids {
		if !p.Valid(id) || !p.Holds(id) {
			require.Fail(t, "lost a valid ID", "%x", id)
		}
	}
}

// requireStale checks that IDs that were handed out are not valid any more.
func requireStale(t require.TestingT, p tested, ids ...schedulers.ID) {
	for _, id := range ids {
		if p.Valid(id) || p.Holds(id) || p.Drop(id) {
			require.Fail(t, "a stale ID is valid", "%x", id)
		}
	}
}

// requireNotReused checks that no ID is of a cell.
func requireNotReused(t require.TestingT, cell uint32, ids ...schedulers.ID) {
	for _, id := range ids {
		if id.Cell() == cell {
			require.Fail(t, "used again", "%x", id)
		}
	}
}

// requireSound checks that each cell of a present page is in use, free, or worn
// out, and that the counts say so too.
func (g pageTests) requireSound(t require.TestingT, p tested) {
	free := make([]bool, p.plan().count<<g.bits)
	for cell := range p.freeList() {
		if int(cell) >= len(free) || free[cell] {
			require.Fail(t, "free twice, or without a page", "cell %d", cell)
		}
		free[cell] = true
	}
	used, present := 0, 0
	for page := range p.plan().count {
		here := !p.gone(page)
		if here {
			present++
		}
		for at := range 1 << g.bits {
			cell := page<<g.bits | at
			gen := *p.generation(uint32(cell))
			if unused := here && gen&1 == 0 && gen != lastGen; unused != free[cell] {
				require.Fail(t, "wrong about what is free", "cell %d at generation %d", cell, gen)
			}
			used += int(gen & 1)
		}
	}
	require.Equal(t, used, p.plan().used)
	require.Equal(t, present, p.plan().present())
	p.requireSound(t)
}

// wearOut brings a free cell, which is the next to be handed out, to its last use,
// and returns its last ID.
func wearOut(t require.TestingT, p tested, cell uint32) schedulers.ID {
	require.Zero(t, *p.generation(cell)&1)
	*p.generation(cell) = lastGen - 2
	last := p.Take()
	require.Equal(t, schedulers.MakeID(cell, lastGen-1), last)
	return last
}
