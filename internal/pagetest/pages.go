// Package pagetest has the tests that what hands out cells in pages has to pass:
// the store of timers and the table of IDs. Both mark a cell in use by an odd
// generation, give pages back that have no used cell, and never hand the same
// generation of a cell out twice.
package pagetest

import (
	"iter"
	"slices"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// Pages is what is tested, and of its inside what the tests have to see. An ID is
// a cell and its generation.
type Pages interface {
	Take() schedulers.ID           // zero if there is no room
	Drop(id schedulers.ID) bool    // whether it was valid
	Valid(id schedulers.ID) bool   // of one that was handed out
	Holds(id schedulers.ID) bool   // of any
	Used() int                     // valid IDs
	Len() int                      // pages, those given back included
	Present() int                  // pages, without these
	Gone(page int) bool            // whether it was given back
	Gen(cell uint32) *uint32       // of a page that was given back too
	FreeCells() iter.Seq[uint32]   // cells, those to be handed out first
	ForgetFree()                   // as if no cell were free
	ShrinkAt() int                 // how many in use make it look for pages to give back
	RequireSound(require.TestingT) // checks what only this kind of pages has
}

// lastGen is the last even generation: that of a cell that is worn out.
const lastGen = 1<<32 - 2

// TakeMany takes n IDs.
func TakeMany(t require.TestingT, p Pages, n int) []schedulers.ID {
	ids := make([]schedulers.ID, n)
	for i := range ids {
		if ids[i] = p.Take(); ids[i] == 0 {
			require.Fail(t, "no room")
		}
	}
	return ids
}

// Drop drops IDs that must be valid.
func Drop(t require.TestingT, p Pages, ids ...schedulers.ID) {
	for _, id := range ids {
		if !p.Drop(id) {
			require.Fail(t, "lost a valid ID", "%x", id)
		}
	}
}

// DropBackward drops the highest cells first, so that those of the first pages
// are the last in use.
func DropBackward(t require.TestingT, p Pages, ids []schedulers.ID) {
	for _, id := range slices.Backward(ids) {
		Drop(t, p, id)
	}
}

// RequireValid checks that IDs are valid.
func RequireValid(t require.TestingT, p Pages, ids ...schedulers.ID) {
	for _, id := range ids {
		if !p.Valid(id) || !p.Holds(id) {
			require.Fail(t, "lost a valid ID", "%x", id)
		}
	}
}

// RequireStale checks that IDs that were handed out are not valid any more.
func RequireStale(t require.TestingT, p Pages, ids ...schedulers.ID) {
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

// RequireSound checks that each cell of a present page is in use, free, or worn
// out, and that the counts say so too.
func (g Geometry) RequireSound(t require.TestingT, p Pages) {
	free := make([]bool, p.Len()<<g.PageBits)
	for cell := range p.FreeCells() {
		if int(cell) >= len(free) || free[cell] {
			require.Fail(t, "free twice, or without a page", "cell %d", cell)
		}
		free[cell] = true
	}
	used, present := 0, 0
	for page := range p.Len() {
		here := !p.Gone(page)
		if here {
			present++
		}
		for at := range 1 << g.PageBits {
			cell := page<<g.PageBits | at
			gen := *p.Gen(uint32(cell))
			if unused := here && gen&1 == 0 && gen != lastGen; unused != free[cell] {
				require.Fail(t, "wrong about what is free", "cell %d at generation %d", cell, gen)
			}
			used += int(gen & 1)
		}
	}
	require.Equal(t, used, p.Used())
	require.Equal(t, present, p.Present())
	p.RequireSound(t)
}

// wearOut brings a free cell, which is the next to be handed out, to its last use,
// and returns its last ID.
func wearOut(t require.TestingT, p Pages, cell uint32) schedulers.ID {
	require.Zero(t, *p.Gen(cell)&1)
	*p.Gen(cell) = lastGen - 2
	last := p.Take()
	require.Equal(t, schedulers.MakeID(cell, lastGen-1), last)
	return last
}
