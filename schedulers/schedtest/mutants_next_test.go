package schedtest_test

import (
	"iter"
	"time"

	"schedbench/schedulers"
)

// The mutants that mislead a driver, fail at the limits, or break an optional
// interface.

type alwaysNext struct{ *sound }

func (m alwaysNext) Next() (time.Duration, bool) {
	wake, _ := m.sound.Next()
	return wake, true
}

type nextTooLate struct{ *sound }

func (m nextTooLate) Next() (time.Duration, bool) {
	wake, ok := m.sound.Next()
	return max(wake, wake+1), ok
}

type nextAfterClock struct{ *sound }

func (m nextAfterClock) Next() (time.Duration, bool) {
	wake, ok := m.sound.Next()
	return max(wake, m.clock+1), ok
}

type nextIsClock struct{ *sound }

func (m nextIsClock) Next() (time.Duration, bool) { return m.clock, m.Len() > 0 }

type nextCrawls struct{ *sound }

func (m nextCrawls) Next() (time.Duration, bool) {
	wake, ok := m.sound.Next()
	return min(wake, max(m.clock, m.clock+1)), ok
}

type overflows struct{ *sound }

func (m overflows) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	if m.tick > 0 && deadline+m.tick < deadline {
		deadline = 0
	}
	return m.sound.Schedule(deadline, value)
}

type strands struct{ *sound }

func (m strands) Expire(now time.Duration, due []uint64) int {
	return m.sound.Expire(min(now, end-1), due)
}

type refusesInside struct{ *sound }

func (m refusesInside) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	m.horizon /= 2
	defer func() { m.horizon *= 2 }()
	return m.sound.Schedule(deadline, value)
}

type refusesBarely struct{ *sound }

func (m refusesBarely) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	id, err := m.sound.Schedule(deadline, value)
	if err != nil {
		err = schedulers.ErrBeyondHorizon
	}
	return id, err
}

type horizonStays struct{ *sound }

func (m horizonStays) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	if deadline > 1<<40 {
		return 0, schedulers.ErrFull
	}
	return m.sound.Schedule(deadline, value)
}

// wakesForCancelled forgets only in Expire that what was due is cancelled.
type wakesForCancelled struct {
	*sound
	cancelled bool
}

func (m *wakesForCancelled) Cancel(id schedulers.ID) bool {
	if c := m.pending(id); c != nil && m.heap[c.pos].turn <= m.clock {
		m.cancelled = true
	}
	return m.sound.Cancel(id)
}

func (m *wakesForCancelled) Expire(now time.Duration, due []uint64) int {
	m.cancelled = false
	return m.sound.Expire(now, due)
}

func (m *wakesForCancelled) Next() (time.Duration, bool) {
	wake, ok := m.sound.Next()
	if ok && m.cancelled {
		return m.clock, true
	}
	return wake, ok
}

type resetForgets struct{ *sound }

func (m resetForgets) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	if c := m.pending(id); c != nil && deadline > m.heap[c.pos].turn {
		return true, nil
	}
	return m.sound.Reset(id, deadline)
}

type resetKeepsWaiting struct{ *sound }

func (m resetKeepsWaiting) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	if c := m.pending(id); c != nil && m.heap[c.pos].turn <= m.clock {
		return true, nil
	}
	return m.sound.Reset(id, deadline)
}

type resetDrops struct{ *sound }

func (m resetDrops) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	ok, err := m.sound.Reset(id, deadline)
	if err != nil {
		m.Cancel(id)
	}
	return ok, err
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

type misreportsTick struct{ *sound }

func (m misreportsTick) Tick() time.Duration { return m.tick + 1 }
