package schedtest_test

import (
	"iter"
	"time"

	"schedbench/schedulers"
)

// The mutants that are more than a method in the place of that of sound, see hooked.

func repeats(s *sound) scheduler {
	last, some := uint64(0), false
	return expires(func(m *sound, now time.Duration, due []uint64) int {
		n := m.Expire(now, due)
		if n == 0 && len(due) > 0 && some && now == m.clock {
			some = false
			due[0] = last
			return 1
		}
		if n > 0 {
			last, some = due[n-1], true
		}
		return n
	})(s)
}

func cancelsTwice(s *sound) scheduler {
	gone := map[schedulers.ID]bool{}
	return cancels(func(m *sound, id schedulers.ID) bool {
		if m.Cancel(id) {
			gone[id] = true
			return true
		}
		again := gone[id]
		delete(gone, id)
		return again
	})(s)
}

func cancelsFired(s *sound) scheduler {
	ids := map[schedulers.ID]bool{}
	return with(func(h *hooked) {
		h.schedule = func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
			id, err := m.Schedule(deadline, value)
			ids[id] = true
			return id, err
		}
		h.cancel = func(m *sound, id schedulers.ID) bool {
			known := ids[id]
			delete(ids, id)
			return m.Cancel(id) || known
		}
	})(s)
}

// sharing makes the same scheduler again and again.
func sharing() func(*sound) scheduler {
	var first *sound
	return func(s *sound) scheduler {
		if first == nil {
			first = s
		}
		return first
	}
}

type ignoresCancelled struct {
	*sound
	cancelled *int
}

func (m ignoresCancelled) Cancel(id schedulers.ID) bool {
	ok := m.sound.Cancel(id)
	if ok {
		*m.cancelled++
	}
	return ok
}

func (m ignoresCancelled) Len() int { return m.sound.Len() + *m.cancelled }

func strands(_ *sound, now time.Duration) time.Duration { return min(now, end-1) }

// wakesForCancelled forgets only in Expire that what was due is cancelled.
func wakesForCancelled(s *sound) scheduler {
	cancelled := false
	return with(func(h *hooked) {
		h.cancel = func(m *sound, id schedulers.ID) bool {
			cancelled = cancelled || m.waits(id)
			return m.Cancel(id)
		}
		h.expire = func(m *sound, now time.Duration, due []uint64) int {
			cancelled = false
			return m.Expire(now, due)
		}
		h.next = func(m *sound) (time.Duration, bool) {
			if wake, ok := m.Next(); !ok || !cancelled {
				return wake, ok
			}
			return m.clock, true
		}
	})(s)
}

type allMissesOne struct{ *sound }

func (m allMissesOne) All() iter.Seq2[schedulers.ID, uint64] {
	return func(yield func(schedulers.ID, uint64) bool) {
		n := m.Len() - 1
		for id, v := range m.sound.All() {
			if n == 0 || !yield(id, v) {
				return
			}
			n--
		}
	}
}

// shows is a Peeker of the value at a place of the heap, early by so much.
type shows struct {
	*sound
	place func(*sound) int
	early time.Duration
}

func showsFirst(*sound) int  { return 0 }
func showsLast(s *sound) int { return len(s.heap) - 1 }

func (m shows) Peek() (wake time.Duration, value uint64, ok bool) {
	if wake, ok = m.Next(); ok {
		value = *m.cells.Val(m.heap[m.place(m.sound)].cell)
	}
	return wake - m.early, value, ok
}

type misreportsTick struct{ *sound }

func (m misreportsTick) Tick() time.Duration { return m.tick + 1 }

// extra is sound with work that it claims to have done besides.
type extra struct {
	*sound
	more schedulers.Work
}

func (m *extra) Work() schedulers.Work {
	w := m.sound.work
	w.Slots += m.more.Slots
	w.Held = m.more.Held
	return w
}

// stepsThroughTicks opens a slot for every tick while something is pending.
type stepsThroughTicks struct{ extra }

func (m *stepsThroughTicks) Expire(now time.Duration, due []uint64) int {
	if now > m.clock && m.Len() > 0 {
		m.more.Slots += uint64((now - m.clock) / m.tick)
	}
	return m.sound.Expire(now, due)
}

// paysWhenIdle opens a slot for every tick while nothing is pending.
type paysWhenIdle struct{ extra }

func (m *paysWhenIdle) Expire(now time.Duration, due []uint64) int {
	if now > m.clock && m.Len() == 0 {
		m.more.Slots++
	}
	return m.sound.Expire(now, due)
}

// hoards keeps the entries of all cancelled values.
type hoards struct{ extra }

func (m *hoards) Cancel(id schedulers.ID) bool {
	ok := m.sound.Cancel(id)
	if ok {
		m.more.Held++
	}
	return ok
}

// allocates makes a new object for each value.
type allocates struct {
	*sound
	object *[3]uint64
}

func (m *allocates) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	m.object = new([3]uint64)
	return m.sound.Schedule(deadline, value)
}

// neverGivesBack keeps as much memory as it needed at most.
func neverGivesBack(s *sound) scheduler {
	var ballast []uint64
	return schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
		if n := 8 * m.Len(); n > len(ballast) {
			ballast = make([]uint64, 2*n)
		}
		return m.Schedule(deadline, value)
	})(s)
}

// hooked is sound with one method in the place of its own.
type hooked struct {
	*sound
	schedule func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error)
	cancel   func(m *sound, id schedulers.ID) bool
	expire   func(m *sound, now time.Duration, due []uint64) int
	next     func(m *sound) (time.Duration, bool)
	reset    func(m *sound, id schedulers.ID, deadline time.Duration) (bool, error)
}

func (h hooked) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	return h.schedule(h.sound, deadline, value)
}
func (h hooked) Cancel(id schedulers.ID) bool               { return h.cancel(h.sound, id) }
func (h hooked) Expire(now time.Duration, due []uint64) int { return h.expire(h.sound, now, due) }
func (h hooked) Next() (time.Duration, bool)                { return h.next(h.sound) }
func (h hooked) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	return h.reset(h.sound, id, deadline)
}

// with returns what makes a mutant by changing some methods.
func with(change func(h *hooked)) func(*sound) scheduler {
	return func(s *sound) scheduler {
		h := hooked{s, (*sound).Schedule, (*sound).Cancel, (*sound).Expire, (*sound).Next, (*sound).Reset}
		change(&h)
		return h
	}
}

func schedules(f func(*sound, time.Duration, uint64) (schedulers.ID, error)) func(*sound) scheduler {
	return with(func(h *hooked) { h.schedule = f })
}

func cancels(f func(*sound, schedulers.ID) bool) func(*sound) scheduler {
	return with(func(h *hooked) { h.cancel = f })
}

// deadlines changes the deadline that Schedule is given.
func deadlines(change func(*sound, time.Duration) time.Duration) func(*sound) scheduler {
	return schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
		return m.Schedule(change(m, deadline), value)
	})
}

func expires(f func(*sound, time.Duration, []uint64) int) func(*sound) scheduler {
	return with(func(h *hooked) { h.expire = f })
}

// nows changes the instant that Expire is given.
func nows(change func(*sound, time.Duration) time.Duration) func(*sound) scheduler {
	return expires(func(m *sound, now time.Duration, due []uint64) int { return m.Expire(change(m, now), due) })
}

func wakes(f func(*sound) (time.Duration, bool)) func(*sound) scheduler {
	return with(func(h *hooked) { h.next = f })
}

func resets(f func(*sound, schedulers.ID, time.Duration) (bool, error)) func(*sound) scheduler {
	return with(func(h *hooked) { h.reset = f })
}
