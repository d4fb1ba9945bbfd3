package schedtest_test

import (
	"time"

	"schedbench/schedulers"
)

// The mutants that give right answers at the wrong price.

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
type neverGivesBack struct {
	*sound
	ballast []uint64
}

func (m *neverGivesBack) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	if n := 8 * m.Len(); n > len(m.ballast) {
		m.ballast = make([]uint64, 2*n)
	}
	return m.sound.Schedule(deadline, value)
}
