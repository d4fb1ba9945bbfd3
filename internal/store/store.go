// Package store keeps the cells of this module's schedulers: cells named by index, with a generation in each, in pages
// of fixed size.
//
//	page    gen link   gen link   gen link   ...     512 cells, and behind them
//	        value      value      value      ...     their values
//
// Cells refer to each other by index, so with a pointer-free value the garbage collector has nothing to scan but the
// list of pages. Growth adds a page and never copies a cell. Cells sit apart from their values, because cancelling a timer
// needs only the cells: packed, they stay in the cache longest.
//
// # What a call does at most
//
// Beyond its own cell a call of Alloc or Free makes at most one page, links 32 cells of it, and copies four entries of
// lists. Or it sorts sixteen free cells, and gives back as many pages. That is never more than MaxUpkeep steps, however
// many cells there are; Upkeep counts them. It does not count what the allocator does for a page, of some 14 KB with a
// value of eight bytes, and for lists of pages each time that their number has doubled.
//
// # What stays after a burst
//
// Pages go back once an eighth of the cells in use, and a few pages, are free. That is the case at the latest when the
// pending values have been replaced once, since new ones come into the lowest pages. What stays is a sixteenth, a few
// pages, and in lists at most 120 bytes for each page that there ever was.
package store

import (
	"iter"

	"schedbench/internal/bitset"
	"schedbench/internal/table"
)

const (
	pageBits = 9
	pageMask = PageLen - 1

	// PageLen is the number of cells in a page.
	PageLen = 1 << pageBits

	// None is not the index of any cell: it ends lists.
	None = 1<<32 - 1

	// Max is the number of cells that a store can have in use.
	Max = 1 << 27

	// lastGen is the last even generation. A cell that reaches it is never used again: the next would repeat an earlier one.
	lastGen = 1<<32 - 2
)

// Links are the links of a cell. The first one is the store's while the cell is free.
type Links interface {
	~[1]uint32 | ~[2]uint32 | ~[4]uint32
}

// Cell is the part of a cell that is looked at most. Gen is odd while the cell is in use.
type Cell[L Links] struct {
	Gen  uint32
	Link L
}

// cellPage holds consecutive cells and their values.
type cellPage[L Links, V any] struct {
	cells [PageLen]Cell[L]
	vals  [PageLen]V
}

// Store holds cells with links L and values V. Make one with New.
type Store[L Links, V any] struct {
	pages  table.Table[*cellPage[L, V]] // nil for a page that was given back
	free   uint32                       // the cell to be taken next, or None; the rest by Link[0]
	used   int                          // cells in use
	low    int                          // free cells are sorted while fewer cells are in use
	supply supply
}

// New returns an empty store.
func New[L Links, V any]() Store[L, V] { return NewReserved[L, V](0) }

// NewReserved returns an empty store. Its first reserved pages, with the lowest indexes, are the caller's. At first
// they are all one page, which stays the last of them. Reserve puts a new page in place of each other. Until then the
// generations of the cells of the last page must be zero.
func NewReserved[L Links, V any](reserved int) Store[L, V] {
	s := Store[L, V]{pages: table.New[*cellPage[L, V]](reserved), free: None, supply: supply{
		lists: table.New[pageList](0), reserved: reserved, absent: None, aside: None,
		offering: bitset.New(firstOffers), offers: firstOffers,
	}}
	if reserved > 0 {
		standIn := new(cellPage[L, V])
		for p := range reserved {
			s.pages.Set(p, standIn)
		}
	}
	return s
}

// Used returns the number of cells in use. O(1).
func (s *Store[L, V]) Used() int { return s.used }

// Upkeep returns how many steps were done for others than the cell that was taken or given back.
func (s *Store[L, V]) Upkeep() uint64 { return s.supply.upkeep }

// Reserve makes the reserved page of cell i, unless it exists, and returns the cell. Before that, the generation of each
// cell of the page is zero, its links are arbitrary, and nothing may be written to it. Reserved cells are neither taken
// nor given back. All does not yield them. Find does not find them as long as their generations are even.
func (s *Store[L, V]) Reserve(i uint32) *Cell[L] {
	p, standIn := int(i>>pageBits), s.supply.reserved-1
	if p != standIn && s.pages.Now[p] == s.pages.Now[standIn] {
		s.pages.Set(p, new(cellPage[L, V]))
	}
	return s.Cell(i)
}

// View is the cells as they are until the next Refill. A caller that looks at several cells keeps a View in a variable,
// which is in registers. What a Store holds would be read again after each write.
type View[L Links, V any] struct {
	pages []*cellPage[L, V]
}

// View returns the cells as they are. O(1).
func (s *Store[L, V]) View() View[L, V] { return View[L, V]{s.pages.Now} }

// Cell returns the links and generation of cell i, which must be in use or reserved. O(1).
func (v View[L, V]) Cell(i uint32) *Cell[L] { return &v.pages[i>>pageBits].cells[i&pageMask] }

// Both returns cell i, which must be in use or the next to be taken, and its value. O(1).
func (v View[L, V]) Both(i uint32) (*Cell[L], *V) {
	p := v.pages[i>>pageBits]
	return &p.cells[i&pageMask], &p.vals[i&pageMask]
}

// Find returns cell i if it is in use at generation gen, and else nil, also for arguments never handed out. O(1).
func (v View[L, V]) Find(i, gen uint32) *Cell[L] {
	if i>>pageBits >= uint32(len(v.pages)) {
		return nil
	}
	p := v.pages[i>>pageBits]
	if p == nil {
		return nil
	}
	c := &p.cells[i&pageMask]
	if c.Gen != gen || gen&1 == 0 {
		return nil
	}
	return c
}

// Cell is that of a View.
func (s *Store[L, V]) Cell(i uint32) *Cell[L] { return s.View().Cell(i) }

// Val returns the value of cell i, which must be in use. O(1).
func (s *Store[L, V]) Val(i uint32) *V { return &s.pages.Now[i>>pageBits].vals[i&pageMask] }

// Both is that of a View.
func (s *Store[L, V]) Both(i uint32) (*Cell[L], *V) { return s.View().Both(i) }

// Find is that of a View.
func (s *Store[L, V]) Find(i, gen uint32) *Cell[L] { return s.View().Find(i, gen) }

// Alloc takes a cell into use and returns its index and the cell, with a fresh generation and arbitrary links. c is nil
// when the store has no other cell. O(1).
func (s *Store[L, V]) Alloc() (i uint32, c *Cell[L]) {
	if i = s.First(); i == None {
		if i = s.Refill(); i == None {
			return
		}
	}
	c = s.Cell(i)
	s.Begin(c)
	return
}

// Free gives cell i, which is c, back; its generation moves on, and Find refuses the old one. O(1).
func (s *Store[L, V]) Free(i uint32, c *Cell[L]) {
	if s.End(i, c) {
		s.Settle(i, c)
	}
}

// The parts of Alloc and Free that follow are short enough to be compiled into callers for which a call is too much.

// First returns the cell to be taken next, or None. After None, Refill may make one, and returns it.
func (s *Store[L, V]) First() uint32 { return s.free }

// Begin takes c, which is First, into use.
func (s *Store[L, V]) Begin(c *Cell[L]) {
	s.free = c.Link[0]
	c.Gen++
	s.used++
}

// End gives cell i, which is c, back. If it returns true, Settle has to follow.
func (s *Store[L, V]) End(i uint32, c *Cell[L]) bool {
	c.Gen++
	c.Link[0] = s.free
	s.free = i
	s.used--
	return s.used < s.low || c.Gen == lastGen
}

// All yields the cells in use.
func (s *Store[L, V]) All() iter.Seq2[uint32, *Cell[L]] {
	return func(yield func(uint32, *Cell[L]) bool) {
		for p := s.supply.reserved; p < len(s.pages.Now); p++ {
			pg := s.pages.Now[p]
			if pg == nil {
				continue
			}
			for at := range pg.cells {
				c := &pg.cells[at]
				if c.Gen&1 == 1 && !yield(uint32(p<<pageBits|at), c) {
					return
				}
			}
		}
	}
}
