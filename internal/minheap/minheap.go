// Package minheap has a binary heap, for the readers of traces and the model of replays.
package minheap

// Heap is a binary heap of what comes first, by Less.
type Heap[T any] struct {
	Less  func(a, b *T) bool
	Items []T // the first one first, the others in no particular order
}

// Len returns how many items there are.
func (h *Heap[T]) Len() int { return len(h.Items) }

// First returns the item that comes first; there has to be one.
func (h *Heap[T]) First() *T { return &h.Items[0] }

// Push puts an item in: O(log n), and O(1) for one that comes after all others.
func (h *Heap[T]) Push(item T) {
	h.Items = append(h.Items, item)
	i := len(h.Items) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h.Less(&h.Items[i], &h.Items[parent]) {
			return
		}
		h.Items[i], h.Items[parent] = h.Items[parent], h.Items[i]
		i = parent
	}
}

// Pop takes the item out that comes first: O(log n).
func (h *Heap[T]) Pop() T {
	top, last := h.Items[0], len(h.Items)-1
	h.Items[0] = h.Items[last]
	h.Items = h.Items[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && h.Less(&h.Items[child+1], &h.Items[child]) {
			child++
		}
		if !h.Less(&h.Items[child], &h.Items[i]) {
			return top
		}
		h.Items[i], h.Items[child] = h.Items[child], h.Items[i]
		i = child
	}
}
