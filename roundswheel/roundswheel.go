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
	entries buckets.Buckets[T] // the slots; queue: what is due, but had no room
	slots   uint64

	// cur is the tick whose slot was opened last. It lags behind reached, the
	// tick of the clock, only while due was too small for all.
	cur, reached uint64
	clock        time.Duration

	waiting bool          // the queue may hold something
	next    uint64        // the first tick at which something may be due
	known   bool          // next is valid
	walk    buckets.Walk  // of the slot that is being opened
	jumped  []jumpedEntry // room for jump, kept while small
	schedulers.Owned
}

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
		entries: buckets.NewPlain[T](slots),
		slots:   uint64(slots),
	}, nil
}

// Schedule keeps value until deadline. It fails only with schedulers.ErrFull. O(1).
func (w *Wheel[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	var id schedulers.ID
	i, k := w.slot(deadline)
	if k == w.cur {
		id = w.entries.AddLast(k, value)
	} else {
		id = w.entries.Add(i, k, value)
	}
	if id == 0 {
		return 0, fmt.Errorf("roundswheel: %w: %d", schedulers.ErrFull, w.Len())
	}
	w.note(id, i, k)
	return id, nil
}

// slot returns the slot of a deadline, and its tick. Values of tick cur go to the queue. O(1).
func (w *Wheel[T]) slot(deadline time.Duration) (i uint32, k uint64) {
	k = w.reached
	if deadline > w.clock {
		k = ticks.CeilOf(&w.tick, deadline)
	}
	return uint32(k & (w.slots - 1)), k
}

// note notes that slot i, or the queue, holds id, of tick k. O(1).
func (w *Wheel[T]) note(id schedulers.ID, i uint32, k uint64) {
	if k == w.cur {
		w.waiting = true
		return
	}
	w.entries.Lower(uint32(id), i, k)
	w.next = min(w.next, k)
}

// Reset moves the pending value of id to deadline. The error is always nil. O(1).
func (w *Wheel[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	var pending bool
	i, k := w.slot(deadline)
	if k == w.cur {
		pending = w.entries.MoveLast(id, k)
	} else {
		pending = w.entries.Move(id, i, k, 0, math.MaxUint64)
	}
	if pending {
		w.note(id, i, k)
	}
	return pending, nil
}

// Cancel reports whether id was pending, and takes its value out. O(1).
func (w *Wheel[T]) Cancel(id schedulers.ID) bool { return w.entries.Cancel(id) }

// Expire moves the clock to now and hands out what is due. It visits every entry of a slot in which something may be
// due: O(n/slots) a tick, and O(n) at most, plus the sorting of what is due after a jump of a revolution.
func (w *Wheel[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < w.clock {
		return 0
	}
	w.clock = now
	w.reached = w.tick.Reached(now)
	if w.known && w.reached < w.next && !w.waiting {
		w.cur = w.reached
		return 0
	}
	if w.reached-w.cur >= w.slots {
		w.jump()
	}
	n = w.drainWaiting(due)
	for w.cur != w.reached && !w.waiting {
		w.advance()
		n += w.open(due[n:])
	}
	return n
}

// drainWaiting hands out what is due already.
func (w *Wheel[T]) drainWaiting(due []T) (n int) {
	if !w.waiting {
		return 0
	}
	n = w.entries.Dequeue(due)
	w.waiting = w.entries.Queued()
	return n
}

// advance moves cur to the next slot that may be occupied, or to reached if that is sooner.
func (w *Wheel[T]) advance() {
	slot := (w.cur + 1) & (w.slots - 1)
	i := w.entries.MayHold(int(slot))
	if i < 0 { // none before the end of the array: go round
		i = w.entries.MayHold(0)
	}
	ahead := w.slots
	if i >= 0 {
		ahead = (uint64(i)-slot)&(w.slots-1) + 1
	}
	w.cur = min(w.cur+ahead, w.reached)
}

// open visits the entries of the slot of cur, unless it knows that none is due, and hands out the due ones that fit.
func (w *Wheel[T]) open(due []T) (n int) {
	if w.known && w.cur >= w.next {
		w.known = false
	}
	e := &w.entries
	if !e.Start(&w.walk, int(w.cur&(w.slots-1)), w.cur) {
		return 0
	}
	e.Work.Slots++
	for more := true; more; {
		var out []uint32
		out, more = e.Step(&w.walk, w.cur)
		for _, at := range out {
			if n < len(due) {
				due[n] = e.Hand(at)
				n++
			} else {
				e.Enqueue(at)
				w.waiting = true
			}
		}
	}
	return n
}

// jumpedEntry is an entry that has become due in a jump.
type jumpedEntry struct {
	tick uint64
	at   uint32
}

// jump moves cur to reached, a revolution or more ahead, in one pass over the slots. It puts what has become due into
// the queue in the order of ticks, behind what has waited there.
func (w *Wheel[T]) jump() {
	e := &w.entries
	late := w.jumped[:0]
	for i := e.From(0); i >= 0; i = e.From(i + 1) {
		if !e.Start(&w.walk, i, w.reached) {
			continue
		}
		e.Work.Slots++
		for more := true; more; {
			var out []uint32
			out, more = e.Step(&w.walk, w.reached)
			for _, at := range out {
				late = append(late, jumpedEntry{e.Tick(at), at})
			}
		}
	}
	slices.SortFunc(late, func(a, b jumpedEntry) int { return cmp.Compare(a.tick, b.tick) })
	for _, l := range late {
		e.Enqueue(l.at)
	}
	w.cur, w.known, w.waiting = w.reached, false, true
	if w.jumped = late[:0]; cap(late) > keepJumped {
		w.jumped = nil
	}
}

// keepJumped is the largest number of entries that jump keeps room for.
const keepJumped = 1024

// Next returns the first tick at which an entry may be due. It skips the visits that only take rounds off; Expire makes
// up for them. O(1) mostly, O(slots) once the tick that it knew has been passed, and O(entries of a slot) where the due of
// an Expire was too small and what it left was cancelled.
func (w *Wheel[T]) Next() (wake time.Duration, ok bool) {
	if w.Len() == 0 {
		return 0, false
	}
	for w.waiting {
		if w.entries.Queued() {
			return w.tick.Start(w.cur), true
		}
		w.waiting = false // all that waited was cancelled: look further
		w.Expire(w.clock, nil)
	}
	if !w.known {
		w.next, w.known = w.search(), true
	}
	return w.tick.Start(w.next), true
}

// search returns the first tick at which the slots may have something due.
func (w *Wheel[T]) search() uint64 {
	start := int((w.cur + 1) & (w.slots - 1))
	first, found := w.searchFrom(start, int(w.slots), math.MaxUint64)
	if !found {
		first, _ = w.searchFrom(0, start, first)
	}
	return first
}

// searchFrom looks at the slots from from to before to. It returns their first tick, or first if that is sooner. found
// means that no later slot can have a sooner one.
func (w *Wheel[T]) searchFrom(from, to int, first uint64) (_ uint64, found bool) {
	for i := w.entries.From(from); i >= 0 && i < to; i = w.entries.From(i + 1) {
		least := w.entries.Least(i)
		first = min(first, least)
		if least-w.cur <= w.slots {
			return first, true
		}
	}
	return first, false
}

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
