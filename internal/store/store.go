// Package store keeps the cells that the schedulers of this module are made of,
// timers or blocks of them: cells named by index, a generation in each, pages of
// fixed size, one free list through all of them.
//
//	cells   [0] gen link   gen link ...   [1] gen link   gen link ...   [2] given back
//	vals    [0] val        val      ...   [1] val        val      ...   [2]
//
// Cells refer to each other by index, so with a pointer-free value the garbage
// collector has nothing to scan but the lists of pages. Growth adds a page and
// never copies a cell.
//
// Generations and links sit apart from the values, because cancelling a timer
// needs only the former: eight or twelve bytes, packed, are what stays in the
// cache at a million timers.
//
// The length of a page is a constant, and a page given back has a stand-in, so
// that a cell is found without a shift by a variable and without a test for
// missing pages.
//
// A table of IDs, which has no values, is beside it: see IDs. What the two share
// is when pages are made and given back.
package store

import "iter"

const (
	pageBits = 8
	pageLen  = 1 << pageBits
	pageMask = pageLen - 1

	// None is not the index of any cell: it ends lists.
	None = 1<<32 - 1

	// Max is the number of cells that a store can name: so many that even the
	// position of an entry in a block of sixteen fits in 32 bits.
	Max = 1 << 27
)

// Links is one or two indexes that belong to a cell.
type Links interface{ ~[1]uint32 | ~[2]uint32 }

// Cell is the part of a cell that is looked at most. Gen is odd while the cell
// is in use.
type Cell[L Links] struct {
	Gen  uint32
	Link L
}

// cellPage holds consecutive cells, without their values.
type cellPage[L Links] [pageLen]Cell[L]

// Store holds cells with links L and values V. Make one with New.
type Store[L Links, V any] struct {
	cells []*cellPage[L]
	vals  []*[pageLen]V // by the same pages
	free  uint32        // first free cell, or None; the rest by Link[0]
	pages

	// standIn is in the place of every page that was given back. All of its
	// generations are zero, so no cell is in use there, and nothing writes to it.
	// The first shrink makes it.
	standIn *cellPage[L]
}

// New returns an empty store.
func New[L Links, V any]() Store[L, V] {
	return Store[L, V]{pages: pages{most: Max >> pageBits, shrinkAt: -1}, free: None}
}

// Cell returns the links and generation of cell i, which must be in use. O(1).
func (s *Store[L, V]) Cell(i uint32) *Cell[L] {
	return &s.cells[i>>pageBits][i&pageMask]
}

// Val returns the value of cell i, which must be in use. O(1).
func (s *Store[L, V]) Val(i uint32) *V {
	return &s.vals[i>>pageBits][i&pageMask]
}

// Find returns cell i if it is in use at generation gen, and nil otherwise:
// also for indexes and generations that were never handed out. O(1).
func (s *Store[L, V]) Find(i, gen uint32) *Cell[L] {
	p := i >> pageBits
	if p >= uint32(len(s.cells)) {
		return nil
	}
	c := &s.cells[p][i&pageMask]
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
		s.shrinkPages()
	}
}

// All yields the cells in use.
func (s *Store[L, V]) All() iter.Seq2[uint32, *Cell[L]] {
	return func(yield func(uint32, *Cell[L]) bool) {
		for p := range s.cells {
			for i := range s.cells[p] {
				c := &s.cells[p][i]
				if c.Gen&1 == 1 && !yield(uint32(p<<pageBits|i), c) {
					return
				}
			}
		}
	}
}

// addPage makes a page present and returns its first cell, at the head of the
// free list, or None if there can be no more pages. No cell may be free. O(cells
// in a page).
func (s *Store[L, V]) addPage() (first uint32) {
	a, ok := s.next()
	if !ok {
		return None
	}
	if a.page == len(s.cells) {
		s.cells = append(s.cells, nil)
		s.vals = append(s.vals, nil)
	}
	pg := new(cellPage[L])
	for at := range pg {
		pg[at].Gen = a.gen
	}
	s.cells[a.page], s.vals[a.page] = pg, new([pageLen]V)
	s.freeCells(a.page)
	s.planShrink()
	return s.free
}

// shrinkPages gives pages back and strings the free list anew through the others.
func (s *Store[L, V]) shrinkPages() {
	if s.standIn == nil {
		s.standIn = new(cellPage[L])
	}
	s.free = None
	s.shrink(s)
}

func (s *Store[L, V]) gone(p int) bool { return s.cells[p] == s.standIn }

func (s *Store[L, V]) giveBack(p int) { s.cells[p], s.vals[p] = s.standIn, nil }

func (s *Store[L, V]) survey(p int) (found survey) {
	for at := range s.cells[p] {
		found.add(s.cells[p][at].Gen)
	}
	return found
}

func (s *Store[L, V]) freeCells(p int) {
	pg := s.cells[p]
	for at := pageLen - 1; at >= 0; at-- {
		if c := &pg[at]; c.Gen&1 == 0 && c.Gen != lastGen {
			c.Link[0] = s.free
			s.free = uint32(p<<pageBits | at)
		}
	}
}
