package heapsched

import "time"

func (h *Heap[T]) set(place uint32, e entry) {
	h.places.put(place, e)
	h.values.Cell(e.cell).Link[0] = place
}

// fix puts e at a place whose entry has gone or changed. O(log n).
func (h *Heap[T]) fix(place uint32, e entry) {
	if place > root && h.places.deadline(parent(place)) > e.deadline {
		h.up(place, e)
	} else {
		h.down(place, e)
	}
}

// up moves e from a place towards the root until its parent is not later. O(log n).
func (h *Heap[T]) up(place uint32, e entry) {
	for place > root {
		above := parent(place)
		deadline := h.places.deadline(above)
		h.work.Visits++
		if deadline <= e.deadline {
			break
		}
		h.set(place, entry{deadline, h.places.cell(above)})
		h.work.Levels++
		h.work.Moves++
		place = above
	}
	h.set(place, e)
}

// down moves e from a place towards the leaves until no child is earlier. O(log n).
func (h *Heap[T]) down(place uint32, e entry) {
	for {
		below := h.sink(place, e)
		if below == place {
			return
		}
		place = below
	}
}

// sink puts e at a vacant place and returns that. If a child is earlier, sink puts the earliest one there instead, and
// returns the place of the child, which is vacant then. O(1).
func (h *Heap[T]) sink(place uint32, e entry) uint32 {
	if first := children(place); first < h.places.end() {
		i, least := h.places.family(first).least()
		h.work.Visits += width
		if least < e.deadline {
			h.set(place, entry{least, h.places.cell(first + i)})
			h.work.Levels++
			h.work.Moves++
			return first + i
		}
	}
	h.set(place, e)
	return place
}

// least returns the earliest and which it is, the first of equal ones. It is a
// tournament, without a branch: which of two is the earlier cannot be predicted.
func (f *family) least() (uint32, time.Duration) {
	i, a := leastOf((*[width / 2]time.Duration)(f[:width/2]))
	j, b := leastOf((*[width / 2]time.Duration)(f[width/2:]))
	if b < a {
		i, a = j+width/2, b
	}
	return i, a
}

// leastOf returns the earliest of half a family and which it is, the first of equal ones.
func leastOf(f *[width / 2]time.Duration) (uint32, time.Duration) {
	a, i := f[0], uint32(0)
	if f[1] < a {
		a, i = f[1], 1
	}
	b, j := f[2], uint32(2)
	if f[3] < b {
		b, j = f[3], 3
	}
	c, k := f[4], uint32(4)
	if f[5] < c {
		c, k = f[5], 5
	}
	d, l := f[6], uint32(6)
	if f[7] < d {
		d, l = f[7], 7
	}
	if b < a {
		a, i = b, j
	}
	if d < c {
		c, k = d, l
	}
	if c < a {
		a, i = c, k
	}
	return i, a
}
