// Package pairing is an example of a scheduler: a pairing heap (Fredman, Sedgewick, Sleator and Tarjan 1986). The earliest
// deadline is the root of a tree, and each node has its children in a list.
//
//	schedule, cancel   O(1), O(log n) amortized
//	a value handed out O(log n) amortized
//
// It has no tick. Nodes are in pages: an ID names a place, and a page goes back when most are empty.
package pairing

import (
	"time"

	"schedbench/schedulers"
)

// Heap is a pairing heap. Make one with New.
type Heap[T any] struct {
	pages      []*page[T] // nil: given back
	open       []uint32   // pages with room, the last of which is filled first
	empty      int        // pages of which nothing is used
	root       uint32
	clock      time.Duration
	generation uint32 // of the last ID
	pending    int
}

// Nodes are named by their place plus 1, so that 0 is none.
type node[T any] struct {
	deadline    time.Duration
	value       T
	generation  uint32 // 0: free
	child, next uint32 // the first child, and the next one of the same parent; next free
	previous    uint32 // the one before it, or the parent of a first child
}

const pageSize = 128

type page[T any] struct {
	nodes [pageSize]node[T]
	free  uint32 // the first of a list
	used  int
}

// New returns an empty heap.
func New[T any]() *Heap[T] { return &Heap[T]{} }

// Schedule keeps value until deadline. It never fails.
func (h *Heap[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	if h.generation++; h.generation == 0 {
		h.generation = 1 // after four billion: an ID that was kept for so long may be given again
	}
	i := h.take()
	*h.at(i) = node[T]{deadline: max(deadline, 0), value: value, generation: h.generation}
	h.root = h.meld(h.root, i)
	h.pending++
	return schedulers.MakeID(i-1, h.generation), nil
}

// Cancel takes a node with its children out of the tree, and melds these with the rest.
func (h *Heap[T]) Cancel(id schedulers.ID) bool {
	i := id.Cell() + 1
	if int(id.Cell()/pageSize) >= len(h.pages) || h.pages[id.Cell()/pageSize] == nil ||
		id.Generation() == 0 || h.at(i).generation != id.Generation() {
		return false
	}
	h.remove(i)
	return true
}

// Expire hands out the root as long as it is due.
func (h *Heap[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < h.clock {
		return 0
	}
	h.clock = now
	for n < len(due) && h.root != 0 && h.at(h.root).deadline <= now {
		due[n] = h.at(h.root).value
		n++
		h.remove(h.root)
	}
	return n
}

// Next returns the deadline of the root.
func (h *Heap[T]) Next() (time.Duration, bool) {
	if h.root == 0 {
		return 0, false
	}
	return h.at(h.root).deadline, true
}

// Len returns the number of pending values.
func (h *Heap[T]) Len() int { return h.pending }

func (h *Heap[T]) at(i uint32) *node[T] { return &h.pages[(i-1)/pageSize].nodes[(i-1)%pageSize] }

// meld makes the later one of two roots the first child of the other.
func (h *Heap[T]) meld(a, b uint32) uint32 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	if h.at(b).deadline < h.at(a).deadline {
		a, b = b, a
	}
	parent, child := h.at(a), h.at(b)
	if child.next, child.previous = parent.child, a; parent.child != 0 {
		h.at(parent.child).previous = b
	}
	parent.child, parent.next, parent.previous = b, 0, 0
	return a
}

func (h *Heap[T]) remove(i uint32) {
	children := h.pair(h.at(i).child)
	if i == h.root {
		h.root = children
	} else {
		n := h.at(i)
		if before := h.at(n.previous); before.child == i {
			before.child = n.next
		} else {
			before.next = n.next
		}
		if n.next != 0 {
			h.at(n.next).previous = n.previous
		}
		h.root = h.meld(h.root, children)
	}
	h.pending--
	h.giveBack(i)
}

// pair melds the trees of a list: each two of them on the way there, and all on the way back.
func (h *Heap[T]) pair(first uint32) (root uint32) {
	var pairs uint32 // a list by next, the last one first
	for first != 0 {
		a, b, rest := first, h.at(first).next, uint32(0)
		if b != 0 {
			rest = h.at(b).next
		}
		a = h.meld(a, b)
		h.at(a).next = pairs
		pairs, first = a, rest
	}
	for pairs != 0 {
		rest := h.at(pairs).next
		h.at(pairs).next = 0
		root = h.meld(root, pairs)
		pairs = rest
	}
	if root != 0 {
		h.at(root).next, h.at(root).previous = 0, 0
	}
	return root
}
