package catalog

import (
	"fmt"
	"iter"
	"reflect"
	"time"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

// onCancel says what a sequenceHeap does with a value that is cancelled.
type onCancel uint8

const (
	// leave takes the value and its entry out at once.
	leave onCancel = iota
	// stayUntilDue forgets the value, and takes its entry out when its deadline has come.
	stayUntilDue
	// stayUntilFirst keeps the value and its entry until it comes to be the first of the heap, due or not.
	stayUntilFirst
)

// sequenceHeap is the heap of the JDK's executors and timers and of Netty's schedule: binary, ordered by the deadline and
// then by a sequence number, so values of one deadline come out in the order of scheduling. Each cell knows the place of
// its entry. A cancelled value stays as long as onCancel says. That breaks two rules on purpose: entries are bounded by
// what was ever scheduled, and scheduling and cancelling in turns takes ever more memory until the deadlines come.
type sequenceHeap[T any] struct {
	values   store.Store[[1]uint32, T] // link: place of the entry
	heap     []sequenced
	cancel   onCancel
	sequence uint64
	held     int // entries of cancelled values
	clock    time.Duration
	clear    bool // T has pointers, so values are erased when they leave
	work     schedulers.Work
	schedulers.Owned
}

type sequenced struct {
	deadline  time.Duration
	sequence  uint64
	cell      uint32
	cancelled bool
}

func (a sequenced) before(b sequenced) bool {
	return a.deadline < b.deadline || a.deadline == b.deadline && a.sequence < b.sequence
}

func newSequenceHeap[T any](c onCancel) *sequenceHeap[T] {
	return &sequenceHeap[T]{values: store.New[[1]uint32, T](), cancel: c, clear: store.HasPointers(reflect.TypeFor[T]())}
}

// Schedule keeps value until deadline. O(log n).
func (h *sequenceHeap[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	i, c := h.values.Alloc()
	if c == nil {
		return 0, h.full()
	}
	*h.values.Val(i) = value
	h.push(h.entry(deadline, i))
	return schedulers.MakeID(i, c.Gen), nil
}

func (h *sequenceHeap[T]) full() error {
	return fmt.Errorf("%w: %d pending, %d held", schedulers.ErrFull, h.Len(), h.held)
}

func (h *sequenceHeap[T]) entry(deadline time.Duration, cell uint32) sequenced {
	h.sequence++
	return sequenced{deadline: max(deadline, h.clock), sequence: h.sequence, cell: cell}
}

func (h *sequenceHeap[T]) push(e sequenced) {
	h.heap = append(h.heap, e)
	h.up(len(h.heap)-1, e)
}

// Cancel reports whether id was pending. O(log n) if its entry leaves, or else O(1).
func (h *sequenceHeap[T]) Cancel(id schedulers.ID) bool {
	place, ok := h.find(id)
	if !ok {
		return false
	}
	if h.cancel == leave {
		h.remove(place)
		return true
	}
	h.heap[place].cancelled = true
	h.held++
	if h.cancel == stayUntilDue {
		h.forget(id.Cell())
	}
	return true
}

// Reset moves the pending value of id to deadline. Where the cancelled stay, its old entry does too. O(log n).
func (h *sequenceHeap[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	place, ok := h.find(id)
	if !ok {
		return false, nil
	}
	if h.cancel == leave {
		e := h.entry(deadline, id.Cell())
		h.up(h.down(place, e), e)
		return true, nil
	}
	i, c := h.values.Alloc()
	if c == nil {
		return true, h.full()
	}
	if h.cancel == stayUntilFirst {
		*h.values.Val(i) = *h.values.Val(id.Cell())
	}
	h.heap[place].cancelled = true
	h.held++
	old := h.heap[place]
	old.cell = i
	h.set(place, old)
	h.push(h.entry(deadline, id.Cell()))
	return true, nil
}

func (h *sequenceHeap[T]) find(id schedulers.ID) (place int, ok bool) {
	c := h.values.Find(id.Cell(), id.Generation())
	if c == nil || h.heap[c.Link[0]].cancelled {
		return 0, false
	}
	return int(c.Link[0]), true
}

// Expire moves the clock to now and hands out what is due, in the order of the deadlines and of Schedule. O(log n) for each
// value, and for each cancelled one before it. The cancelled ones behind the last value wait for the next call.
func (h *sequenceHeap[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < h.clock {
		return 0
	}
	h.clock = now
	for n < len(due) {
		if n > 0 && len(h.heap) > 0 && h.heap[0].deadline > now {
			break
		}
		if h.drop(); len(h.heap) == 0 || h.heap[0].deadline > now {
			break
		}
		due[n] = *h.values.Val(h.heap[0].cell)
		h.remove(0)
		n++
	}
	return n
}

// drop takes out the cancelled that have stayed long enough.
func (h *sequenceHeap[T]) drop() {
	for len(h.heap) > 0 && h.heap[0].cancelled && (h.cancel == stayUntilFirst || h.heap[0].deadline <= h.clock) {
		h.remove(0)
		h.held--
		h.work.Swept++
	}
}

// Next returns the first deadline, which may be that of a cancelled value that stays. Without pending values it returns
// none.
func (h *sequenceHeap[T]) Next() (wake time.Duration, ok bool) {
	if h.drop(); h.Len() == 0 {
		return 0, false
	}
	return h.heap[0].deadline, true
}

// Len returns the number of pending values. O(1).
func (h *sequenceHeap[T]) Len() int { return len(h.heap) - h.held }

// All yields the pending values.
func (h *sequenceHeap[T]) All() iter.Seq2[schedulers.ID, T] {
	return func(yield func(schedulers.ID, T) bool) {
		for _, e := range h.heap {
			id := schedulers.MakeID(e.cell, h.values.Cell(e.cell).Gen)
			if !e.cancelled && !yield(id, *h.values.Val(e.cell)) {
				return
			}
		}
	}
}

// Work returns the work counters.
func (h *sequenceHeap[T]) Work() schedulers.Work {
	w := h.work
	w.Held = uint64(h.held)
	return w
}

// remove takes the entry at a place out, with its value.
func (h *sequenceHeap[T]) remove(place int) {
	i := h.heap[place].cell
	h.forget(i)
	h.values.Free(i, h.values.Cell(i))
	last := h.heap[len(h.heap)-1]
	h.heap = h.heap[:len(h.heap)-1]
	if place < len(h.heap) {
		h.up(h.down(place, last), last)
	}
	if size := cap(h.heap); size > smallHeap && len(h.heap) < size/4 {
		h.heap = append(make([]sequenced, 0, size/2), h.heap...)
	}
}

// smallHeap is the room that is never given back.
const smallHeap = 1024

// forget erases the value of a cell, if it could keep other memory from being freed.
func (h *sequenceHeap[T]) forget(cell uint32) {
	if h.clear {
		var zero T
		*h.values.Val(cell) = zero
	}
}

func (h *sequenceHeap[T]) set(place int, e sequenced) {
	h.heap[place] = e
	h.values.Cell(e.cell).Link[0] = uint32(place)
}

// up moves e from a place towards the root until its parent comes before it.
func (h *sequenceHeap[T]) up(place int, e sequenced) {
	for place > 0 {
		parent := (place - 1) / 2
		h.work.Visits++
		if !e.before(h.heap[parent]) {
			break
		}
		h.set(place, h.heap[parent])
		h.work.Levels++
		h.work.Moves++
		place = parent
	}
	h.set(place, e)
}

// down moves the hole at a place towards the leaves until no child comes before e, and returns where it is then.
func (h *sequenceHeap[T]) down(place int, e sequenced) int {
	for {
		child := 2*place + 1
		if child >= len(h.heap) {
			return place
		}
		h.work.Visits++
		if child+1 < len(h.heap) && h.heap[child+1].before(h.heap[child]) {
			child++
		}
		if !h.heap[child].before(e) {
			return place
		}
		h.set(place, h.heap[child])
		h.work.Levels++
		h.work.Moves++
		place = child
	}
}
