package schedtest_test

import (
	"time"

	"schedbench/schedulers"
)

// The mutants that confuse IDs.

type cancelsTwice struct {
	*sound
	gone map[schedulers.ID]bool
}

func (m cancelsTwice) Cancel(id schedulers.ID) bool {
	if m.sound.Cancel(id) {
		m.gone[id] = true
		return true
	}
	again := m.gone[id]
	delete(m.gone, id)
	return again
}

type cancelsTwo struct{ *sound }

func (m cancelsTwo) Cancel(id schedulers.ID) bool {
	ok := m.sound.Cancel(id)
	if ok && m.Len() > 100 {
		m.drop(m.Len() - 1)
	}
	return ok
}

type cancelsFired struct {
	*sound
	ids map[uint64]schedulers.ID
}

func (m cancelsFired) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	id, err := m.sound.Schedule(deadline, value)
	m.ids[value] = id
	return id, err
}

func (m cancelsFired) Cancel(id schedulers.ID) bool {
	for v, known := range m.ids {
		if known == id {
			delete(m.ids, v)
			m.sound.Cancel(id)
			return true
		}
	}
	return false
}

type keepsWaiting struct{ *sound }

func (m keepsWaiting) Cancel(id schedulers.ID) bool {
	if c := m.pending(id); c != nil && m.heap[c.pos].turn <= m.clock {
		return false
	}
	return m.sound.Cancel(id)
}

type cancelsWaitingInName struct{ *sound }

func (m cancelsWaitingInName) Cancel(id schedulers.ID) bool {
	if c := m.pending(id); c != nil && m.heap[c.pos].turn <= m.clock && m.Len() > 20 {
		return true
	}
	return m.sound.Cancel(id)
}

type takesStale struct{ *sound }

func (m takesStale) Cancel(id schedulers.ID) bool {
	if p := id.Cell() / pageSize; id.Generation() > 0 && id.Generation() <= m.gen && int(p) < len(m.pages) && m.pages[p] != nil {
		id = schedulers.MakeID(id.Cell(), m.at(id.Cell()).gen)
	}
	return m.sound.Cancel(id)
}

type panicsOnGarbage struct{ *sound }

func (m panicsOnGarbage) Cancel(id schedulers.ID) bool {
	_ = m.used[id.Cell()/pageSize]
	return m.sound.Cancel(id)
}

type repeatsIDs struct{ *sound }

func (m repeatsIDs) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	m.gen %= 4000
	return m.sound.Schedule(deadline, value)
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

type valueForgets struct{ *sound }

func (m valueForgets) Value(id schedulers.ID) *uint64 {
	if m.Len() < 2 {
		return m.sound.Value(id)
	}
	return nil
}

type valueOfStale struct{ *sound }

func (m valueOfStale) Value(id schedulers.ID) *uint64 {
	if v := m.sound.Value(id); v != nil || id == 0 || id.Generation() >= m.gen {
		return v
	}
	return new(uint64)
}

type valueCopied struct{ *sound }

func (m valueCopied) Value(id schedulers.ID) *uint64 {
	if v := m.sound.Value(id); v != nil {
		copied := *v
		return &copied
	}
	return nil
}
