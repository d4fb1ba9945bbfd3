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

// NoCascade is a hierarchical timing wheel in which a value stays in the slot that it was put into. For that it comes
// out late: by less than a tick when the delay is short, and by less than a fixed share of the delay when it is long.
// See Lateness. Make one with NewNoCascade.
//
// It is the timer wheel of the Linux kernel since 2016 (kernel/time/timer.c, by
// Thomas Gleixner), without the kernel's longest delay.
type NoCascade[T any] struct {
	tick    ticks.Tick
	entries buckets.Buckets[T] // tick: that of its slot; queue: what was set aside
	bits    uint               // log2 of the slots per level
	mask    uint64
	coarser uint      // log2 of the ticks of a slot to those of one a level below
	level   [65]uint8 // the level of a delay, or the one below, from its length in bits
	levels  int       // how many a deadline may need

	// first holds, for each level in use, the tick of its first occupied slot, or never. A slot that cancelling has
	// emptied may still count as occupied, so nothing is due before the first of them.
	first []uint64

	reached uint64 // the tick of the clock
	clock   time.Duration
	behind  bool // slots may be due that due had no room for

	// soon is the least of first when it was last looked for. It stays the least until a slot becomes occupied.
	soon uint64
	schedulers.Owned
}

// never is the tick of a level that is empty, and no tick of a value.
const never = math.MaxUint64

// NewNoCascade returns an empty wheel whose levels have slotsPerLevel slots, rounded up to a power of two and at least
// four. The slots of the lowest level are one tick long, those of each other level coarser times as long as those of the
// level below. coarser is a power of two, from 2 to half of the slots. A smaller one gives less lateness and more
// levels. Linux has 64 slots and 8. An error wraps schedulers.ErrTick or schedulers.ErrSlots.
//
// Delays count from the clock of the wheel, which a driver moves to the present before it schedules: see
// schedulers.Approximate.
//
// NoCascade is a type, not an option of New: neither wheel has to ask at each step which of the two it is.
func NewNoCascade[T any](tick time.Duration, slotsPerLevel, coarser int) (*NoCascade[T], error) {
	t, err := ticks.New(tick)
	if err != nil {
		return nil, fmt.Errorf("hierwheel: %w", err)
	}
	slots, err := checkLevels(slotsPerLevel, coarser)
	if err != nil {
		return nil, fmt.Errorf("hierwheel: %w", err)
	}
	w := &NoCascade[T]{
		tick:    t,
		bits:    ticks.Log2(slots),
		mask:    uint64(slots - 1),
		coarser: ticks.Log2(coarser),
	}
	for n := range w.level {
		w.level[n] = uint8((max(n-int(w.bits), 0) + int(w.coarser) - 1) / int(w.coarser))
	}
	w.levels = int(w.levelOf(t.Ceil(math.MaxInt64))) + 1
	if w.Slots() > buckets.Max {
		return nil, fmt.Errorf("hierwheel: %w: %d levels of %d, want %d in all at most",
			schedulers.ErrSlots, w.levels, slots, buckets.Max)
	}
	w.entries = buckets.New[T](w.Slots(), slots)
	return w, nil
}

// checkLevels returns the slots of a level, or an error that wraps schedulers.ErrSlots.
func checkLevels(slotsPerLevel, coarser int) (slots int, err error) {
	if slotsPerLevel < 4 {
		return 0, fmt.Errorf("%w: %d per level, want 4 to %d", schedulers.ErrSlots, slotsPerLevel, ticks.MaxSlots)
	}
	if slots, err = ticks.Slots(slotsPerLevel); err != nil {
		return 0, err
	}
	if coarser < 2 || coarser > slots/2 || coarser&(coarser-1) != 0 {
		return 0, fmt.Errorf("%w: slots %d times as long as those of the level below, want a power of two from 2 to %d",
			schedulers.ErrSlots, coarser, slots/2)
	}
	return slots, nil
}

// levelOf returns the lowest level that reaches a number of ticks ahead. Level n reaches slots-1 of its slots, of
// coarser^n ticks each: one slot less than there are, since the clock may be anywhere in its own slot. O(1).
func (w *NoCascade[T]) levelOf(ahead uint64) uint {
	n := uint(w.level[bits.Len64(ahead)])
	if ahead > w.mask<<(n*w.coarser&63) {
		n++
	}
	return n
}

// bucket returns the bucket of a tick at which a slot of a level begins.
func (w *NoCascade[T]) bucket(level uint, tick uint64) int {
	return int(uint64(level)<<w.bits | tick>>(level*w.coarser&63)&w.mask)
}

// Lateness bounds how late a value is that is scheduled for a deadline delay ahead of the clock. The value comes out
// less than Lateness(delay) after the deadline, if Expire is called then. The bound is the length of a slot of the level
// that the delay may need. No smaller bound holds: every delay has instants of scheduling at which the value is late by
// all but a nanosecond of it.
//
// In ticks, with the delay rounded up to whole ticks, the bound is at most
//
//	max(1, delay * coarser / (slotsPerLevel - 1))
//
// which in the geometry of Linux is an eighth of the delay: 8/63, or 12.7 %. A bound beyond the maximum duration is the
// maximum. O(1).
func (w *NoCascade[T]) Lateness(delay time.Duration) time.Duration {
	ahead := uint64(1) // the most ticks between that of the clock and that of the deadline
	if delay > 1 {
		ahead += w.tick.Ceil(delay - 1)
	}
	return w.tick.Start(1 << (w.levelOf(ahead) * w.coarser & 63))
}

// Schedule keeps value until deadline, rounded up to the end of a slot of the level that reaches it. It fails only with
// schedulers.ErrFull. O(1), but the first call after an Expire whose due was too small sets aside all that is due.
func (w *NoCascade[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	level, tick := w.place(deadline)
	id := w.entries.Add(uint32(w.bucket(level, tick)), tick, value)
	if id == 0 {
		return 0, fmt.Errorf("hierwheel: %w: %d", schedulers.ErrFull, w.Len())
	}
	w.first[level] = min(w.first[level], tick)
	return id, nil
}

// place returns the level of a deadline and the tick at which it comes out, and makes the slot ready.
func (w *NoCascade[T]) place(deadline time.Duration) (level uint, tick uint64) {
	if w.behind {
		w.setAside()
	}
	tick = w.reached
	if deadline > w.clock {
		tick = ticks.CeilOf(&w.tick, deadline)
	}
	level = w.levelOf(tick - w.reached)
	rest := uint64(1)<<(level*w.coarser&63) - 1
	for int(level) >= len(w.first) {
		w.first = append(w.first, never)
	}
	return level, (tick + rest) &^ rest
}

// Reset moves the pending value of id to deadline, as Schedule would place it. The error is always nil. Its costs are those of
// Schedule.
func (w *NoCascade[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	level, tick := w.place(deadline)
	if !w.entries.Move(id, uint32(w.bucket(level, tick)), tick, 0, never) {
		return false, nil
	}
	w.first[level] = min(w.first[level], tick)
	return true, nil
}

// Cancel reports whether id was pending, and takes its value out. O(1).
func (w *NoCascade[T]) Cancel(id schedulers.ID) bool { return w.entries.Cancel(id) }

// Expire moves the clock to now and hands out what is due. O(1) for each value and O(levels) for each occupied slot.
func (w *NoCascade[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < w.clock {
		return 0
	}
	w.clock = now
	if w.reached = w.tick.Floor(now); now == math.MaxInt64 {
		w.reached = never - 1 // also what was rounded up to beyond the end of time
	}
	if w.reached < w.soon && !w.entries.Opened && !w.entries.Queued() {
		return 0
	}
	n = w.entries.Dequeue(due)
	for n < len(due) {
		level, tick := w.earliest()
		if tick > w.reached {
			w.behind, w.soon, w.entries.Opened = false, tick, false
			return n
		}
		n += w.open(level, tick, due[n:])
	}
	w.behind = true
	return n
}

// earliest returns the first occupied slot of all levels, by its level and its tick, or never without one.
func (w *NoCascade[T]) earliest() (level uint, tick uint64) {
	tick = never
	for l, first := range w.first {
		if first < tick {
			level, tick = uint(l), first
		}
	}
	return level, tick
}

// open hands out the values of the first slot of a level. When that is empty it notes which slot is next.
func (w *NoCascade[T]) open(level uint, tick uint64, due []T) (n int) {
	i := w.bucket(level, tick)
	if n = w.entries.Drain(i, due); n > 0 {
		w.entries.Work.Slots++
	}
	if !w.entries.Holding(i) {
		w.first[level] = w.after(level)
	}
	return n
}

// after returns the tick of the first occupied slot of a level behind its first
// one. All of them are less than a turn of the level behind it.
func (w *NoCascade[T]) after(level uint) uint64 {
	shift := level * w.coarser & 63
	slot := w.first[level]>>shift + 1
	start := int(uint64(level) << w.bits)
	from := start + int(slot&w.mask)
	i := w.entries.From(from)
	if last := start + int(w.mask); i < 0 || i > last {
		if i = w.entries.From(start); i < 0 || i >= from {
			return never
		}
	}
	return (slot + uint64(i-from)&w.mask) << shift
}

// Next returns the instant at which the first pending value comes out, so no wake-up is in vain. O(levels), and O(1) for
// each slot that cancelling has emptied since the last call.
func (w *NoCascade[T]) Next() (wake time.Duration, ok bool) {
	if w.Len() == 0 {
		return 0, false
	}
	if w.entries.Queued() {
		return w.clock, true
	}
	for {
		level, tick := w.earliest()
		if w.entries.Holding(w.bucket(level, tick)) {
			return w.tick.Start(tick), true
		}
		w.first[level] = w.after(level)
	}
}

// A slot of a level has one tick in each turn of the level. While everything due has been handed out, the pending ticks
// of a level are less than a turn apart. But a caller whose buffer was too small may schedule more before it takes the
// rest. Then a slot could be needed for two ticks. So at that moment due values leave the slots, for a queue. The values
// in the queue already were due before.

// setAside moves what is due out of the slots. O(1) for each value.
func (w *NoCascade[T]) setAside() {
	for {
		level, tick := w.earliest()
		if tick > w.reached {
			w.behind = false
			return
		}
		w.enqueue(w.bucket(level, tick))
		w.first[level] = w.after(level)
	}
}

// enqueue moves the values of bucket i to the end of the queue.
func (w *NoCascade[T]) enqueue(i int) {
	for first := true; ; first = false {
		out := w.entries.Take(i, buckets.Batch)
		if first && len(out) > 0 {
			w.entries.Work.Slots++
		}
		w.entries.Work.Moves += uint64(len(out))
		for _, at := range out {
			w.entries.Enqueue(at)
		}
		if len(out) < buckets.Batch {
			return
		}
	}
}

// Len returns the number of pending values. O(1).
func (w *NoCascade[T]) Len() int { return w.entries.Len() }

// All yields the pending values.
func (w *NoCascade[T]) All() iter.Seq2[schedulers.ID, T] { return w.entries.All() }

// Tick returns the tick duration, which is the lateness of short delays.
func (w *NoCascade[T]) Tick() time.Duration { return w.tick.Duration() }

// Slots returns the number of slots of all levels that a deadline may need.
func (w *NoCascade[T]) Slots() int { return w.levels << w.bits }

// Work returns the work counters. Cascades is always zero. Moves counts values that the caller left and that were set
// aside.
func (w *NoCascade[T]) Work() schedulers.Work { return w.entries.Counts() }
