package roundswheel

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"schedbench/internal/buckets"
	"schedbench/internal/ticks"
	"schedbench/schedulers"
)

// Wheel is a timing wheel with rounds. Make one with New.
type Wheel[T any] struct {
	tick    ticks.Tick
	entries buckets.Buckets[uint32, T] // key: rounds left; buckets: the slots, now, late
	slots   uint64
	bits    uint
	least   []uint32 // for each occupied slot, no entry has fewer rounds left

	// cur is the tick whose slot was opened last. It lags behind reached, the
	// tick of the clock, only while due was too small for all.
	cur, reached uint64
	clock        time.Duration

	next   uint64            // the first tick at which something may be due
	known  bool              // next is valid
	jumped []buckets.Late[T] // room for jump, kept while small
}

// Two buckets behind the slots hold what is due and did not fit in due: now,
// of tick cur, and late, of the ticks before it, the earliest on top.
func (w *Wheel[T]) now() int  { return int(w.slots) }
func (w *Wheel[T]) late() int { return int(w.slots) + 1 }

// New returns an empty wheel of slots slots, rounded up to a power of two, of
// one tick each. An error wraps schedulers.ErrTick or schedulers.ErrSlots.
func New[T any](tick time.Duration, slots int) (*Wheel[T], error) {
	t, err := ticks.New(tick)
	if err != nil {
		return nil, fmt.Errorf("roundswheel: %w", err)
	}
	slots, err = ticks.Slots(slots)
	if err == nil {
		_, err = t.Revolution(slots)
	}
	if err != nil {
		return nil, fmt.Errorf("roundswheel: %w", err)
	}
	return &Wheel[T]{
		tick:    t,
		entries: buckets.New[uint32, T](slots+3, slots+1),
		slots:   uint64(slots),
		bits:    ticks.Log2(slots),
		least:   make([]uint32, slots),
	}, nil
}

// Horizon returns how far ahead of the clock a deadline may lie: nearly 2^32
// revolutions, which is 69 years with 512 slots of 1 ms.
func (w *Wheel[T]) Horizon() time.Duration {
	return w.tick.Start(w.slots<<32 - w.slots)
}

// Schedule keeps value until deadline. It fails with schedulers.ErrBeyondHorizon
// or schedulers.ErrFull. O(1).
func (w *Wheel[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	if deadline <= w.clock && w.cur == w.reached {
		return w.add(w.now(), 0, value)
	}
	k := w.reached
	if deadline > w.clock {
		k = w.tick.Ceil(deadline)
	}
	ahead := k - w.cur - 1 // ticks between the open slot and that of k
	rounds := ahead >> w.bits
	if rounds > math.MaxUint32 {
		return 0, w.beyond(deadline)
	}
	slot := int(k & (w.slots - 1))
	if r := uint32(rounds); !w.entries.Has(slot) || r < w.least[slot] {
		w.least[slot] = r
	}
	w.next = min(w.next, k)
	return w.add(slot, uint32(rounds), value)
}

// add puts value into a bucket.
func (w *Wheel[T]) add(bucket int, rounds uint32, value T) (schedulers.ID, error) {
	id := w.entries.Add(bucket, rounds, value)
	if id == 0 {
		return 0, fmt.Errorf("roundswheel: %w: %d", schedulers.ErrFull, w.Len())
	}
	return id, nil
}

func (w *Wheel[T]) beyond(deadline time.Duration) error {
	return fmt.Errorf("roundswheel: %w: %v is %v ahead of the clock, want at most %v",
		schedulers.ErrBeyondHorizon, deadline, deadline-w.clock, w.Horizon())
}

// Cancel reports whether id was pending, and takes its value out. O(1).
func (w *Wheel[T]) Cancel(id schedulers.ID) bool { return w.entries.Cancel(id) }

// Expire moves the clock to now and hands out what is due, visiting every entry
// of the slots passed: O(n/slots) a tick, and O(n) at most however far it goes,
// but for ordering what is due after a jump of a revolution and more.
func (w *Wheel[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < w.clock {
		return 0
	}
	w.clock = now
	w.reached = w.tick.Reached(now)
	if w.reached-w.cur >= w.slots {
		w.jump()
	}
	for {
		n += w.entries.Drain(w.late(), due[n:])
		n += w.entries.Drain(w.now(), due[n:])
		if w.cur == w.reached || n == len(due) && w.overdue() {
			return n
		}
		w.advance()
		n += w.open(due[n:])
	}
}

// overdue reports whether values that are due wait for room.
func (w *Wheel[T]) overdue() bool {
	return w.entries.Has(w.now()) || w.entries.Has(w.late())
}

// advance moves cur to the next occupied slot, or to reached if that is sooner.
func (w *Wheel[T]) advance() {
	slot := (w.cur + 1) & (w.slots - 1)
	i := uint64(w.entries.From(int(slot)))
	if i >= w.slots { // none before the end of the array, or -1: go round
		i = uint64(w.entries.From(0))
	}
	ahead := (i-slot)&(w.slots-1) + 1
	if i >= w.slots {
		ahead = w.slots
	}
	w.cur = min(w.cur+ahead, w.reached)
}

// open takes a round off each entry of the slot of cur, and hands out those
// that had none left, as far as they fit.
func (w *Wheel[T]) open(due []T) (n int) {
	slot := int(w.cur & (w.slots - 1))
	if w.known && w.cur >= w.next {
		w.known = false
	}
	if !w.entries.Has(slot) {
		return 0
	}
	w.entries.Work.Slots++
	n, w.least[slot] = w.entries.Countdown(slot, 1, due, w.now())
	return n
}

// jump moves cur to reached, a revolution or more ahead, in one pass over the
// slots, and puts what has become due into bucket late in the order of ticks,
// behind what has waited there.
func (w *Wheel[T]) jump() {
	late := w.jumped[:0]
	late, _ = w.entries.Extract(w.late(), 1, func(uint32) uint64 { return 0 }, late)
	late, _ = w.entries.Extract(w.now(), 1, func(uint32) uint64 { return w.cur }, late)
	for i := w.entries.From(0); i >= 0 && i < int(w.slots); i = w.entries.From(i + 1) {
		w.entries.Work.Slots++
		first := w.cur + 1 + (uint64(i)-w.cur-1)&(w.slots-1) // when it is opened first
		passes := (w.reached-first)>>w.bits + 1
		late, w.least[i] = w.entries.Extract(i, passes, func(rounds uint32) uint64 {
			return first + uint64(rounds)<<w.bits
		}, late)
	}
	slices.SortStableFunc(late, func(a, b buckets.Late[T]) int { return cmp.Compare(a.Tick, b.Tick) })
	for _, l := range slices.Backward(late) { // the bucket is a stack
		w.entries.Put(w.late(), l)
	}
	w.cur, w.known = w.reached, false
	clear(late)
	if w.jumped = late[:0]; cap(late) > keepJumped {
		w.jumped = nil
	}
}

// keepJumped is the largest number of entries that jump keeps room for.
const keepJumped = 1024

// Next returns the first tick at which an entry may be due. It skips the visits
// that only take rounds off, which Expire makes up for. O(1) mostly, O(slots)
// when what it knew has been expired.
func (w *Wheel[T]) Next() (wake time.Duration, ok bool) {
	if w.Len() == 0 {
		return 0, false
	}
	for {
		if w.entries.Trim(w.late()) || w.entries.Trim(w.now()) {
			return w.tick.Start(w.cur), true
		}
		if w.cur == w.reached {
			break
		}
		w.Expire(w.clock, nil) // all that waited for room was cancelled: look further
	}
	if !w.known {
		w.next, w.known = w.search(), true
	}
	return w.tick.Start(w.next), true
}

// search returns the first tick at which the slots may have something due. A
// slot without an entry in its last round is looked at only for the least.
func (w *Wheel[T]) search() uint64 {
	first := math.MaxUint64 - uint64(0)
	start := (w.cur + 1) & (w.slots - 1)
	look := func(i int) (found bool) {
		tick := w.cur + 1 + (uint64(i)-start)&(w.slots-1)
		first = min(first, tick+uint64(w.least[i])<<w.bits)
		return w.least[i] == 0
	}
	for i := w.entries.From(int(start)); i >= 0 && i < int(w.slots); i = w.entries.From(i + 1) {
		if look(i) {
			return first
		}
	}
	for i := w.entries.From(0); i >= 0 && i < int(start); i = w.entries.From(i + 1) {
		if look(i) {
			return first
		}
	}
	return first
}

// Holds reports whether id is pending. O(1).
func (w *Wheel[T]) Holds(id schedulers.ID) bool { return w.entries.Holds(id) }

// Len returns the number of pending values. O(1).
func (w *Wheel[T]) Len() int { return w.entries.Len() }

// All yields the pending values.
func (w *Wheel[T]) All() iter.Seq2[schedulers.ID, T] { return w.entries.All() }

// Tick returns the tick duration.
func (w *Wheel[T]) Tick() time.Duration { return w.tick.Duration() }

// Slots returns the number of slots.
func (w *Wheel[T]) Slots() int { return int(w.slots) }

// Work returns the work counters.
func (w *Wheel[T]) Work() schedulers.Work { return w.entries.Counts() }
