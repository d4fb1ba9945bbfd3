package heapsched

import (
	"fmt"
	"iter"
	"reflect"
	"time"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

// Heap is a heap of sixteen children. Make one with New.
type Heap[T any] struct {
	values store.Store[[1]uint32, T] // link: place in the heap
	places places
	vacant uint32 // the cell of the vacant place, or store.None
	clock  time.Duration
	clear  bool // T has pointers, so values are erased when they leave
	work   schedulers.Work

	together together
	schedulers.Owned
}

// New returns an empty heap.
func New[T any]() *Heap[T] {
	return &Heap[T]{
		values: store.New[[1]uint32, T](),
		vacant: store.None,
		clear:  store.HasPointers(reflect.TypeFor[T]()),
	}
}

// Schedule keeps value until deadline. It fails only with schedulers.ErrFull.
// O(log n), and O(1) on average for deadlines in random order.
func (h *Heap[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	deadline = max(deadline, h.clock)
	if h.vacant != store.None {
		i := h.vacant
		if c, val := h.values.Both(i); h.values.Resume(c) {
			h.vacant = store.None
			*val = value
			gen := c.Gen
			h.fix(c.Link[0], entry{deadline, i})
			return schedulers.MakeID(i, gen), nil
		}
		h.fill()
	}
	i, c := h.values.Alloc()
	if c == nil {
		return 0, fmt.Errorf("heapsched: %w: %d", schedulers.ErrFull, h.Len())
	}
	*h.values.Val(i) = value
	gen := c.Gen
	h.up(h.places.grow(), entry{deadline, i})
	return schedulers.MakeID(i, gen), nil
}

// Cancel reports whether id was pending, and takes its value out. O(log n), and O(1) after a Schedule.
func (h *Heap[T]) Cancel(id schedulers.ID) bool {
	c := h.values.Find(id.Cell(), id.Generation())
	if c == nil {
		return false
	}
	if h.vacant != store.None {
		h.fill()
	}
	if h.values.Suspend(c) {
		h.vacant = id.Cell()
		return true
	}
	h.erase(id.Cell())
	place := c.Link[0]
	h.values.Free(id.Cell(), c)
	h.remove(place, id.Cell())
	return true
}

// fill takes the vacant place away. The caller has checked that there is one. O(log n).
func (h *Heap[T]) fill() {
	i := h.vacant
	h.vacant = store.None
	c := h.values.Cell(i)
	place := c.Link[0]
	h.erase(i)
	h.values.Release(i, c)
	h.remove(place, i)
}

// remove takes the place of cell i away, and puts the last entry there. O(log n).
func (h *Heap[T]) remove(place, i uint32) {
	if last := h.places.shrink(); last.cell != i {
		h.fix(place, last)
	}
}

// Reset moves the pending value of id to deadline. The error is always nil. O(log n).
func (h *Heap[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	c := h.values.Find(id.Cell(), id.Generation())
	if c == nil {
		return false, nil
	}
	h.fix(c.Link[0], entry{max(deadline, h.clock), id.Cell()})
	return true, nil
}

// erase lets the value of a cell go.
func (h *Heap[T]) erase(i uint32) {
	if h.clear {
		var zero T
		*h.values.Val(i) = zero
	}
}

// Next returns the first deadline. O(1).
func (h *Heap[T]) Next() (wake time.Duration, ok bool) {
	switch {
	case h.Len() == 0:
		return 0, false
	case h.vacant != store.None && h.vacant == h.places.cell(root):
		_, wake = h.places.family(children(root)).least()
		return wake, true
	}
	return h.places.deadline(root), true
}

// Peek returns the first deadline and a value that has it. O(1), and O(log n) after a Cancel of the first.
func (h *Heap[T]) Peek() (wake time.Duration, value T, ok bool) {
	if h.Len() == 0 {
		return 0, value, false
	}
	if h.vacant != store.None && h.vacant == h.places.cell(root) {
		h.fill()
	}
	return h.places.deadline(root), *h.values.Val(h.places.cell(root)), true
}

// Len returns the number of pending values. O(1).
func (h *Heap[T]) Len() int { return h.places.n - h.held() }

func (h *Heap[T]) held() int {
	if h.vacant == store.None {
		return 0
	}
	return 1
}

// All yields the pending values.
func (h *Heap[T]) All() iter.Seq2[schedulers.ID, T] {
	return func(yield func(schedulers.ID, T) bool) {
		for place := uint32(root); place < h.places.end(); place++ {
			i := h.places.cell(place)
			c, val := h.values.Both(i)
			if i != h.vacant && !yield(schedulers.MakeID(i, c.Gen), *val) {
				return
			}
		}
	}
}

// Work returns the work counters.
func (h *Heap[T]) Work() schedulers.Work {
	return h.work.Add(schedulers.Work{
		Upkeep: h.values.Upkeep() + h.places.upkeep,
		Held:   uint64(h.held()),
	})
}
