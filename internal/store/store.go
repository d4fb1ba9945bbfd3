// Package store keeps the cells that the schedulers of this module are made of,
// timers or blocks of them: pages of fixed size, cells named by index, a generation
// in each cell, one free list through all of them.
//
//	pages   [0]──────────────┐  [1]──────────────┐  [2] given back
//	        │ gen link │ val │  │ gen link │ val │
//	        │ ...      │ ... │  │ ...      │ ... │
//	        └──────────┴─────┘  └──────────┴─────┘
//
// Cells refer to each other by index, so with a pointer-free value the garbage
// collector has nothing to scan. Growth adds a page and never copies a cell.
// When three quarters of the cells have become free, pages without a used cell
// are given back.
//
// Generations and links sit apart from the values, because cancelling a timer
// needs only the former: eight or twelve bytes, packed, are what stays in the
// cache at a million timers.
package store

import "iter"

const (
	// None is not the index of any cell: it ends lists.
	None = 1<<32 - 1

	// Max is the number of cells that a store can name: so many that even the
	// position of an entry in a block of sixteen fits in 32 bits.
	Max = 1 << 27

	// lastGen is the last even generation. A cell that reaches it is never
	// used again, since the next generation would repeat an earlier one.
	lastGen = 1<<32 - 2

	// keepPages is how many pages are never given back.
	keepPages = 4
)

// Links is one or two indexes that belong to a cell.
type Links interface{ ~[1]uint32 | ~[2]uint32 }

// Cell is the part of a cell that is looked at most. Gen is odd while the cell
// is in use.
type Cell[L Links] struct {
	Gen  uint32
	Link L
}

// Store holds cells with links L and values V. Make one with New.
type Store[L Links, V any] struct {
	shift    uint8  // log2 of the cells in a page
	mask     uint32 // cells in a page, less one
	pages    []page[L, V]
	free     uint32   // first free cell, or None; the rest by Link[0]
	used     int      // cells in use
	shrinkAt int      // look for pages to give back when used falls to this
	absent   []uint32 // pages given back, to be used again before new ones
}

type page[L Links, V any] struct {
	cells []Cell[L]
	vals  []V
	gen   uint32 // of a page given back: no cell of it was beyond this
}

// New returns an empty store with 1<<shift cells in a page. Large pages are
// found faster, small ones waste less.
func New[L Links, V any](shift uint8) Store[L, V] {
	return Store[L, V]{shift: shift, mask: 1<<shift - 1, free: None, shrinkAt: -1}
}

// Used returns the number of cells in use.
func (s *Store[L, V]) Used() int { return s.used }

// Cell returns the links and generation of cell i, which must be in use. O(1).
func (s *Store[L, V]) Cell(i uint32) *Cell[L] {
	return &s.pages[i>>(s.shift&31)].cells[i&s.mask]
}

// Val returns the value of cell i, which must be in use. O(1).
func (s *Store[L, V]) Val(i uint32) *V {
	return &s.pages[i>>(s.shift&31)].vals[i&s.mask]
}

// Find returns cell i if it is in use at generation gen, and nil otherwise:
// also for indexes and generations that were never handed out. O(1).
func (s *Store[L, V]) Find(i, gen uint32) *Cell[L] {
	p := i >> (s.shift & 31)
	if p >= uint32(len(s.pages)) || s.pages[p].cells == nil {
		return nil
	}
	c := &s.pages[p].cells[i&s.mask]
	if c.Gen != gen || gen&1 == 0 {
		return nil
	}
	return c
}

// Alloc takes a cell into use and returns its index and the cell, whose
// generation is fresh and whose links are arbitrary. c is nil when the store
// cannot name another cell. O(1), but for the making of a page.
func (s *Store[L, V]) Alloc() (i uint32, c *Cell[L]) {
	i = s.free
	if i == None {
		if i = s.addPage(); i == None {
			return
		}
	}
	c = s.Cell(i)
	s.free = c.Link[0]
	c.Gen++
	s.used++
	return
}

// Free gives cell i, which is c, back; its generation moves on, so that Find
// refuses the old one. Amortised O(1).
func (s *Store[L, V]) Free(i uint32, c *Cell[L]) {
	c.Gen++
	s.used--
	if c.Gen != lastGen {
		c.Link[0] = s.free
		s.free = i
	}
	if s.used <= s.shrinkAt {
		s.shrink()
	}
}

// All yields the cells in use.
func (s *Store[L, V]) All() iter.Seq2[uint32, *Cell[L]] {
	return func(yield func(uint32, *Cell[L]) bool) {
		for p := range s.pages {
			for i := range s.pages[p].cells {
				c := &s.pages[p].cells[i]
				if c.Gen&1 == 1 && !yield(uint32(p<<s.shift|i), c) {
					return
				}
			}
		}
	}
}
