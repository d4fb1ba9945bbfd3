package catalog

import (
	"container/heap"
	"time"

	"schedbench/schedulers"
)

// pointerHeap is the textbook timer heap: container/heap over pointers to timers that know their index, as a careful user
// of the standard library would write it. A table of cells in place of that user's pointers makes IDs checkable.
type pointerHeap struct {
	queue timerHeap
	cells []cell
	free  []uint32
	clock time.Duration
}

type cell struct {
	timer      *timer
	generation uint32
}

type timer struct {
	deadline time.Duration
	value    uint64
	index    int
	cell     uint32
}

func (h *pointerHeap) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	if len(h.free) == 0 {
		h.free = append(h.free, uint32(len(h.cells)))
		h.cells = append(h.cells, cell{})
	}
	i := h.free[len(h.free)-1]
	h.free = h.free[:len(h.free)-1]
	t := &timer{deadline: max(deadline, h.clock), value: value, cell: i}
	h.cells[i].timer = t
	h.cells[i].generation++
	heap.Push(&h.queue, t)
	return schedulers.MakeID(i, h.cells[i].generation), nil
}

func (h *pointerHeap) Cancel(id schedulers.ID) bool {
	if int(id.Cell()) >= len(h.cells) {
		return false
	}
	c := &h.cells[id.Cell()]
	if c.timer == nil || c.generation != id.Generation() {
		return false
	}
	heap.Remove(&h.queue, c.timer.index)
	h.release(c.timer)
	return true
}

func (h *pointerHeap) release(t *timer) {
	h.cells[t.cell].timer = nil
	h.free = append(h.free, t.cell)
}

func (h *pointerHeap) Expire(now time.Duration, due []uint64) (n int) {
	if now = max(now, 0); now < h.clock {
		return 0
	}
	h.clock = now
	for n < len(due) && len(h.queue) > 0 && h.queue[0].deadline <= now {
		t := heap.Pop(&h.queue).(*timer)
		h.release(t)
		due[n] = t.value
		n++
	}
	return n
}

func (h *pointerHeap) Next() (wake time.Duration, ok bool) {
	if len(h.queue) == 0 {
		return 0, false
	}
	return h.queue[0].deadline, true
}

func (h *pointerHeap) Len() int { return len(h.queue) }

// timerHeap implements heap.Interface.
type timerHeap []*timer

func (q timerHeap) Len() int           { return len(q) }
func (q timerHeap) Less(i, j int) bool { return q[i].deadline < q[j].deadline }
func (q timerHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*q)
	*q = append(*q, t)
}

func (q *timerHeap) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return t
}
