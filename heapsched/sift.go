package heapsched

import "time"

const (
	// root is the place of the first entry. With it, the four children of place
	// i are 4*i-8 and the three after, so that they lie in one cache line.
	root = 3

	pageBits = 10
	pageLen  = 1 << pageBits
	pageMask = pageLen - 1
)

// entry is what the heap orders. The deadline is here and not in the cell, so
// that sifting reads nothing but entries.
type entry struct {
	deadline time.Duration
	cell     uint32
}

// page is a part of the heap's array, which thus grows without being copied.
type page [pageLen]entry

// at returns the entry at a place. O(1).
func (h *Heap[T]) at(place uint32) *entry {
	return &h.pages[place>>pageBits][place&pageMask]
}

// set puts e at a place and notes that in its cell.
func (h *Heap[T]) set(place uint32, e entry) {
	*h.at(place) = e
	h.values.Cell(e.cell).Link[0] = place
}

// grow adds a place at the end and returns it.
func (h *Heap[T]) grow() (place uint32) {
	place = root + uint32(h.n)
	if int(place>>pageBits) == len(h.pages) {
		h.pages = append(h.pages, new(page))
	}
	h.n++
	return place
}

// shrink takes the last entry away and returns it. It keeps a few pages more
// than needed, so that a population that swings a little allocates nothing.
func (h *Heap[T]) shrink() (last entry) {
	h.n--
	place := root + uint32(h.n)
	last = *h.at(place)
	if place&pageMask == 0 {
		needed := int(place >> pageBits)
		if keep := needed + needed/4 + 2; keep < len(h.pages) {
			clear(h.pages[keep:])
			h.pages = h.pages[:keep]
		}
	}
	return last
}

// fix puts e at a place whose entry has gone or changed.
func (h *Heap[T]) fix(place uint32, e entry) {
	if place > root && h.at(place/4+2).deadline > e.deadline {
		h.up(place, e)
	} else {
		h.down(place, e)
	}
}

// up moves e from a place towards the root until its parent is not later.
// O(log n).
func (h *Heap[T]) up(place uint32, e entry) {
	for place > root {
		parent := place/4 + 2
		p := *h.at(parent)
		h.work.Visits++
		if p.deadline <= e.deadline {
			break
		}
		h.set(place, p)
		h.work.Levels++
		h.work.Moves++
		place = parent
	}
	h.set(place, e)
}

// down moves e from a place towards the leaves until no child is earlier.
// O(log n).
func (h *Heap[T]) down(place uint32, e entry) {
	end := root + uint32(h.n)
	for {
		child := place*4 - 8
		if child >= end {
			break
		}
		i, least := h.leastOf(child, min(4, end-child))
		if least.deadline >= e.deadline {
			break
		}
		h.set(place, least)
		h.work.Levels++
		h.work.Moves++
		place = i
	}
	h.set(place, e)
}

// leastOf returns the earliest of n entries from a place on, which lie in one
// page, and its place.
func (h *Heap[T]) leastOf(place, n uint32) (uint32, entry) {
	group := h.pages[place>>pageBits][place&pageMask:][:n]
	h.work.Visits += uint64(n)
	best, least := uint32(0), group[0]
	for i := 1; i < len(group); i++ {
		if group[i].deadline < least.deadline {
			best, least = uint32(i), group[i]
		}
	}
	return place + best, least
}
