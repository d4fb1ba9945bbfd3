package singlewheel

import (
	"time"

	"schedbench/internal/store"
)

const (
	next = 0 // link: the following value of the same slot, or store.None
	prev = 1 // link: the value before it, or isFirst with the slot

	// isFirst marks a prev link that names a slot instead of a value.
	isFirst = 1 << 31

	// late is the slot of values that are due but did not fit in the buffer. Only here the order counts.
	late = isFirst - 1
)

// link puts value i into the slot of its deadline.
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
		c.Link = [2]uint32{store.None, isFirst | late}
	} else {
		w.values.Cell(w.lateTail).Link[next] = i
		c.Link = [2]uint32{store.None, w.lateTail}
	}
	w.lateTail = i
}

// unlink takes value i out of its slot.
func (w *Wheel[T]) unlink(i uint32, c *store.Cell[[2]uint32]) {
	after, before := c.Link[next], c.Link[prev]
	if i == w.lateTail {
		w.lateTail = before
	}
	if before&isFirst != 0 {
		w.setFirst(before&^isFirst, after)
		return
	}
	w.values.Cell(before).Link[next] = after
	if after != store.None {
		w.values.Cell(after).Link[prev] = before
	}
}

// alone returns the slot of a value, and whether it has the slot, which is not late, for itself.
func alone(c *store.Cell[[2]uint32]) (slot uint32, ok bool) {
	slot = c.Link[prev] &^ isFirst
	return slot, c.Link == [2]uint32{store.None, isFirst | slot} && slot != late
}

// first returns the first value of a slot, or store.None.
func (w *Wheel[T]) first(slot uint32) uint32 {
	if slot == late {
		return w.lateHead
	}
	if !w.slots.has(slot) {
		return store.None
	}
	return *w.slots.head(slot)
}

// setFirst makes i, which may be store.None, the first value of a slot that has one.
func (w *Wheel[T]) setFirst(slot, i uint32) {
	if i != store.None {
		w.values.Cell(i).Link[prev] = isFirst | slot
	}
	switch {
	case slot == late:
		if w.lateHead = i; i == store.None {
			w.lateTail = store.None
		}
	case i == store.None:
		w.slots.clear(slot)
	default:
		*w.slots.head(slot) = i
	}
}

func (w *Wheel[T]) release(i uint32, c *store.Cell[[2]uint32]) {
	if w.clear {
		var zero T
		*w.values.Val(i) = zero
	}
	w.values.Free(i, c)
}

// drain hands out values of a slot until due is full or the slot empty.
func (w *Wheel[T]) drain(slot uint32, due []T) (n int) {
	i := w.first(slot)
	for n < len(due) && i != store.None {
		c := w.values.Cell(i)
		after := c.Link[next]
		due[n] = *w.values.Val(i)
		n++
		w.release(i, c)
		i = after
	}
	if n > 0 {
		w.setFirst(slot, i)
	}
	return n
}

// delay moves the values of an occupied slot to the end of late. O(values moved).
func (w *Wheel[T]) delay(slot uint32) {
	for i := w.first(slot); i != store.None; {
		c := w.values.Cell(i)
		after := c.Link[next]
		w.append(i, c)
		w.work.Visits++
		i = after
	}
	w.slots.clear(slot)
}
