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
	place := w.places[slot>>groupBits]
	if place == 0 {
		place = w.addGroup(slot >> groupBits)
	}
	g := w.groups.Val(place - 1)
	head := g[slot&groupMask]
	g[slot&groupMask] = i + 1
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
		w.lateHead = i + 1
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
	w.setFirst(uint64(before&^isFirst), after)
}

// first returns the first value of a slot, or store.None.
func (w *Wheel[T]) first(slot uint64) uint32 {
	if slot == w.slots {
		return w.lateHead - 1 // 0 - 1 is store.None
	}
	place := w.places[slot>>groupBits]
	if place == 0 {
		return store.None
	}
	return w.groups.Val(place - 1)[slot&groupMask] - 1
}

// setFirst makes i, which may be store.None, the first value of a slot that
// has one.
func (w *Wheel[T]) setFirst(slot uint64, i uint32) {
	if slot == w.slots {
		w.lateHead = i + 1 // None + 1 is 0
		return
	}
	place := w.places[slot>>groupBits]
	w.groups.Val(place - 1)[slot&groupMask] = i + 1
	if i != store.None {
		return
	}
	w.occupied.Remove(int(slot))
	if w.occupied.EmptyWord(int(slot >> groupBits)) {
		w.groups.Free(place-1, w.groups.Cell(place-1))
		w.places[slot>>groupBits] = 0
	}
}

const (
	groupBits = 6 // as many slots as a word of the set of occupied ones
	groupLen  = 1 << groupBits
	groupMask = groupLen - 1
)

// group holds the heads of neighbouring slots. All are 0 in one that is free.
type group [groupLen]uint32

// addGroup makes room for a group of slots and returns its cell + 1. There are
// fewer groups than cells can be named, so it does not fail.
func (w *Wheel[T]) addGroup(i uint64) (place uint32) {
	cell, _ := w.groups.Alloc()
	w.places[i] = cell + 1
	return cell + 1
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
