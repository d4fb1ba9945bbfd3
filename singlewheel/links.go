package singlewheel

import (
	"schedbench/internal/store"
)

// link puts value i into a slot: at the front, or at the end of late, where
// order counts.
func (w *Wheel[T]) link(slot uint64, i uint32, c *store.Cell[[2]uint32]) {
	if slot == w.slots {
		w.append(i, c)
		return
	}
	head := w.heads[slot]
	w.heads[slot] = i + 1
	c.Link = [2]uint32{head - 1, isFirst | uint32(slot)} // 0 - 1 is store.None
	if head == 0 {
		w.occupied.Add(int(slot))
	} else {
		w.values.Cell(head - 1).Link[prev] = i
	}
}

// append puts value i at the end of late.
func (w *Wheel[T]) append(i uint32, c *store.Cell[[2]uint32]) {
	if w.lateTail == store.None {
		w.heads[w.slots] = i + 1
		c.Link[prev] = isFirst | uint32(w.slots)
	} else {
		w.values.Cell(w.lateTail).Link[next] = i
		c.Link[prev] = w.lateTail
	}
	c.Link[next] = store.None
	w.lateTail = i
}

// unlink takes value i out of its slot.
func (w *Wheel[T]) unlink(i uint32, c *store.Cell[[2]uint32]) {
	after, before := c.Link[next], c.Link[prev]
	if i == w.lateTail {
		if w.lateTail = before; before&isFirst != 0 {
			w.lateTail = store.None
		}
	}
	if after != store.None {
		w.values.Cell(after).Link[prev] = before
	}
	if before&isFirst == 0 {
		w.values.Cell(before).Link[next] = after
		return
	}
	slot := before &^ isFirst
	w.heads[slot] = after + 1 // None + 1 is 0
	if after == store.None && uint64(slot) < w.slots {
		w.occupied.Remove(int(slot))
	}
}

// release gives the cell of value i, which is c, back.
func (w *Wheel[T]) release(i uint32, c *store.Cell[[2]uint32]) {
	if w.clear {
		var zero T
		*w.values.Val(i) = zero
	}
	w.values.Free(i, c)
}

// delay moves the values of a slot to the end of late. O(values moved).
func (w *Wheel[T]) delay(slot uint64) {
	for w.heads[slot] != 0 {
		i := w.heads[slot] - 1
		c := w.values.Cell(i)
		w.unlink(i, c)
		w.append(i, c)
		w.work.Visits++
	}
}
