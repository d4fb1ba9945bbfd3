package singlewheel

import (
	"time"

	"schedbench/internal/store"
)

// link puts value i into a slot: at the front, or at the end of late, where
// order counts.
func (w *Wheel[T]) link(deadline time.Duration, i uint32, c *store.Cell[[2]uint32]) {
	if deadline <= w.clock {
		w.append(i, c)
		return
	}
	slot, after := w.slots.push(deadline, i)
	c.Link = [2]uint32{after, isFirst | slot}
	if after != store.None {
		w.values.Cell(after).Link[prev] = i
	}
}

// append puts value i at the end of late.
func (w *Wheel[T]) append(i uint32, c *store.Cell[[2]uint32]) {
	if w.lateTail == store.None {
		w.lateHead = i
		c.Link[prev] = isFirst | uint32(w.size)
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
	w.setFirst(uint64(before&^isFirst), after)
}

// first returns the first value of a slot, or store.None.
func (w *Wheel[T]) first(slot uint64) uint32 {
	if slot == w.size {
		return w.lateHead
	}
	if !w.slots.has(slot) {
		return store.None
	}
	return *w.slots.head(slot)
}

// setFirst makes i, which may be store.None, the first value of a slot that
// has one.
func (w *Wheel[T]) setFirst(slot uint64, i uint32) {
	switch {
	case slot == w.size:
		w.lateHead = i
	case i == store.None:
		w.slots.clear(slot)
	default:
		*w.slots.head(slot) = i
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
	for i := w.first(slot); i != store.None; i = w.first(slot) {
		c := w.values.Cell(i)
		w.unlink(i, c)
		w.append(i, c)
		w.work.Visits++
	}
}
