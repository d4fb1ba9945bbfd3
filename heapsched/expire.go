package heapsched

import (
	"cmp"
	"slices"
	"time"

	"schedbench/internal/store"
)

// mostTogether is the largest number of values that one Expire takes out together.
const mostTogether = 64

// together is what is due at once: a part of the heap with the root. The places ascend, since
// they were found level by level.
type together struct {
	n      int
	places [mostTogether]uint32
	due    [mostTogether]entry // by deadline; later, what comes to the places
	levels []int               // where each level begins among the places
}

// Expire moves the clock to now and hands out what is due, in the order of the deadlines. O(log n) for each value.
func (h *Heap[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < h.clock {
		return 0
	}
	h.clock = now
	if !h.due() {
		return 0
	}
	if h.vacant != store.None {
		h.fill()
	}
	if h.due() && h.find(min(len(due), mostTogether)) {
		n = h.takeTogether(due)
	}
	for n < len(due) && h.due() {
		i := h.places.cell(root)
		due[n] = *h.values.Val(i)
		n++
		h.erase(i)
		h.values.Free(i, h.values.Cell(i))
		h.remove(root, i)
	}
	return n
}

func (h *Heap[T]) due() bool { return h.places.n > 0 && h.places.deadline(root) <= h.clock }

// find looks for what is due, and reports whether that is at most most values. O(due).
func (h *Heap[T]) find(most int) bool {
	if most == 0 {
		return false
	}
	t, end := &h.together, h.places.end()
	t.n, t.places[0], t.due[0], t.levels = 1, root, h.places.entry(root), append(t.levels[:0], 0)
	for at, level := 0, 1; at < t.n; at++ {
		if at == level {
			t.levels, level = append(t.levels, at), t.n
		}
		first := children(t.places[at])
		if first >= end {
			continue
		}
		h.work.Visits += width
		for i, deadline := range h.places.family(first) {
			place := first + uint32(i)
			if deadline > h.clock || place >= end {
				continue
			}
			if t.n == most {
				return false
			}
			t.places[t.n], t.due[t.n] = place, h.places.entry(place)
			t.n++
		}
	}
	return true
}

// takeTogether hands out what find has found. The entries that replace it sink from the lowest level up, and those of a
// level at once: no place of a level is below another, so their cache misses are waited for together.
func (h *Heap[T]) takeTogether(due []T) (n int) {
	t := &h.together
	slices.SortFunc(t.due[:t.n], func(a, b entry) int { return cmp.Compare(a.deadline, b.deadline) })
	for n, e := range t.due[:t.n] {
		due[n] = *h.values.Val(e.cell)
	}
	for _, e := range t.due[:t.n] {
		h.erase(e.cell)
		h.values.Free(e.cell, h.values.Cell(e.cell))
	}
	if last := h.places.end() - uint32(t.n); last <= t.places[t.n-1] { // some are at the end
		for at := t.n - 1; at >= 0; at-- {
			if last := h.places.shrink(); h.places.end() != t.places[at] {
				h.down(t.places[at], last)
			}
		}
		return t.n
	}
	for at := range t.n {
		t.due[at] = h.places.shrink()
	}
	to := t.n
	for _, from := range slices.Backward(t.levels) {
		h.sinkTogether(t.places[from:to], t.due[from:to])
		to = from
	}
	return t.n
}

// sinkTogether is down for places of one level.
func (h *Heap[T]) sinkTogether(places []uint32, entries []entry) {
	for len(places) > 0 {
		for at := 0; at < len(places); {
			place := h.sink(places[at], entries[at])
			if place != places[at] {
				places[at] = place
				at++
				continue
			}
			last := len(places) - 1
			places[at], entries[at] = places[last], entries[last]
			places, entries = places[:last], entries[:last]
		}
	}
}
