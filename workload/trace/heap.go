package trace

// heap is a binary heap of what comes first, by less.
type heap[T any] struct {
	items []T
	less  func(a, b *T) bool
}

// len returns how many items there are.
func (h *heap[T]) len() int { return len(h.items) }

// first returns the item that comes first; there has to be one.
func (h *heap[T]) first() *T { return &h.items[0] }

// push puts an item in: O(log n), and O(1) for one that comes after all others.
func (h *heap[T]) push(item T) {
	h.items = append(h.items, item)
	i := len(h.items) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(&h.items[i], &h.items[parent]) {
			return
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

// pop takes the item out that comes first: O(log n).
func (h *heap[T]) pop() T {
	top, last := h.items[0], len(h.items)-1
	h.items[0] = h.items[last]
	h.items = h.items[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && h.less(&h.items[child+1], &h.items[child]) {
			child++
		}
		if !h.less(&h.items[child], &h.items[i]) {
			return top
		}
		h.items[i], h.items[child] = h.items[child], h.items[i]
		i = child
	}
}
