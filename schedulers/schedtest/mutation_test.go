package schedtest_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

const end = time.Duration(math.MaxInt64)

type scheduler = schedulers.Scheduler[uint64]

// mutation names a mutant and the case that is meant to catch it.
type mutation struct {
	name, caught string
	mutant       func(*sound) scheduler
	unseen       bool // by the model, because no answer is wrong
	horizon      time.Duration
	coarse       bool // is a mutant of what rounds further than to a tick
}

// described returns the mutant as the suite sees it.
func (m mutation) described() schedtest.Scheduler {
	if m.coarse {
		return coarse(time.Millisecond, m.mutant)
	}
	return described(time.Millisecond, m.horizon, m.mutant)
}

func mutations() []mutation {
	return []mutation{
		{name: "fires a tick early", caught: "in-time", mutant: nows(func(m *sound, now time.Duration) time.Duration { return max(now, now+m.tick) })},
		{name: "fires a nanosecond early", caught: "in-time", mutant: nows(func(m *sound, now time.Duration) time.Duration { return max(now, now+1) })},
		{name: "fires a tick late", caught: "in-time", mutant: nows(func(m *sound, now time.Duration) time.Duration { return min(now, now-m.tick) })},
		{name: "rounds down", caught: "in-time", mutant: deadlines(func(m *sound, deadline time.Duration) time.Duration { return deadline - deadline%m.tick })},
		{name: "rounds multiples up", caught: "in-time", mutant: deadlines(func(m *sound, deadline time.Duration) time.Duration {
			if deadline > m.clock && deadline%m.tick == 0 {
				return max(deadline, deadline+1)
			}
			return deadline
		})},
		{name: "rounds to a tick only", caught: "in-time", coarse: true, mutant: deadlines(func(m *sound, deadline time.Duration) time.Duration {
			m.due = nil
			return deadline
		})},
		{name: "rounds by the deadline", caught: "in-time", coarse: true, mutant: schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
			due := m.due
			defer func() { m.due = due }()
			m.due = func(_, deadline time.Duration) time.Duration { return due(0, deadline) }
			return m.Schedule(deadline, value)
		})},
		{name: "lets the past wait", caught: "past-deadline", mutant: deadlines(func(m *sound, deadline time.Duration) time.Duration {
			return max(deadline, m.clock+min(1, end-m.clock))
		})},
		{name: "moves the clock back", caught: "clock-backwards", mutant: nows(func(m *sound, now time.Duration) time.Duration {
			m.clock = min(m.clock, max(now, 0))
			return now
		})},
		{name: "yields at a now before the clock", caught: "clock-backwards", mutant: nows(func(m *sound, now time.Duration) time.Duration { return max(now, m.clock) })},
		{name: "hands out twice", caught: "clock-backwards", mutant: repeats},
		{name: "reverses the order", caught: "order", mutant: expires(func(m *sound, now time.Duration, due []uint64) int {
			n := m.Expire(now, due)
			slices.Reverse(due[:n])
			return n
		})},
		{name: "drops equal deadlines", caught: "same-value", mutant: schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
			id, err := m.Schedule(deadline, value)
			if i := len(m.heap) - 1; i > 2000 && m.heap[i].turn == m.heap[i-1].turn {
				m.drop(i)
			}
			return id, err
		})},
		{name: "drops what does not fit", caught: "order", mutant: expires(func(m *sound, now time.Duration, due []uint64) int {
			n := m.Expire(now, due)
			for len(due) > 0 && n == len(due) && m.Len() > 0 && m.heap[0].turn <= now {
				m.drop(0)
			}
			return n
		})},
		{name: "drops without a buffer", caught: "clock-backwards", mutant: expires(func(m *sound, now time.Duration, due []uint64) int {
			n := m.Expire(now, due)
			if len(due) == 0 && m.Len() > 0 && m.heap[0].turn <= now {
				m.drop(0)
			}
			return n
		})},
		{name: "loses one of many", caught: "many-values", unseen: true, mutant: schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
			id, err := m.Schedule(deadline, value)
			if m.Len() == 1<<16 {
				m.drop(m.Len() - 1)
			}
			return id, err
		})},
		{name: "cancels twice", caught: "cancel", mutant: cancelsTwice},
		{name: "loses another on cancel", caught: "cancel-spares-others", mutant: cancels(func(m *sound, id schedulers.ID) bool {
			ok := m.Cancel(id)
			if ok && m.Len() > 100 {
				m.drop(m.Len() - 1)
			}
			return ok
		})},
		{name: "cancels what has fired", caught: "cancel", mutant: cancelsFired},
		{name: "does not cancel what waits", caught: "waiting", mutant: cancels(func(m *sound, id schedulers.ID) bool {
			if m.waits(id) {
				return false
			}
			return m.Cancel(id)
		})},
		{name: "hands out what was cancelled", caught: "waiting", mutant: cancels(func(m *sound, id schedulers.ID) bool {
			if m.waits(id) && m.Len() > 20 {
				return true
			}
			return m.Cancel(id)
		})},
		{name: "accepts stale IDs", caught: "old-ids", mutant: cancels(func(m *sound, id schedulers.ID) bool {
			for _, p := range m.heap {
				if p.cell == id.Cell() && id.Generation() > 0 {
					id = schedulers.MakeID(p.cell, m.cells.Cell(p.cell).Gen)
				}
			}
			return m.Cancel(id)
		})},
		{name: "panics on garbage", caught: "foreign-ids", mutant: cancels(func(m *sound, id schedulers.ID) bool {
			_ = m.cells.Cell(id.Cell())
			return m.Cancel(id)
		})},
		{name: "repeats IDs", caught: "old-ids", mutant: schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
			id, err := m.Schedule(deadline, value)
			return schedulers.MakeID(id.Cell(), id.Generation()%100), err
		})},
		{name: "shares its state", caught: "foreign-ids", mutant: sharing()},
		{name: "counts the cancelled", caught: "cancel", mutant: func(s *sound) scheduler { return ignoresCancelled{s, new(int)} }},
		{name: "has always a next", caught: "in-time", mutant: wakes(func(m *sound) (time.Duration, bool) {
			wake, _ := m.Next()
			return wake, true
		})},
		{name: "wakes too late", caught: "in-time", mutant: wakes(func(m *sound) (time.Duration, bool) {
			wake, ok := m.Next()
			return max(wake, wake+1), ok
		})},
		{name: "sleeps while something is due", caught: "waiting", mutant: wakes(func(m *sound) (time.Duration, bool) {
			wake, ok := m.Next()
			return max(wake, m.clock+1), ok
		})},
		{name: "never sleeps", caught: "waiting", mutant: wakes(func(m *sound) (time.Duration, bool) { return m.clock, m.Len() > 0 })},
		{name: "wakes for the cancelled", caught: "waiting", mutant: wakesForCancelled},
		{name: "sleeps by the nanosecond", caught: "next-suffices", unseen: true, mutant: wakes(func(m *sound) (time.Duration, bool) {
			wake, ok := m.Next()
			return min(wake, max(m.clock, m.clock+1)), ok
		})},
		{name: "overflows", caught: "in-time", mutant: deadlines(func(m *sound, deadline time.Duration) time.Duration {
			if deadline+m.tick < deadline {
				return 0
			}
			return deadline
		})},
		{name: "strands the last tick", caught: "in-time", mutant: nows(strands)},
		{name: "strands the end of time", caught: "past-deadline", mutant: nows(strands)},
		{name: "refuses within the horizon", caught: "in-time", horizon: 512 * time.Millisecond, mutant: schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
			m.horizon /= 2
			defer func() { m.horizon *= 2 }()
			return m.Schedule(deadline, value)
		})},
		{name: "refuses without figures", caught: "in-time", horizon: 512 * time.Millisecond, mutant: schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
			id, err := m.Schedule(deadline, value)
			if err != nil {
				err = schedulers.ErrBeyondHorizon
			}
			return id, err
		})},
		{name: "measures the horizon from zero", caught: "in-time", horizon: time.Minute, mutant: schedules(func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error) {
			if deadline > 1<<40 {
				return 0, schedulers.ErrFull
			}
			return m.Schedule(deadline, value)
		})},
		{name: "ignores a later reset", caught: "reset", mutant: resets(func(m *sound, id schedulers.ID, deadline time.Duration) (bool, error) {
			if i := m.find(id); i >= 0 && deadline > m.heap[i].turn {
				return true, nil
			}
			return m.Reset(id, deadline)
		})},
		{name: "does not reset what waits", caught: "waiting", mutant: resets(func(m *sound, id schedulers.ID, deadline time.Duration) (bool, error) {
			if m.waits(id) {
				return true, nil
			}
			return m.Reset(id, deadline)
		})},
		{name: "loses what it cannot reset", caught: "reset", horizon: 512 * time.Millisecond, mutant: resets(func(m *sound, id schedulers.ID, deadline time.Duration) (bool, error) {
			ok, err := m.Reset(id, deadline)
			if err != nil {
				m.Cancel(id)
			}
			return ok, err
		})},
		{name: "lists too few", caught: "cancel", mutant: func(s *sound) scheduler { return allMissesOne{s} }},
		{name: "shows the wrong instant", caught: "in-time", mutant: func(s *sound) scheduler { return shows{s, showsFirst, 1} }},
		{name: "shows what comes last", caught: "order", mutant: func(s *sound) scheduler { return shows{s, showsLast, 0} }},
		{name: "misreports the tick", caught: "resolution", unseen: true, mutant: func(s *sound) scheduler { return misreportsTick{s} }},
		{name: "steps through the ticks", caught: "long-jump", unseen: true, mutant: func(s *sound) scheduler { return &stepsThroughTicks{extra{sound: s}} }},
		{name: "pays for idle time", caught: "idle-jump", unseen: true, mutant: func(s *sound) scheduler { return &paysWhenIdle{extra{sound: s}} }},
		{name: "hoards the cancelled", caught: "held-bound", mutant: func(s *sound) scheduler { return &hoards{extra{sound: s}} }},
		{name: "allocates", caught: "no-allocations", unseen: true, mutant: func(s *sound) scheduler { return &allocates{sound: s} }},
		{name: "never gives back", caught: "memory-returns", unseen: true, mutant: neverGivesBack},
	}
}

func TestMutantsAreCaught(t *testing.T) {
	for _, m := range mutations() {
		t.Run(m.name, func(t *testing.T) {
			s := m.described()
			assert.Error(t, caseNamed(t, m.caught).Verify(s).Err, "%s does not catch it", m.caught)
			if m.unseen {
				assert.NoError(t, schedtest.Compare(s, 1, 5_000))
			} else {
				assert.Error(t, schedtest.Compare(s, 1, 100_000))
			}
		})
	}
}
