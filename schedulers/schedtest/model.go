package schedtest

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"schedbench/schedulers"
)

// Model is a scheduler reduced to what can be seen from outside. It is told
// each operation together with the subject's answer, and judges the answer; it
// cannot simply be run beside the subject, because the contract leaves the
// order within a tick open.
//
// It keeps the pending values in one sorted slice. That is slow for very many
// values, but there is little in it that could be wrong.
//
// The values of one run must differ, since a value that comes out of Expire is
// recognised by nothing else.
type Model struct {
	subject Subject
	clock   time.Duration
	seq     uint64
	// pending is sorted by (last, due, seq). What is due is then always a
	// prefix: see modelEntry.
	pending []*modelEntry
	byValue map[uint64]*modelEntry
	// byID holds every ID that was ever issued; nil stands for one that is no
	// longer pending.
	byID map[schedulers.ID]*modelEntry
}

// modelEntry is one pending value.
//
// A deadline ahead of the clock gives first = last = due = the deadline rounded
// up to a tick, or what Subject.Due tells. A deadline at or before the clock gives
// due = the clock, and may come out in either of two ticks. An entry of the second
// kind is due from the start, and so is all that is sorted before it, because its
// last is at most the end of the tick in which it was scheduled.
type modelEntry struct {
	id          schedulers.ID
	value, seq  uint64
	due         time.Duration // the first instant at which Expire hands it out
	first, last time.Duration // it may come out as if it were due anywhere between
}

// NewModel returns an empty model of s at clock 0.
func NewModel(s Subject) *Model {
	return &Model{
		subject: s,
		byValue: map[uint64]*modelEntry{},
		byID:    map[schedulers.ID]*modelEntry{},
	}
}

// Clock returns the instant that the clock stands at.
func (m *Model) Clock() time.Duration { return m.clock }

// Len returns the number of pending values.
func (m *Model) Len() int { return len(m.pending) }

// Pending returns the ID of the i-th pending value in the order of due
// instants, for 0 <= i < Len().
func (m *Model) Pending(i int) schedulers.ID { return m.pending[i].id }

// CheckSchedule judges the answer (id, err) to Schedule(deadline, value).
func (m *Model) CheckSchedule(deadline time.Duration, value uint64, id schedulers.ID, err error) error {
	if err != nil {
		return m.checkRefusal(deadline, err)
	}
	if id == 0 {
		return errors.New("the ID is zero, which is never valid")
	}
	if _, issued := m.byID[id]; issued {
		return fmt.Errorf("ID %#x was issued before", uint64(id))
	}
	e := &modelEntry{id: id, value: value}
	m.byID[id] = e
	m.byValue[value] = e
	m.insert(e, deadline)
	return nil
}

// checkRefusal judges an error of Schedule or Reset.
func (m *Model) checkRefusal(deadline time.Duration, err error) error {
	switch {
	case !m.subject.mayRefuse(m.clock, deadline):
		return fmt.Errorf("refused: %w", err)
	case !errors.Is(err, schedulers.ErrBeyondHorizon):
		return fmt.Errorf("refused with something else than ErrBeyondHorizon: %w", err)
	}
	return nil
}

// CheckCancel judges the answer ok to Cancel(id).
func (m *Model) CheckCancel(id schedulers.ID, ok bool) error {
	e := m.byID[id]
	if ok != (e != nil) {
		return fmt.Errorf("returned %v for an ID that is %s", ok, m.state(id))
	}
	if e != nil {
		m.forget(e)
		m.remove(e)
	}
	return nil
}

// CheckReset judges the answer (ok, err) to Reset(id, deadline).
func (m *Model) CheckReset(id schedulers.ID, deadline time.Duration, ok bool, err error) error {
	e := m.byID[id]
	switch {
	case ok != (e != nil):
		return fmt.Errorf("returned %v for an ID that is %s", ok, m.state(id))
	case e == nil:
		return nil
	case err != nil:
		return m.checkRefusal(deadline, err)
	}
	m.remove(e)
	m.insert(e, deadline)
	return nil
}

// CheckLen judges the answer n to Len.
func (m *Model) CheckLen(n int) error {
	if n != m.Len() {
		return fmt.Errorf("Len is %d, but %d values are pending", n, m.Len())
	}
	return nil
}

// CheckAll judges the sequence returned by All.
func (m *Model) CheckAll(all iter.Seq2[schedulers.ID, uint64]) error {
	seen := make(map[schedulers.ID]bool, m.Len())
	for id, value := range all {
		e := m.byID[id]
		switch {
		case e == nil:
			return fmt.Errorf("All yields an ID that is %s", m.state(id))
		case e.value != value:
			return fmt.Errorf("All yields value %d with the ID of value %d", value, e.value)
		case seen[id]:
			return fmt.Errorf("All yields value %d twice", value)
		}
		seen[id] = true
	}
	if len(seen) != m.Len() {
		return fmt.Errorf("All yields %d of %d pending values", len(seen), m.Len())
	}
	return nil
}

// CheckWork judges the counters returned by Work.
func (m *Model) CheckWork(w schedulers.Work) error {
	if limit := uint64(m.Len() + schedulers.MaxHeld); w.Held > limit {
		return fmt.Errorf("%d cancelled entries are held with %d values pending; the limit is %d",
			w.Held, m.Len(), limit)
	}
	return nil
}

// state describes an ID for a message.
func (m *Model) state(id schedulers.ID) string {
	e, issued := m.byID[id]
	switch {
	case e != nil:
		return "pending"
	case issued:
		return "stale"
	}
	return "not one of this scheduler's"
}

// insert places e by deadline and sorts it in.
func (m *Model) insert(e *modelEntry, deadline time.Duration) {
	m.seq++
	e.seq = m.seq
	deadline = max(deadline, 0)
	turn := m.subject.dueAt(m.clock, deadline)
	e.due, e.first, e.last = turn, turn, turn
	if deadline <= m.clock {
		current := roundDown(m.clock, m.subject.Tick)
		e.due, e.first, e.last = m.clock, min(turn, current), max(turn, current)
		if m.clock == end {
			e.last = end // the tick that is cut short by the end has begun, too
		}
	}
	i, _ := slices.BinarySearchFunc(m.pending, e, compareEntries)
	m.pending = slices.Insert(m.pending, i, e)
}

// remove takes e out of the sorted slice.
func (m *Model) remove(e *modelEntry) {
	i, _ := slices.BinarySearchFunc(m.pending, e, compareEntries)
	m.pending = slices.Delete(m.pending, i, i+1)
}

// forget takes e out of the maps; its ID is stale from now on.
func (m *Model) forget(e *modelEntry) {
	m.byID[e.id] = nil
	delete(m.byValue, e.value)
}

// compareEntries orders entries as Model.pending holds them.
func compareEntries(a, b *modelEntry) int {
	return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq))
}
