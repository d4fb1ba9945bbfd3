package hierwheel

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"time"

	"schedbench/internal/buckets"
	"schedbench/internal/ticks"
	"schedbench/schedulers"
)

// Wheel is a hierarchical timing wheel. Make one with New.
type Wheel[T any] struct {
	tick    ticks.Tick
	entries buckets.Buckets[T] // bucket: level<<bits + slot
	bits    uint               // log2 of the slots per level
	mask    uint64
	digit   [65]digit // the first in which a tick differs from cur, from the length of the difference

	// cur is the tick whose slot is open or was opened last. It lags behind
	// reached, the tick of the clock, only while due was too small for all.
	cur, reached uint64
	clock        time.Duration

	// first is the bucket of the first occupied slot, and soon the tick at which it
	// begins, after all ticks if there is none. Cancelling may have emptied it since.
	first int
	soon  uint64
}

// digit is the one that says where in a level a tick belongs.
type digit struct {
	bucket uint32 // the first of the level
	shift  uint32 // it is that many bits from the right of a tick
}

// New returns an empty wheel whose levels have slotsPerLevel slots, rounded up
// to a power of two, the lowest of one tick each. An error wraps
// schedulers.ErrTick or schedulers.ErrSlots.
func New[T any](tick time.Duration, slotsPerLevel int) (*Wheel[T], error) {
	t, err := ticks.New(tick)
	if err != nil {
		return nil, fmt.Errorf("hierwheel: %w", err)
	}
	if slotsPerLevel < 2 || slotsPerLevel > ticks.MaxSlots {
		return nil, fmt.Errorf("hierwheel: %w: %d per level, want 2 to %d", schedulers.ErrSlots, slotsPerLevel, ticks.MaxSlots)
	}
	slots, err := ticks.Slots(slotsPerLevel)
	if err != nil {
		return nil, fmt.Errorf("hierwheel: %w", err)
	}
	w := &Wheel[T]{tick: t, bits: ticks.Log2(slots), mask: uint64(slots - 1)}
	for n := range w.digit {
		level := uint32(max(n-1, 0) / int(w.bits))
		w.digit[n] = digit{level << w.bits, level * uint32(w.bits)}
	}
	last := w.bucket(t.Ceil(math.MaxInt64))
	w.entries = buckets.New[T](int(last)+1, slots)
	w.soon = math.MaxUint64
	return w, nil
}

// bucket returns the bucket of tick k, which must not be before cur: at the
// level of the highest digit in which the two differ, in the slot of that
// digit, digits being numbers of w.bits bits. O(1).
func (w *Wheel[T]) bucket(k uint64) uint32 {
	d := w.digit[bits.Len64(k^w.cur)]
	return d.bucket + uint32(k>>(d.shift&63)&w.mask)
}

// start returns the first tick of a bucket that is not before cur.
func (w *Wheel[T]) start(bucket int) (tick uint64, level uint) {
	level = uint(bucket) >> w.bits
	shift := level * w.bits
	return (w.cur>>shift&^w.mask | uint64(bucket)&w.mask) << shift, level
}

// tickOf returns the tick at which a deadline is due, at the earliest the one
// the clock is in.
func (w *Wheel[T]) tickOf(deadline time.Duration) uint64 {
	if deadline <= w.clock {
		return w.reached
	}
	return ticks.CeilOf(&w.tick, deadline)
}

// Schedule keeps value until deadline. It fails only with schedulers.ErrFull.
// O(1).
func (w *Wheel[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	k := w.tickOf(deadline)
	id := w.entries.Add(w.bucket(k), k, value)
	if w.entries.Opened {
		w.opened(k)
	}
	if id == 0 {
		return 0, w.full()
	}
	return id, nil
}

// opened takes note that the slot of tick k has come to be occupied.
func (w *Wheel[T]) opened(k uint64) {
	w.entries.Opened = false
	i := w.bucket(k)
	if tick, _ := w.start(int(i)); tick < w.soon {
		w.first, w.soon = int(i), tick
	}
}

func (w *Wheel[T]) full() error {
	return fmt.Errorf("hierwheel: %w: %d", schedulers.ErrFull, w.Len())
}

// Cancel reports whether id was pending, and takes its value out. O(1).
func (w *Wheel[T]) Cancel(id schedulers.ID) bool { return w.entries.Cancel(id) }

// Reset moves the pending value of id to deadline. The error is always nil. O(1).
func (w *Wheel[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	k := w.tickOf(deadline)
	moved := w.entries.Move(id, w.bucket(k), k)
	if w.entries.Opened {
		w.opened(k)
	}
	return moved, nil
}

// Expire moves the clock to now and hands out what is due. Amortised O(1) for
// each value and each level that it sank through; nothing for empty slots.
func (w *Wheel[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < w.clock {
		return 0
	}
	w.clock = now
	w.reached = w.tick.Reached(now)
	for n < len(due) && w.soon <= w.reached {
		w.cur = max(w.cur, w.soon)
		if uint64(w.first) > w.mask {
			w.cascade(w.first)
		} else if out := w.entries.Drain(w.first, due[n:]); out > 0 {
			w.entries.Work.Slots++
			if n += out; n == len(due) {
				return n // there may be more in the slot
			}
		}
		w.look()
	}
	if w.soon > w.reached {
		w.cur = w.reached
	}
	return n
}

// look finds the first occupied slot.
func (w *Wheel[T]) look() {
	w.entries.Opened = false
	if w.first = w.entries.From(0); w.first < 0 {
		w.soon = math.MaxUint64
		return
	}
	w.soon, _ = w.start(w.first)
}

// cascade moves the values of bucket i, whose tick is cur, to where they belong from
// now on. O(1) for each.
func (w *Wheel[T]) cascade(i int) {
	if n := w.entries.Scatter(i, uint64(i) <= 2*w.mask+1, w.bucket); n > 0 {
		w.entries.Work.Slots++
		w.entries.Work.Cascades += uint64(n)
	}
}

// Next returns when the first occupied slot begins: the tick of its values at
// the lowest level, and the time to cascade it above that. O(levels), and O(1) for
// each slot that was emptied by cancelling since it was asked last.
func (w *Wheel[T]) Next() (wake time.Duration, ok bool) {
	if w.Len() == 0 {
		return 0, false
	}
	for {
		switch {
		case !w.entries.Holding(w.first):
			w.look()
			if w.soon > w.reached {
				w.cur = w.reached
			}
		case w.soon <= w.reached && uint64(w.first) > w.mask: // due was too small for all
			w.cur = max(w.cur, w.soon)
			w.cascade(w.first)
		default:
			return w.tick.Start(w.soon), true
		}
	}
}

// Value returns the pending value of id, or nil. O(1).
func (w *Wheel[T]) Value(id schedulers.ID) *T { return w.entries.Value(id) }

// Len returns the number of pending values. O(1).
func (w *Wheel[T]) Len() int { return w.entries.Len() }

// All yields the pending values.
func (w *Wheel[T]) All() iter.Seq2[schedulers.ID, T] { return w.entries.All() }

// Tick returns the tick duration.
func (w *Wheel[T]) Tick() time.Duration { return w.tick.Duration() }

// Slots returns the number of slots of all levels that a deadline may need.
func (w *Wheel[T]) Slots() int { return (63/int(w.bits) + 1) << w.bits }

// Work returns the work counters.
func (w *Wheel[T]) Work() schedulers.Work { return w.entries.Counts() }
