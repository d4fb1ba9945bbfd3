package libraries

import (
	"fmt"
	"math"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/nats-io/nats-server/v2/server/thw"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

// HashWheelName is the name of the contestant that HashWheel is.
const HashWheelName = "nats-thw"

// HashWheel is NATS's thw.HashWheel as a scheduler. The wheel finds due entries by a number and an instant, and needs
// both to remove one. The adapter keeps them with the values.
//
// The wheel lacks an Expire with an instant: ExpireTasks reads the wall clock, so the adapter calls what that calls.
// Timers that are due at once have no order. The instant of a removed timer stays the next one until something expires.
type HashWheel[T any] struct {
	wheel   *thw.HashWheel
	clock   time.Duration
	pending store.Store[[1]uint32, entry[T]]
	// due, from next on, have left the wheel, which hands out all due entries in one pass.
	due  []schedulers.ID
	next int
	out  int // of those how many are pending
	schedulers.Owned
}

type entry[T any] struct {
	value    T
	deadline time.Duration
	out      bool // of the wheel, into what is due
}

// NewHashWheel returns an empty wheel.
func NewHashWheel[T any]() *HashWheel[T] {
	return &HashWheel[T]{wheel: thw.NewHashWheel(), pending: store.New[[1]uint32, entry[T]]()}
}

//go:linkname expireTasks github.com/nats-io/nats-server/v2/server/thw.(*HashWheel).expireTasks
func expireTasks(wheel *thw.HashWheel, now int64, callback func(number uint64, expires int64) bool)

// Schedule implements schedulers.Scheduler, at the cost of a map's insertion. An instant before 0 has no slot, and counts as 0.
func (h *HashWheel[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	i, c := h.pending.Alloc()
	if c == nil {
		return 0, fmt.Errorf("thw: %w: %d", schedulers.ErrFull, h.pending.Used())
	}
	id := schedulers.MakeID(i, c.Gen)
	deadline = max(deadline, 0)
	if err := h.wheel.Add(uint64(id), int64(deadline)); err != nil {
		h.pending.Free(i, c)
		return 0, err
	}
	*h.pending.Val(i) = entry[T]{value: value, deadline: deadline}
	return id, nil
}

func (h *HashWheel[T]) find(id schedulers.ID) *entry[T] {
	if h.pending.Find(id.Cell(), id.Generation()) == nil {
		return nil
	}
	return h.pending.Val(id.Cell())
}

// end returns the value of the timer of an ID, which ends.
func (h *HashWheel[T]) end(id schedulers.ID) T {
	e := h.pending.Val(id.Cell())
	value := e.value
	if e.out {
		h.out--
	}
	*e = entry[T]{}
	h.pending.Free(id.Cell(), h.pending.Cell(id.Cell()))
	return value
}

// Cancel implements schedulers.Scheduler. It costs a map's deletion.
func (h *HashWheel[T]) Cancel(id schedulers.ID) bool {
	e := h.find(id)
	if e == nil || !e.out && h.wheel.Remove(uint64(id), int64(e.deadline)) != nil {
		return false
	}
	h.end(id)
	return true
}

// Reset implements schedulers.Resetter, by Update.
func (h *HashWheel[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	e := h.find(id)
	if e == nil {
		return false, nil
	}
	deadline = max(deadline, 0)
	var err error
	if e.out {
		err = h.wheel.Add(uint64(id), int64(deadline))
	} else {
		err = h.wheel.Update(uint64(id), int64(e.deadline), int64(deadline))
	}
	if err != nil {
		return true, err
	}
	if e.out {
		h.out--
	}
	e.deadline, e.out = deadline, false
	return true, nil
}

// Expire implements schedulers.Scheduler. It looks at all slots if a timer is due or was, and walks each slot with one once.
func (h *HashWheel[T]) Expire(now time.Duration, due []T) (n int) {
	now = max(now, 0)
	if now < h.clock {
		return 0
	}
	h.clock = now
	for n < len(due) {
		if h.next == len(h.due) && !h.sweep(now) {
			break
		}
		id := h.due[h.next]
		h.next++
		if e := h.find(id); e != nil && e.out { // neither cancelled nor moved since
			due[n] = h.end(id)
			n++
		}
	}
	return n
}

// sweep takes all due timers out of the wheel, and reports whether there were any.
func (h *HashWheel[T]) sweep(now time.Duration) bool {
	h.due, h.next = h.due[:0], 0
	expireTasks(h.wheel, int64(now), func(number uint64, _ int64) bool {
		h.due = append(h.due, schedulers.ID(number))
		h.pending.Val(schedulers.ID(number).Cell()).out = true
		return true
	})
	h.out += len(h.due)
	return len(h.due) > 0
}

// Next implements schedulers.Scheduler.
func (h *HashWheel[T]) Next() (wake time.Duration, ok bool) {
	if h.out > 0 {
		return h.clock, true
	}
	return time.Duration(h.wheel.GetNextExpiration(math.MaxInt64)), h.Len() > 0
}

// Len implements schedulers.Scheduler.
func (h *HashWheel[T]) Len() int { return int(h.wheel.Count()) + h.out }
