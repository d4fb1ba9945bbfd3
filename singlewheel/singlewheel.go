package singlewheel

import (
	"fmt"
	"iter"
	"reflect"
	"time"

	"schedbench/internal/store"
	"schedbench/internal/ticks"
	"schedbench/schedulers"
)

// Wheel is a single timing wheel. Make one with New.
type Wheel[T any] struct {
	values store.Store[[2]uint32, T]
	slots  slots

	// The slot late, in the order of the values' ticks, or store.None twice.
	lateHead, lateTail uint32

	reached uint64        // the tick of the clock
	clock   time.Duration // the largest now
	last    time.Duration // the last deadline within the horizon
	clear   bool          // T has pointers, so values are erased when they leave
	work    schedulers.Work
	schedulers.Owned
}

// New returns an empty wheel of slots slots, rounded up to a power of two, of one tick each. It takes deadlines up to
// tick * slots ahead. An error wraps schedulers.ErrTick or schedulers.ErrSlots. Up to MostFlat slots take 4 bytes each.
// With more, an empty slot takes 1.5 bits, and each slot around an occupied one 4 bytes.
func New[T any](tick time.Duration, slots int) (*Wheel[T], error) {
	t, err := ticks.New(tick)
	if err != nil {
		return nil, fmt.Errorf("singlewheel: %w", err)
	}
	slots, err = ticks.Slots(slots)
	if err == nil {
		_, err = t.Revolution(slots)
	}
	if err != nil {
		return nil, fmt.Errorf("singlewheel: %w", err)
	}
	return &Wheel[T]{
		values:   store.New[[2]uint32, T](),
		slots:    newSlots(t, slots),
		lateHead: store.None,
		lateTail: store.None,
		last:     t.Start(uint64(slots)),
		clear:    store.HasPointers(reflect.TypeFor[T]()),
	}, nil
}

// Horizon returns how far ahead of the tick of the clock a deadline may lie.
func (w *Wheel[T]) Horizon() time.Duration { return w.slots.tick.Start(w.slots.size) }

func (w *Wheel[T]) beyond(deadline time.Duration) error {
	return fmt.Errorf("singlewheel: %w: %v is %v ahead of the clock, want at most %v",
		schedulers.ErrBeyondHorizon, deadline, deadline-w.clock, w.Horizon())
}

// Schedule keeps value until deadline. It fails with schedulers.ErrBeyondHorizon or schedulers.ErrFull. O(1).
func (w *Wheel[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	if deadline > w.last {
		return 0, w.beyond(deadline)
	}
	i, c := w.values.Alloc()
	if c == nil {
		return 0, fmt.Errorf("singlewheel: %w: %d", schedulers.ErrFull, w.Len())
	}
	*w.values.Val(i) = value
	w.link(deadline, i, c)
	return schedulers.MakeID(i, c.Gen), nil
}

// Cancel reports whether id was pending, and takes its value out. O(1).
func (w *Wheel[T]) Cancel(id schedulers.ID) bool {
	c := w.values.Find(id.Cell(), id.Generation())
	if c == nil {
		return false
	}
	if slot, ok := alone(c); ok {
		w.slots.clear(slot) // as unlink would, without the way there
	} else {
		w.unlink(id.Cell(), c)
	}
	w.release(id.Cell(), c)
	return true
}

// Reset moves the pending value of id to deadline. O(1).
func (w *Wheel[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	c := w.values.Find(id.Cell(), id.Generation())
	if c == nil {
		return false, nil
	}
	if deadline > w.last {
		return true, w.beyond(deadline)
	}
	w.unlink(id.Cell(), c)
	w.link(deadline, id.Cell(), c)
	return true, nil
}

// Expire moves the clock to now and hands out what is due. O(1) for each value and each occupied slot passed.
func (w *Wheel[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < w.clock {
		return 0
	}
	n = w.drain(late, due)
	w.clock = now
	from, reached := w.reached+1, w.slots.tick.Reached(now)
	if reached < from {
		return n
	}
	size := w.slots.size
	w.reached = reached
	w.last = w.slots.tick.Start(reached + size)
	first := from & (size - 1)
	passed := min(reached-from+1, size)
	n += w.open(first, min(first+passed, size), due[n:])
	if first+passed > size {
		n += w.open(0, first+passed-size, due[n:])
	}
	return n
}

// open hands out the values of the occupied slots from first to before end. Values that do not fit in due become late.
func (w *Wheel[T]) open(first, end uint64, due []T) (n int) {
	for i := w.slots.from(int(first)); i >= 0 && i < int(end); i = w.slots.from(i + 1) {
		slot := uint32(i)
		w.work.Slots++
		n += w.drain(slot, due[n:])
		if w.slots.has(slot) {
			w.delay(slot)
		}
	}
	return n
}

// Next returns the tick of the first occupied slot. O(1).
func (w *Wheel[T]) Next() (wake time.Duration, ok bool) {
	if w.Len() == 0 {
		return 0, false
	}
	if w.lateHead != store.None {
		return w.slots.tick.Start(w.reached), true
	}
	mask := w.slots.size - 1
	first := (w.reached + 1) & mask
	i := w.slots.from(int(first))
	if i < 0 {
		i = w.slots.from(0)
	}
	return w.slots.tick.Start(w.reached + 1 + (uint64(i)-first)&mask), true
}

// Peek returns the tick of the first occupied slot and a value of it. O(1).
func (w *Wheel[T]) Peek() (wake time.Duration, value T, ok bool) {
	if wake, ok = w.Next(); !ok {
		return 0, value, false
	}
	i := w.lateHead
	if i == store.None {
		i = w.first(uint32(w.slots.tick.Reached(wake) & (w.slots.size - 1)))
	}
	return wake, *w.values.Val(i), true
}

// Len returns the number of pending values. O(1).
func (w *Wheel[T]) Len() int { return w.values.Used() }

// All yields the pending values.
func (w *Wheel[T]) All() iter.Seq2[schedulers.ID, T] {
	return func(yield func(schedulers.ID, T) bool) {
		for i, c := range w.values.All() {
			if !yield(schedulers.MakeID(i, c.Gen), *w.values.Val(i)) {
				return
			}
		}
	}
}

// Tick returns the tick duration.
func (w *Wheel[T]) Tick() time.Duration { return w.slots.tick.Duration() }

// Slots returns the number of slots.
func (w *Wheel[T]) Slots() int { return int(w.slots.size) }

// Work returns the work counters.
func (w *Wheel[T]) Work() schedulers.Work {
	return w.work.Add(schedulers.Work{Upkeep: w.values.Upkeep() + w.slots.upkeep})
}
