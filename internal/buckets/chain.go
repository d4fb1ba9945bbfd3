package buckets

import (
	"math"
	"math/bits"

	"schedbench/internal/store"
)

// A head is a reserved cell. Its generation and its tick mean:
//
//   - Gen: whether its chain is open, from when an entry comes to it until it is found to be empty. In the head of chain
//     0 it also says which chains of the bucket are open, chain x at bit x+1. It is even.
//   - Link[low] and Link[high]: the least tick, see Lower.
const open = 2

// never is the least tick of a chain of which nothing is known.
const never = math.MaxUint64

// cells is the cells while they are looked at.
type cells[T any] = store.View[[4]uint32, T]

// link puts cell at, which is c, into the chain of bucket i whose head is h.
func (b *Buckets[T]) link(v cells[T], at uint32, c *node, h, i uint32) {
	head := v.Cell(h)
	if head.Gen&open == 0 {
		head = b.begin(h, i)
	}
	after := head.Link[next]
	c.Link[next], c.Link[prev] = after, h
	head.Link[next] = at
	v.Cell(after).Link[prev] = at
}

// unlink takes c out of its chain.
func unlink[T any](v cells[T], c *node) {
	after, before := c.Link[next], c.Link[prev]
	v.Cell(after).Link[prev] = before
	v.Cell(before).Link[next] = after
}

// begin makes cell h the head of an empty chain of bucket i.
func (b *Buckets[T]) begin(h, i uint32) *node {
	first := b.cells.Reserve(i)
	head := first
	if h != i {
		head = b.cells.Reserve(h)
	}
	if first.Gen == 0 {
		b.occupied.Add(int(i))
		b.Opened = true
	}
	head.Gen |= open
	first.Gen |= open << (h / b.stride)
	head.Link[next], head.Link[prev] = h, h
	setTick(head, never)
	b.Work.Upkeep++
	return head
}

// chains returns the open chains of bucket i, chain x at bit x. O(1).
func (b *Buckets[T]) chains(i int) uint32 { return b.cells.Cell(uint32(i)).Gen / open }

// head returns the head of chain x of bucket i, and its number.
func (b *Buckets[T]) head(i, x int) (h uint32, head *node) {
	h = uint32(x)*b.stride + uint32(i)
	return h, b.cells.Cell(h)
}

// shut notes that chain x of bucket i is empty.
func (b *Buckets[T]) shut(i, x int) {
	_, head := b.head(i, x)
	head.Gen &^= open
	first := b.cells.Cell(uint32(i))
	if first.Gen &^= open << x; first.Gen == 0 {
		b.occupied.Remove(i)
	}
}

// MayHold returns the first bucket at or after i that may hold an entry, or -1: those before it hold none. O(1).
func (b *Buckets[T]) MayHold(i int) int { return b.occupied.From(i) }

// From returns the first bucket at or after i that holds an entry, or -1. O(chains) for it and for each bucket that has
// become empty since the last look.
func (b *Buckets[T]) From(i int) int { return b.Between(i, math.MaxInt) }

// Between is From for buckets before end.
func (b *Buckets[T]) Between(i, end int) int {
	for {
		if i = b.occupied.From(i); i < 0 || i >= end {
			return -1
		}
		if b.Holding(i) {
			return i
		}
	}
}

// Holding reports whether bucket i holds an entry. O(chains).
func (b *Buckets[T]) Holding(i int) bool {
	if c := b.cells.Cell(uint32(i)); c.Gen&open != 0 && c.Link[next] != uint32(i) {
		return true // chain 0 has entries
	}
	for open := b.chains(i); open != 0; open &= open - 1 {
		x := bits.TrailingZeros32(open)
		h, head := b.head(i, x)
		if head.Link[next] != h {
			return true
		}
		b.shut(i, x)
	}
	return false
}

// Lower notes, for Least and Walk, that the entry of cell at, in bucket i, has a tick. Other uses do not need it. O(1).
func (b *Buckets[T]) Lower(at, i uint32, tick uint64) {
	head := b.cells.Cell(at&b.chain*b.stride + i)
	setTick(head, min(tickOf(head), tick))
}

// Least returns a tick before which no entry of bucket i is due. O(chains).
func (b *Buckets[T]) Least(i int) (tick uint64) {
	tick = never
	for open := b.chains(i); open != 0; open &= open - 1 {
		_, head := b.head(i, bits.TrailingZeros32(open))
		tick = min(tick, tickOf(head))
	}
	return tick
}

func tickOf(c *node) uint64 { return uint64(c.Link[low]) | uint64(c.Link[high])<<32 }

func setTick(c *node, tick uint64) { c.Link[low], c.Link[high] = uint32(tick), uint32(tick>>32) }
