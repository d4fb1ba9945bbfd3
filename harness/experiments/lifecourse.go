package experiments

import (
	"cmp"
	"runtime"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
)

const (
	opsAtOnce  = 1000 // scheduled by fill, or cancelled by shrink, in a tick
	holding    = 2    // replaced by hold, and as many moved, in a tick
	holdShare  = 16   // timers for each tick of hold
	leastHeld  = 1000 // ticks: a p99.9 takes 1,000 calls
	levelSlots = 256  // of a level of the hierarchical wheel that cascade is made for
)

const duringCascade = "cascade"

// timedCalls are the calls of a contestant whose handle of a timer is an H. expire and next are nil if no timer comes
// due. len is nil if the contestant does not count timers.
type timedCalls[H any] struct {
	schedule func(deadline time.Duration, timer int) (H, error)
	cancel   func(H) bool
	reset    func(h H, deadline time.Duration, timer int) (H, bool)
	expire   func(now time.Duration, due []uint64) int
	next     func() (time.Duration, bool)
	len      func() int
	cascaded func() uint64 // counts the timers that moved to a lower level; it may be nil
}

// life is what happens to n timers. Equal random numbers give equal lives. Times are virtual.
type life struct {
	s      *harness.Session
	n      int
	random splitMix
	watch  *stopwatch
	// exact: a timer that fires more than one step late is wrong, and so is a cancel or a move that finds an overdue
	// timer. control: answers are not judged.
	exact, control bool
}

type lifeCourse[H any] struct {
	life
	timedCalls[H]
	timers  []heldTimer[H]
	count   int // of those that are pending
	cursor  int // where the search for a timer that is not pending begins
	tick    int64
	last    int64         // the tick before
	arrived time.Duration // when the last timer arrived
	ops     int
	due     []uint64
	fell    []int // due in this tick
	answers int
	wrong   int
	look    func(made int) error
	refusal error // of timers that the contestant cannot hold
}

// heldTimer is a timer by the caller's name for it, and the tick in which it comes due: 0 if it is not pending.
type heldTimer[H any] struct {
	name H
	due  int64
}

func newLifeCourse[H any](l life, calls timedCalls[H]) *lifeCourse[H] {
	timers := make([]heldTimer[H], l.n)
	return &lifeCourse[H]{life: l, timedCalls: calls, timers: timers, due: make([]uint64, 256), look: look(l.s, l.n)}
}

// live runs all phases and ends the life. The error counts wrong answers.
func (l *lifeCourse[H]) live() error {
	defer l.close()
	runtime.GC()
	l.watch.start()
	for _, part := range []struct {
		phase string
		of    func()
	}{{rundata.DuringGrow, l.fill}, {rundata.DuringHold, l.hold}, {"", l.gather}, {duringCascade, l.cascade}, {rundata.DuringShrink, l.shrink}, {"", l.end}} {
		l.watch.enter(part.phase)
		part.of()
		if err := cmp.Or(l.s.Ctx.Err(), l.refusal); err != nil {
			return err
		}
	}
	pending := l.count
	if l.len != nil {
		pending = l.len()
	}
	return check.That(l.control || l.wrong == 0 && pending == l.count && (l.expire == nil || pending == 0),
		wrongAnswers, l.wrong, l.answers, pending, l.count)
}

// close stops what is pending on the real clock.
func (l *lifeCourse[H]) close() {
	for _, t := range l.timers {
		if t.due != 0 && l.expire == nil {
			l.cancel(t.name)
		}
	}
}

func (l *lifeCourse[H]) going() bool { return l.s.Ctx.Err() == nil && l.refusal == nil }

func (l *lifeCourse[H]) fill() {
	for l.count < l.n && l.going() {
		for l.timers[l.cursor].due != 0 {
			l.cursor = (l.cursor + 1) % l.n
		}
		l.add(l.cursor)
		if l.count%lookEvery == 0 {
			l.refusal = cmp.Or(l.refusal, l.look(l.count))
		}
		l.pass()
	}
}

// shrink cancels timers at random until a tenth is pending.
func (l *lifeCourse[H]) shrink() {
	for l.count > l.n/10 && l.going() {
		l.drop(l.pick())
		l.pass()
	}
}

// hold keeps all timers pending while time moves on: it replaces those due, cancels and replaces some, and moves some.
func (l *lifeCourse[H]) hold() {
	l.fill()
	for i := 0; i < l.held() && l.going(); i++ {
		l.step(l.tick + 1)
		slices.Sort(l.fell) // the order within a tick is open
		for _, timer := range l.fell {
			l.add(timer)
		}
		for range holding {
			timer := l.pick()
			l.drop(timer)
			l.add(timer)
			l.move(l.pick(), l.arrived+l.delay())
		}
	}
}

func (l *lifeCourse[H]) held() int { return max(l.n/holdShare, leastHeld) }

// gather moves timers into one slot of the third level of a hierarchical wheel, and as many into one of its second
// level. Each slot gets n/4 moves. Time moves on to the tick before both slots.
func (l *lifeCourse[H]) gather() {
	if l.expire == nil {
		return
	}
	const slot, level = levelSlots, levelSlots * levelSlots
	begin := (l.tick/level + 2) * level
	for i := 0; i < (l.n+1)/2 && l.going(); i++ {
		after, ticks := int64(0), int64(level)
		if i%2 == 1 {
			after, ticks = slot, slot
		}
		l.move(l.pick(), time.Duration(begin+after)*costTick+l.random.between(0, time.Duration(ticks)*costTick))
	}
	l.step(begin - 1)
}

// cascade moves time through the slot of the second level, tick by tick.
func (l *lifeCourse[H]) cascade() {
	for range 2*levelSlots + 1 {
		l.step(l.tick + 1)
	}
}

func (l *lifeCourse[H]) end() {
	l.step(l.tick + int64(costGeometry(rundata.OpPair, l.n, longest).Horizon/costTick))
}

func (l *lifeCourse[H]) pass() {
	if l.ops++; l.ops%opsAtOnce == 0 {
		l.step(l.tick + 1)
	}
}

func (l *lifeCourse[H]) pick() int {
	for {
		i, _ := l.random.next(l.n)
		if l.timers[i].due != 0 {
			return i
		}
	}
}

// delay draws a delay: one in two is short, and the others have all lengths.
func (l *lifeCourse[H]) delay() time.Duration {
	if l.random.bits()%2 == 0 {
		return l.random.between(1, time.Duration(2*l.held())*costTick)
	}
	return l.random.between(shortest, longest)
}

func (l *lifeCourse[H]) add(timer int) {
	l.arrived += arrival
	at := l.arrived + l.delay()
	before := l.watch.now()
	name, err := l.schedule(at, timer)
	after := l.watch.now()
	l.watch.note(callSchedule, before, after)
	l.check(err == nil)
	l.refusal = cmp.Or(l.refusal, harness.OnlyFull(err))
	l.timers[timer] = heldTimer[H]{name, dueTick(at)}
	l.count++
}

func (l *lifeCourse[H]) drop(timer int) {
	name := l.timers[timer].name
	before := l.watch.now()
	ok := l.cancel(name)
	after := l.watch.now()
	l.watch.note(callCancel, before, after)
	l.check(ok && !l.overdue(timer))
	l.timers[timer].due = 0
	l.count--
}

func (l *lifeCourse[H]) move(timer int, at time.Duration) {
	t := &l.timers[timer]
	before := l.watch.now()
	name, ok := l.reset(t.name, at, timer)
	after := l.watch.now()
	l.watch.note(callReset, before, after)
	l.check(ok && !l.overdue(timer))
	*t = heldTimer[H]{name, dueTick(at)}
}

func (l *lifeCourse[H]) overdue(timer int) bool { return l.exact && l.timers[timer].due <= l.tick }

func dueTick(at time.Duration) int64 { return int64((at + costTick - 1) / costTick) }

func (l *lifeCourse[H]) step(to int64) {
	l.last, l.tick = l.tick, to
	now := time.Duration(to) * costTick
	l.arrived, l.fell = now, l.fell[:0]
	if l.expire == nil {
		return
	}
	for l.takeOut(now) == len(l.due) {
	}
	before := l.watch.now()
	_, ok := l.next()
	after := l.watch.now()
	l.watch.note(callNext, before, after)
	l.check(ok == (l.count > 0))
}

// takeOut calls Expire once, and returns how many timers came due. It reads the counter outside of the timed call.
func (l *lifeCourse[H]) takeOut(now time.Duration) int {
	cascaded := l.counted()
	before := l.watch.now()
	n := l.expire(now, l.due)
	after := l.watch.now()
	l.watch.note(callExpire, before, after)
	if took := after - before; l.watch.phase == duringCascade && took > l.watch.longest.took {
		l.watch.longest = longestExpire{took, n, l.counted() - cascaded, l.cascaded != nil}
	}
	for _, v := range l.due[:n] {
		l.fall(v)
	}
	return n
}

// counted reads the counter of cascaded timers, in the phase of the cascade only.
func (l *lifeCourse[H]) counted() uint64 {
	if l.cascaded == nil || l.watch.phase != duringCascade {
		return 0
	}
	return l.cascaded()
}

// fall notes and checks a timer that came due: not early, and at the latest in the first tick after its own.
func (l *lifeCourse[H]) fall(v uint64) {
	if v >= uint64(l.n) || l.timers[v].due == 0 {
		l.check(false)
		return
	}
	t := &l.timers[v]
	l.check(t.due <= l.tick && (t.due >= l.last || !l.exact))
	t.due = 0
	l.count--
	if l.watch.phase == rundata.DuringHold { // keeping all that fell in a long pause would make garbage
		l.fell = append(l.fell, int(v))
	}
}

func (l *lifeCourse[H]) check(right bool) {
	l.answers++
	if !right {
		l.wrong++
	}
}
