package heapsched

import (
	"fmt"
	"iter"
	"reflect"
	"time"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

// Heap is a 4-ary heap. Make one with New.
type Heap[T any] struct {
	values store.Store[[1]uint32, T] // link: place in the heap
	pages  []*page
	n      int
	clock  time.Duration
	clear  bool // T has pointers, so values are erased when they leave
	work   schedulers.Work
}

// New returns an empty heap.
func New[T any]() *Heap[T] {
	return &Heap[T]{
		values: store.New[[1]uint32, T](),
		clear:  store.HasPointers(reflect.TypeFor[T]()),
	}
}

// Schedule keeps value until deadline. It fails only with schedulers.ErrFull.
// O(log n), and O(1) on average for deadlines in random order.
func (h *Heap[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	i, c := h.values.Alloc()
	if c == nil {
		return 0, fmt.Errorf("heapsched: %w: %d", schedulers.ErrFull, h.Len())
	}
	*h.values.Val(i) = value
	gen := c.Gen
	h.up(h.grow(), entry{max(deadline, h.clock), i})
	return schedulers.MakeID(i, gen), nil
}

// Cancel reports whether id was pending, and takes its value out. O(log n).
func (h *Heap[T]) Cancel(id schedulers.ID) bool {
	c := h.values.Find(id.Cell(), id.Generation())
	if c == nil {
		return false
	}
	place := c.Link[0]
	h.release(id.Cell(), c)
	if last := h.shrink(); last.cell != id.Cell() {
		h.fix(place, last)
	}
	return true
}

// Reset moves the pending value of id to deadline. The error is always nil.
// O(log n).
func (h *Heap[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	c := h.values.Find(id.Cell(), id.Generation())
	if c == nil {
		return false, nil
	}
	h.fix(c.Link[0], entry{max(deadline, h.clock), id.Cell()})
	return true, nil
}

// release gives a cell back.
func (h *Heap[T]) release(i uint32, c *store.Cell[[1]uint32]) {
	if h.clear {
		var zero T
		*h.values.Val(i) = zero
	}
	h.values.Free(i, c)
}

// Expire moves the clock to now and hands out what is due, in the order of the
// deadlines. O(log n) for each value.
func (h *Heap[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < h.clock {
		return 0
	}
	h.clock = now
	for n < len(due) && h.n > 0 {
		top := *h.at(root)
		if top.deadline > now {
			break
		}
		due[n] = *h.values.Val(top.cell)
		n++
		h.release(top.cell, h.values.Cell(top.cell))
		if last := h.shrink(); last.cell != top.cell {
			h.down(root, last)
		}
	}
	return n
}

// Next returns the first deadline. O(1).
func (h *Heap[T]) Next() (wake time.Duration, ok bool) {
	if h.n == 0 {
		return 0, false
	}
	return h.at(root).deadline, true
}

// Holds reports whether id is pending. O(1).
func (h *Heap[T]) Holds(id schedulers.ID) bool {
	return h.values.Find(id.Cell(), id.Generation()) != nil
}

// Len returns the number of pending values. O(1).
func (h *Heap[T]) Len() int { return h.n }

// All yields the pending values.
func (h *Heap[T]) All() iter.Seq2[schedulers.ID, T] {
	return func(yield func(schedulers.ID, T) bool) {
		for place := uint32(root); place < root+uint32(h.n); place++ {
			i := h.at(place).cell
			if !yield(schedulers.MakeID(i, h.values.Cell(i).Gen), *h.values.Val(i)) {
				return
			}
		}
	}
}

// Work returns the work counters.
func (h *Heap[T]) Work() schedulers.Work {
	return h.work.Add(schedulers.Work{Upkeep: h.values.Upkeep()})
}
