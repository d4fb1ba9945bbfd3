// Package idtable hands out the IDs of timers and tells the valid ones from the
// others. It keeps a generation of four bytes for each ID that can be valid at
// the same time, in pages, and a stack of the cells that are free:
//
//	pages   [0] gen gen gen ...   [1] gen gen gen ...   [2] given back
//	free    cell cell cell ...    the last one in is the first one out
//
// A generation is odd while its cell is in use, and moves on whenever an ID
// becomes valid or invalid. Nothing else is beside it, because the generation of
// a timer that is cancelled is a random access to memory: four bytes, packed,
// stay in the cache longest. Lists of free cells through the table would double
// it; the stack is only touched at its top.
//
// Growth adds a page and copies no generation. When three quarters of the used
// cells have become free, pages without a used cell are given back; one that is
// made anew begins behind the generations that it had. A population that is steady,
// or comes back to where it has been, allocates nothing.
package idtable

import "schedbench/schedulers"

const (
	pageBits = 12
	pageLen  = 1 << pageBits
	pageMask = pageLen - 1

	// maxPages is how many pages the cells of IDs can name.
	maxPages = 1 << (32 - pageBits)

	// lastGen is the last even generation. A cell that reaches it is never
	// used again, since the next generation would repeat an earlier one.
	lastGen = 1<<32 - 2

	// keepPages is how many pages are never given back.
	keepPages = 4
)

// page holds the generations of consecutive cells, or cells of the free stack.
type page [pageLen]uint32

// gone stands for every page that was given back. All of its generations are
// zero, so no ID is valid there, and nothing writes to it: many tables share it.
var gone = new(page)

// Table hands out IDs. Make one with New. Like a scheduler, it is for one
// goroutine at a time.
type Table struct {
	pages    []*page  // generations, by cell
	free     stack    // cells to be used again, all of them in present pages
	used     int      // cells in use
	most     int      // pages there may be
	shrinkAt int      // look for pages to give back when used falls to this
	absent   []absent // pages given back, to be used again before new ones
}

// absent is what is remembered of a page that was given back.
type absent struct {
	page uint32
	gen  uint32 // no cell of it was beyond this
}

// New returns an empty table that has room for limit IDs, rounded down to whole
// pages of 4096.
func New(limit int) Table {
	return Table{most: min(limit>>pageBits, maxPages), shrinkAt: -1}
}

// Used returns the number of valid IDs.
func (t *Table) Used() int { return t.used }

// Take makes an ID valid that has never been valid before, and returns it. It
// returns zero, which is no ID, when there is no room for another one. O(1), but
// for the making of a page.
func (t *Table) Take() schedulers.ID {
	if t.free.len == 0 && !t.addPage() {
		return 0
	}
	cell := t.free.pop()
	gen := &t.pages[cell>>pageBits][cell&pageMask]
	*gen++
	t.used++
	return schedulers.MakeID(cell, *gen)
}

// Drop makes id invalid for good, and reports whether it was valid: false also
// for an ID that was never handed out. Amortised O(1).
func (t *Table) Drop(id schedulers.ID) bool {
	cell := id.Cell()
	if cell>>pageBits >= uint32(len(t.pages)) {
		return false
	}
	gen := &t.pages[cell>>pageBits][cell&pageMask]
	if *gen != id.Generation() || *gen&1 == 0 {
		return false
	}
	*gen++
	t.used--
	if *gen != lastGen {
		t.free.push(cell)
	}
	if t.used <= t.shrinkAt {
		t.shrink()
	}
	return true
}

// Valid returns 1 if id is still valid, and 0 if not. It must be an ID that t
// handed out, not any number. O(1).
//
// The answer is a number so that callers can count with it instead of branching
// on it, which would be mispredicted often. And Valid is a generic function
// because the compiler inlines it wherever a scheduler is instantiated; a method
// of Table, which is not generic, it would call there unless that package imports
// this one. Take and Drop are too large to be inlined either way, and were slower
// as generic functions.
func Valid[ID ~uint64](t *Table, id ID) uint32 {
	gen := t.pages[uint32(id)>>pageBits][uint32(id)&pageMask]
	return uint32((uint64(gen^uint32(id>>32)) - 1) >> 63)
}
