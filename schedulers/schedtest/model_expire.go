package schedtest

import (
	"fmt"
	"slices"
	"sort"
	"time"
)

// CheckExpire judges the answer to Expire(now, due), where room is the length
// of due and got what was stored in it.
func (m *Model) CheckExpire(now time.Duration, room int, got []uint64) error {
	now = max(now, 0)
	if now < m.clock {
		if len(got) > 0 {
			return fmt.Errorf("%d values came out, though now is before the clock", len(got))
		}
		return nil
	}
	m.clock = now
	dueCount := m.dueCount()
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

// dueCount returns how many values are due at the clock.
func (m *Model) dueCount() int {
	return sort.Search(len(m.pending), func(i int) bool { return m.pending[i].due > m.clock })
}

// recognise finds the pending entries of the values that came out and checks
// that each is due and there once. They are not pending afterwards.
func (m *Model) recognise(got []uint64) ([]*modelEntry, error) {
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

// handOut checks the order of what came out, also against what is due and still
// waits, and takes it out of the sorted slice. The order is right if every
// entry's range of turns reaches up to the start of every range before it.
func (m *Model) handOut(entries []*modelEntry, dueCount int) error {
	var reached time.Duration
	for _, e := range entries {
		if e.last < reached {
			return fmt.Errorf("value %d, of tick %d, came out after a value of tick %d",
				e.value, e.last, reached)
		}
		reached = max(reached, e.first)
	}
	if len(entries) == dueCount {
		m.pending = slices.Delete(m.pending, 0, dueCount)
		return nil
	}
	for _, e := range entries {
		m.remove(e)
	}
	if waiting := m.pending[0]; waiting.last < reached {
		return fmt.Errorf("value %d, of tick %d, waits while a value of tick %d came out",
			waiting.value, waiting.last, reached)
	}
	return nil
}

// CheckNext judges the answer (wake, ok) to Next.
func (m *Model) CheckNext(wake time.Duration, ok bool) error {
	if ok != (m.Len() > 0) {
		return fmt.Errorf("Next reports %v with %d values pending", ok, m.Len())
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
