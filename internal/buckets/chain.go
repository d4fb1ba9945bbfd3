package buckets

import "schedbench/internal/store"

// A head is a reserved cell. What the generation is in other cells tells whether it is
// in use: from when an entry comes to its chain until its bucket is found to be empty.
const (
	idle = 0
	open = 2
)

// view is the cells while they are looked at.
type view[T any] = store.View[[4]uint32, T]

// link puts cell at, which is c, into bucket i.
func (b *Buckets[T]) link(v view[T], at uint32, c *cell, i uint32) {
	h := at&b.chain*b.stride + i
	head := v.Cell(h)
	if head.Gen == idle {
		head = b.begin(h, i)
	}
	after := head.Link[next]
	c.Link[next], c.Link[prev] = after, h
	head.Link[next] = at
	v.Cell(after).Link[prev] = at
}

// unlink takes c out of its chain.
func unlink[T any](v view[T], c *cell) {
	after, before := c.Link[next], c.Link[prev]
	v.Cell(after).Link[prev] = before
	v.Cell(before).Link[next] = after
}

// begin makes cell h the head of an empty chain of bucket i.
func (b *Buckets[T]) begin(h, i uint32) *cell {
	head := b.cells.Reserve(h)
	head.Gen, head.Link[next], head.Link[prev] = open, h, h
	b.occupied.Add(int(i))
	b.Work.Upkeep++
	return head
}

// MayHold returns the first bucket at or after i that may hold an entry, or -1:
// those before it hold none. O(1).
func (b *Buckets[T]) MayHold(i int) int { return b.occupied.From(i) }

// From returns the first bucket at or after i that holds an entry, or -1. O(chains)
// for it and for each bucket that has become empty since it was looked at.
func (b *Buckets[T]) From(i int) int {
	for {
		if i = b.occupied.From(i); i < 0 || b.Holding(i) {
			return i
		}
	}
}

// Holding reports whether bucket i holds an entry. O(chains).
func (b *Buckets[T]) Holding(i int) bool {
	if !b.occupied.Has(i) {
		return false
	}
	for x := range b.chain + 1 {
		h := x*b.stride + uint32(i)
		head := b.cells.Cell(h)
		if head.Gen == idle {
			continue
		}
		if head.Link[next] != h {
			return true
		}
		head.Gen = idle
	}
	b.occupied.Remove(i)
	return false
}
