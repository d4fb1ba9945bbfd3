package schedtest

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"sort"
	"time"

	"schedbench/schedulers"
)

// contractModel judges a scheduler's answers. It gets each operation together with the answer: the contract leaves the
// order within a tick open, so the model cannot predict it. The values of one run must differ: the model recognises what
// Expire returns by its value alone.
type contractModel struct {
	scheduler Scheduler
	clock     time.Duration
	seq       uint64
	// pending is sorted by (last, due, seq). What is due is then always a prefix: see modelEntry.
	pending []*modelEntry
	byValue map[uint64]*modelEntry
	// byID holds every ID that was ever issued; nil marks one that is no longer pending.
	byID map[schedulers.ID]*modelEntry
}

// modelEntry is one pending value.
//
// A deadline ahead of the clock gives first = last = due = the deadline rounded up to a tick, or the result of
// Scheduler.Due. A deadline at or before the clock gives due = the clock, and may come out in either of two ticks. Such an
// entry is due from the start. So are all entries sorted before it, because its last is at most the end of the tick in
// which it was scheduled.
type modelEntry struct {
	id          schedulers.ID
	value, seq  uint64
	due         time.Duration // the first instant at which Expire hands it out
	first, last time.Duration // it may come out as if it were due anywhere between
}

func (m *contractModel) checkSchedule(deadline time.Duration, value uint64, id schedulers.ID, err error) error {
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

var figure = regexp.MustCompile(`[0-9]+`)

// checkRefusal judges an error of Schedule or Reset.
func (m *contractModel) checkRefusal(deadline time.Duration, err error) error {
	switch {
	case !m.scheduler.mayRefuse(m.clock, deadline):
		return fmt.Errorf("refused: %w", err)
	case !errors.Is(err, schedulers.ErrBeyondHorizon):
		return fmt.Errorf("refused with something else than ErrBeyondHorizon: %w", err)
	case len(figure.FindAllString(err.Error(), 2)) < 2:
		return fmt.Errorf("the refusal does not give the deadline and the limit: %w", err)
	}
	return nil
}

func (m *contractModel) checkCancel(id schedulers.ID, ok bool) error {
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

func (m *contractModel) checkReset(id schedulers.ID, deadline time.Duration, ok bool, err error) error {
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

// checkExpire judges the answer to Expire(now, due), where room is the length of due and got what was stored in it.
func (m *contractModel) checkExpire(now time.Duration, room int, got []uint64) error {
	now = max(now, 0)
	if now < m.clock {
		if len(got) > 0 {
			return fmt.Errorf("%d values came out, though now is before the clock", len(got))
		}
		return nil
	}
	m.clock = now
	dueCount := sort.Search(len(m.pending), func(i int) bool { return m.pending[i].due > now })
	entries, err := m.recognise(got)
	if err != nil {
		return err
	}
	if want := min(room, dueCount); len(got) != want {
		return fmt.Errorf("%d values came out into room for %d; %d are due, the first since %d",
			len(got), room, dueCount, m.pending[0].due)
	}
	return m.handOut(entries, dueCount)
}

// recognise checks that the values that came out are due and there once, and returns their entries, which it forgets.
func (m *contractModel) recognise(got []uint64) ([]*modelEntry, error) {
	entries := make([]*modelEntry, 0, len(got))
	for _, value := range got {
		e := m.byValue[value]
		switch {
		case e == nil:
			return nil, fmt.Errorf("value %d came out, but is not pending (any more)", value)
		case e.due > m.clock:
			return nil, fmt.Errorf("value %d came out at %d, but is due at %d: %v early",
				value, m.clock, e.due, e.due-m.clock)
		}
		m.forget(e)
		entries = append(entries, e)
	}
	return entries, nil
}

// handOut checks the order of what came out, also against what is due and still waits, and takes it out of the sorted
// slice. The order is right if every entry's range of turns reaches up to the start of every range before it.
func (m *contractModel) handOut(entries []*modelEntry, dueCount int) error {
	var reached time.Duration
	for _, e := range entries {
		if e.last < reached {
			return fmt.Errorf("value %d, of tick %d, came out after a value of tick %d",
				e.value, e.last, reached)
		}
		reached = max(reached, e.first)
	}
	waiting := slices.DeleteFunc(m.pending[:dueCount], func(e *modelEntry) bool { return m.byID[e.id] == nil })
	if len(waiting) > 0 && waiting[0].last < reached {
		return fmt.Errorf("value %d, of tick %d, waits while a value of tick %d came out",
			waiting[0].value, waiting[0].last, reached)
	}
	m.pending = slices.Delete(m.pending, len(waiting), dueCount)
	return nil
}

func (m *contractModel) checkNext(wake time.Duration, ok bool) error {
	if ok != (len(m.pending) > 0) {
		return fmt.Errorf("Next reports %v with %d values pending", ok, len(m.pending))
	}
	if !ok {
		return nil
	}
	first := m.pending[0].due
	switch {
	case first <= m.clock && wake > m.clock:
		return fmt.Errorf("Next is %d, after the clock at %d, but a value is due already", wake, m.clock)
	case first > m.clock && wake <= m.clock:
		return fmt.Errorf("Next is %d, not after the clock at %d, but nothing is due before %d", wake, m.clock, first)
	case first > m.clock && wake > first:
		return fmt.Errorf("Next is %d, too late for the value that is due at %d", wake, first)
	}
	return nil
}

// checkPeek judges the answer to Peek, where Next was next.
func (m *contractModel) checkPeek(next, wake time.Duration, value uint64, ok bool) error {
	if !ok {
		return nil
	}
	e := m.byValue[value]
	switch {
	case e == nil:
		return fmt.Errorf("Peek shows value %d, which is not pending", value)
	case wake != next:
		return fmt.Errorf("Peek shows value %d at %d, but Next is %d", value, wake, next)
	case e.due > max(wake, m.clock):
		return fmt.Errorf("Peek shows value %d at %d, but it is due at %d", value, wake, e.due)
	}
	return nil
}

func (m *contractModel) checkAll(all iter.Seq2[schedulers.ID, uint64]) error {
	seen := make(map[schedulers.ID]bool, len(m.pending))
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
	if len(seen) < len(m.pending) {
		return fmt.Errorf("All yields %d of %d pending values", len(seen), len(m.pending))
	}
	return nil
}

// checkHeld judges how many cancelled entries take up room.
func checkHeld(w schedulers.Work, pending int) error {
	if limit := uint64(pending + schedulers.MaxHeld); w.Held > limit {
		return fmt.Errorf("%d cancelled entries are held with %d values pending; the limit is %d",
			w.Held, pending, limit)
	}
	return nil
}

func (m *contractModel) state(id schedulers.ID) string {
	e, issued := m.byID[id]
	switch {
	case e != nil:
		return "pending"
	case issued:
		return "stale"
	}
	return "not one of this scheduler's"
}

func (m *contractModel) insert(e *modelEntry, deadline time.Duration) {
	m.seq++
	e.seq = m.seq
	deadline = max(deadline, 0)
	turn := m.scheduler.dueAt(m.clock, deadline)
	e.due, e.first, e.last = turn, turn, turn
	if deadline <= m.clock {
		current := m.clock.Truncate(m.scheduler.Tick)
		e.due, e.first, e.last = m.clock, min(turn, current), max(turn, current)
		if m.clock == end {
			e.last = end // the tick that is cut short by the end has begun, too
		}
	}
	i, _ := slices.BinarySearchFunc(m.pending, e, compareEntries)
	m.pending = slices.Insert(m.pending, i, e)
}

// remove takes e out of the sorted slice.
func (m *contractModel) remove(e *modelEntry) {
	i, _ := slices.BinarySearchFunc(m.pending, e, compareEntries)
	m.pending = slices.Delete(m.pending, i, i+1)
}

// forget takes e out of the maps; its ID is stale from now on.
func (m *contractModel) forget(e *modelEntry) {
	m.byID[e.id] = nil
	delete(m.byValue, e.value)
}

// compareEntries orders entries as contractModel.pending holds them.
func compareEntries(a, b *modelEntry) int {
	return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq))
}
