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
	entries buckets.Buckets[T] // bucket: level<<(bits+1) + slot
	bits    uint               // log2 of the slots that a level passes while the one above passes one
	mask    uint64             // of the slots of a level, which are twice as many
	limit   [64]uint64         // of each level the first tick that it does not hold; never of the last
	levels  []levelState
	used    int // levels that have had a value

	// cur is the tick whose slot is open or was opened last. It lags behind
	// reached, the tick of the clock, only while due was too small for all.
	cur, reached uint64
	clock        time.Duration

	// calm is a tick before which Expire has nothing to do, at most the end of the lowest level's revolution. even is the
	// tick up to which values have been moved on.
	calm, even uint64
	schedulers.Owned
}

// levelState is what a wheel knows of a level.
type levelState struct {
	shift uint   // log2 of the ticks of a slot
	first uint64 // the tick at which the first occupied slot begins, or never; cancelling may have emptied it since
}

const (
	// movedACall is how many values of a level's next slot an Expire moves at most. movedATick is how many more it
	// moves for each tick since the Expire before. It grows fourfold with each eighth of the time for the moves.
	movedACall = 64
	movedATick = 16
	// movedAWake is the least number of values, by movedATick, for which a caller of Next wakes.
	movedAWake = 256
	// movedTogether is how many values may move at once where that saves a sleeping caller a wake-up.
	movedTogether = 4096
)

// New returns an empty wheel. Its levels have slotsPerLevel slots a revolution, rounded up to a power of two. Those of
// the lowest level are one tick long. An error wraps schedulers.ErrTick or schedulers.ErrSlots.
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
	w := &Wheel[T]{tick: t, bits: ticks.Log2(slots), mask: uint64(2*slots - 1), calm: uint64(slots), used: 1}
	last := t.Ceil(math.MaxInt64)
	w.levels = make([]levelState, max(bits.Len64(last)-1, 0)/int(w.bits)+1)
	for l := range w.levels {
		w.levels[l] = levelState{shift: uint(l) * w.bits, first: never}
	}
	w.limit[len(w.levels)-1] = never
	w.turn()
	if w.Slots() > buckets.Max {
		return nil, fmt.Errorf("hierwheel: %w: two revolutions of %d slots on %d levels, want %d slots in all at most",
			schedulers.ErrSlots, slots, len(w.levels), buckets.Max)
	}
	w.entries = buckets.New[T](w.Slots(), slots)
	return w, nil
}

// turn sets the limits of the levels from cur, up to the first that keeps its own. They change when the
// lowest level begins a revolution.
func (w *Wheel[T]) turn() {
	for l := range len(w.levels) - 1 {
		shift := w.levels[l+1].shift
		limit := (w.cur>>shift + 2) << shift
		if limit == w.limit[l] {
			return
		}
		w.limit[l] = limit
	}
}

// moveTo moves cur to a tick that is not before it.
func (w *Wheel[T]) moveTo(tick uint64) {
	w.cur = tick
	if tick>>w.bits+2 != w.limit[0]>>w.bits {
		w.turn()
	}
}

// place returns the level and the bucket of tick k, which must not be before cur: the lowest level whose present or next
// revolution holds the tick. O(1) for each level below.
func (w *Wheel[T]) place(k uint64) (l int, bucket uint32) {
	for k >= w.limit[l&63] {
		l++
	}
	return l, uint32(l)<<(w.bits+1&31) + uint32(k>>(uint(l)*w.bits&63)&w.mask)
}

// bucket returns the bucket of the slot of a level that a tick is in.
func (w *Wheel[T]) bucket(l int, tick uint64) int {
	return l<<(w.bits+1) + int(tick>>w.levels[l].shift&w.mask)
}

// tickOf returns the tick at which a deadline is due, at the earliest the one the clock is in.
func (w *Wheel[T]) tickOf(deadline time.Duration) uint64 {
	if deadline <= w.clock {
		return w.reached
	}
	return ticks.CeilOf(&w.tick, deadline)
}

// Schedule keeps value until deadline. It fails only with schedulers.ErrFull. O(1).
func (w *Wheel[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	k := w.tickOf(deadline)
	l, i := w.place(k)
	id := w.entries.Add(i, k, value)
	if w.entries.Opened {
		w.opened(l, k)
	}
	if id == 0 {
		return 0, w.full()
	}
	return id, nil
}

// opened notes that the slot of tick k at a level has become occupied.
func (w *Wheel[T]) opened(l int, k uint64) {
	w.entries.Opened = false
	at := &w.levels[l]
	start := k >> at.shift << at.shift
	at.first = min(at.first, start)
	w.used = max(w.used, l+1)
	if l > 0 {
		start -= 1<<at.shift - 1 // from when on its values are moved
	}
	w.calm = min(w.calm, start)
}

func (w *Wheel[T]) full() error {
	return fmt.Errorf("hierwheel: %w: %d", schedulers.ErrFull, w.Len())
}

// Cancel reports whether id was pending, and takes its value out. O(1).
func (w *Wheel[T]) Cancel(id schedulers.ID) bool { return w.entries.Cancel(id) }

// Reset moves the pending value of id to deadline. The error is always nil. O(1).
//
// A value that is put off by at most half of the time until its tick stays where it is: move looks at its tick. Open does
// not, so a value that may be at the lowest level moves at once.
func (w *Wheel[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	k := w.tickOf(deadline)
	l, i := w.place(k)
	moved := w.entries.Move(id, i, k, w.reached, w.limit[0])
	if w.entries.Opened {
		w.opened(l, k)
	}
	w.used = max(w.used, l+1) // where a value that stays will move
	return moved, nil
}

// Expire moves the clock to now and hands out what is due. Amortised O(1) for each value and each level that it sank
// through; nothing for empty slots. The package comment says how many values it moves at most.
func (w *Wheel[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < w.clock {
		return 0
	}
	w.clock = now
	w.reached = w.tick.Reached(now)
	if w.reached < w.calm {
		w.cur = w.reached
		return 0
	}
	for {
		l, tick := w.earliest()
		if tick > w.reached {
			w.advance()
			return n
		}
		if n == len(due) {
			w.calm = tick
			return n
		}
		w.moveTo(max(w.cur, tick))
		n += w.open(l, due[n:])
	}
}

// earliest returns the first occupied slot of all levels by the tick at which it begins, or never. Of slots that begin
// together it returns the highest.
func (w *Wheel[T]) earliest() (l int, tick uint64) {
	tick = never
	for at := range w.levels[:w.used] {
		if first := w.levels[at].first; first <= tick {
			l, tick = at, first
		}
	}
	return l, tick
}

// open hands out the values of the first slot of the lowest level. At another level it moves them to where they belong
// from now on.
func (w *Wheel[T]) open(l int, due []T) (n int) {
	if l > 0 {
		w.move(l, math.MaxInt)
		return 0
	}
	i := w.bucket(0, w.levels[0].first)
	if n = w.entries.Drain(i, due); n > 0 {
		w.entries.Work.Slots++
	}
	if n < len(due) || !w.entries.Holding(i) {
		w.levels[0].first = w.after(0)
	}
	return n
}

// move moves up to limit values of the first slot of a level to where they belong from now on.
func (w *Wheel[T]) move(l, limit int) {
	i := w.bucket(l, w.levels[l].first)
	n := w.entries.Scatter(i, limit, l == 1, w.put)
	w.entries.Opened = false
	if n > 0 {
		w.entries.Work.Slots++
		w.entries.Work.Cascades += uint64(n)
	}
	if n < limit {
		w.levels[l].first = w.after(l)
	}
}

// put returns the bucket of tick k, of a value that is moved there.
func (w *Wheel[T]) put(k uint64) uint32 {
	l, i := w.place(k)
	at := &w.levels[l]
	at.first = min(at.first, k>>at.shift<<at.shift)
	return i
}

// after returns the tick at which the first occupied slot of a level behind its first one begins, or
// never. All of them are less than two revolutions of the level behind it.
func (w *Wheel[T]) after(l int) uint64 {
	at := &w.levels[l]
	slot := at.first>>at.shift + 1
	start := l << (w.bits + 1)
	from := start + int(slot&w.mask)
	i := w.entries.Between(from, start+int(w.mask)+1)
	if i < 0 {
		if i = w.entries.Between(start, from); i < 0 {
			return never
		}
	}
	return (slot + uint64(i-from)&w.mask) << at.shift
}

// advance moves cur to the tick of the clock, at which no occupied slot has begun. It moves on some values of each
// level's next slot.
func (w *Wheel[T]) advance() {
	w.moveTo(w.reached)
	calm := (w.cur>>w.bits + 1) << w.bits
	for l := w.used - 1; l > 0; l-- { // downwards, since values that move on come to the levels below
		next := w.next(l)
		if from := max(w.even, next); from < w.cur {
			w.move(l, movedACall+int(min((w.cur-from)*w.pace(l), math.MaxInt32)))
			next = w.next(l)
		}
		if next != never {
			calm = min(calm, max(next, w.cur)+1)
		}
	}
	w.calm, w.even = min(calm, w.levels[0].first), w.cur
}

// next returns the tick after which the first occupied slot of a level above the lowest is the next one, and its values
// move on. It returns never if all slots are empty.
func (w *Wheel[T]) next(l int) uint64 {
	at := &w.levels[l]
	if at.first == never {
		return never
	}
	return at.first - 1<<at.shift
}

// pace returns how many values of a level's next slot move on for each tick.
func (w *Wheel[T]) pace(l int) uint64 {
	passed := w.cur - w.next(l)
	return movedATick << (2 * (passed << 3 >> w.levels[l].shift & 7))
}

// Next returns when Expire has something to do: at the first tick that has a value, or before, when an occupied slot of
// a higher level becomes the next one. While such a slot is being emptied, it returns instants often enough to move
// some hundreds of values at a time. O(levels), and O(1) for each slot that cancelling has emptied since the last call, and
// for each value of the slot that is open where the due of an Expire was too small.
func (w *Wheel[T]) Next() (wake time.Duration, ok bool) {
	if w.Len() == 0 {
		return 0, false
	}
	for {
		l, tick := w.earliest()
		switch {
		case !w.entries.Holding(w.bucket(l, tick)):
			w.levels[l].first = w.after(l)
		case l > 0 && tick <= w.reached: // due was too small for all
			w.moveTo(max(w.cur, tick))
			w.move(l, math.MaxInt)
		default:
			for other := 1; other < w.used; other++ {
				if other == l || w.next(other) < w.reached || w.Len() > movedTogether {
					tick = min(tick, w.sinks(other))
				}
			}
			return w.tick.Start(tick), true
		}
	}
}

// Peek returns the first tick that has a value, and one of them, unless Expire has something else to do before that.
// Its costs are those of Next.
func (w *Wheel[T]) Peek() (wake time.Duration, value T, ok bool) {
	if wake, ok = w.Next(); !ok || wake != w.tick.Start(w.levels[0].first) {
		return wake, value, false
	}
	value, ok = w.entries.First(w.bucket(0, w.levels[0].first))
	return wake, value, ok
}

// sinks returns the tick at which a caller of Next should come for a level's next slot.
func (w *Wheel[T]) sinks(l int) uint64 {
	first, from := w.levels[l].first, w.next(l)
	switch {
	case from == never:
		return never
	case from >= w.reached:
		return from + 1
	}
	if !w.entries.Holding(w.bucket(l, first)) {
		return never
	}
	return min(first, w.reached+max(1, movedAWake/w.pace(l)))
}

// Len returns the number of pending values. O(1).
func (w *Wheel[T]) Len() int { return w.entries.Len() }

// All yields the pending values.
func (w *Wheel[T]) All() iter.Seq2[schedulers.ID, T] { return w.entries.All() }

// Tick returns the tick duration.
func (w *Wheel[T]) Tick() time.Duration { return w.tick.Duration() }

// Slots returns the number of slots of all levels that a deadline may need.
func (w *Wheel[T]) Slots() int { return len(w.levels) << (w.bits + 1) }

// Work returns the work counters.
func (w *Wheel[T]) Work() schedulers.Work { return w.entries.Counts() }
