package schedtest_test

import (
	"slices"
	"time"

	"schedbench/schedulers"
)

// The mutants, each sound with one fault that its name tells. First those that
// hand out the wrong values, or at the wrong time.

type tooEarly struct{ *sound }

func (m tooEarly) Expire(now time.Duration, due []uint64) int {
	return m.sound.Expire(max(now, now+m.tick), due)
}

type tooEarlyByNanosecond struct{ *sound }

func (m tooEarlyByNanosecond) Expire(now time.Duration, due []uint64) int {
	return m.sound.Expire(max(now, now+1), due)
}

type tooLate struct{ *sound }

func (m tooLate) Expire(now time.Duration, due []uint64) int {
	return m.sound.Expire(min(now, now-m.tick), due)
}

type roundsDown struct{ *sound }

func (m roundsDown) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	return m.sound.Schedule(deadline-deadline%m.tick, value)
}

type roundsUpTwice struct{ *sound }

func (m roundsUpTwice) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	if deadline > m.clock && deadline%m.tick == 0 {
		deadline = max(deadline, deadline+1)
	}
	return m.sound.Schedule(deadline, value)
}

// roundsToTick ignores that it is meant to round further.
type roundsToTick struct{ *sound }

func (m roundsToTick) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	m.due = nil
	return m.sound.Schedule(deadline, value)
}

// roundsFurther ignores what the delay is.
type roundsFurther struct{ *sound }

func (m roundsFurther) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	due := m.due
	defer func() { m.due = due }()
	m.due = func(_, deadline time.Duration) time.Duration { return due(0, deadline) }
	return m.sound.Schedule(deadline, value)
}

type pastWaits struct{ *sound }

func (m pastWaits) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	if m.clock < end {
		deadline = max(deadline, m.clock+1)
	}
	return m.sound.Schedule(deadline, value)
}

type goesBack struct{ *sound }

func (m goesBack) Expire(now time.Duration, due []uint64) int {
	m.clock = min(m.clock, max(now, 0))
	return m.sound.Expire(now, due)
}

type backwardsYields struct{ *sound }

func (m backwardsYields) Expire(now time.Duration, due []uint64) int {
	return m.sound.Expire(max(now, m.clock), due)
}

type repeats struct {
	*sound
	last uint64
	some bool
}

func (m *repeats) Expire(now time.Duration, due []uint64) int {
	n := m.sound.Expire(now, due)
	if n == 0 && len(due) > 0 && m.some && now == m.clock {
		m.some = false
		due[0] = m.last
		return 1
	}
	if n > 0 {
		m.last, m.some = due[n-1], true
	}
	return n
}

type reverses struct{ *sound }

func (m reverses) Expire(now time.Duration, due []uint64) int {
	n := m.sound.Expire(now, due)
	slices.Reverse(due[:n])
	return n
}

type dropsEquals struct{ *sound }

func (m dropsEquals) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	id, err := m.sound.Schedule(deadline, value)
	if i := len(m.heap) - 1; i > 2000 && m.heap[i].turn == m.heap[i-1].turn {
		m.drop(i)
	}
	return id, err
}

type dropsWithoutRoom struct{ *sound }

func (m dropsWithoutRoom) Expire(now time.Duration, due []uint64) int {
	n := m.sound.Expire(now, due)
	for len(due) > 0 && n == len(due) && m.Len() > 0 && m.heap[0].turn <= now {
		m.drop(0)
	}
	return n
}

type dropsWithoutBuffer struct{ *sound }

func (m dropsWithoutBuffer) Expire(now time.Duration, due []uint64) int {
	n := m.sound.Expire(now, due)
	if len(due) == 0 && m.Len() > 0 && m.heap[0].turn <= now {
		m.drop(0)
	}
	return n
}

type losesOneOfMany struct{ *sound }

func (m losesOneOfMany) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	id, err := m.sound.Schedule(deadline, value)
	if m.Len() == 1<<16 {
		m.drop(m.Len() - 1)
	}
	return id, err
}
