package replay_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/heapsched"
	"schedbench/internal/replay"
	"schedbench/schedulers"
	"schedbench/workload"
)

// mutant is a scheduler whose methods can be replaced. It cannot reset.
type mutant struct {
	schedulers.Scheduler[uint64]
	schedule func(d time.Duration, v uint64) (schedulers.ID, error)
	cancel   func(id schedulers.ID) bool
	expire   func(now time.Duration, due []uint64) int
	next     func() (time.Duration, bool)
	length   func() int
}

func (m *mutant) Schedule(d time.Duration, v uint64) (schedulers.ID, error) { return m.schedule(d, v) }
func (m *mutant) Cancel(id schedulers.ID) bool                              { return m.cancel(id) }
func (m *mutant) Expire(now time.Duration, due []uint64) int                { return m.expire(now, due) }
func (m *mutant) Next() (time.Duration, bool)                               { return m.next() }
func (m *mutant) Len() int                                                  { return m.length() }

// mutants are schedulers with one fault each.
var mutants = map[string]func(m *mutant){
	"early by two ticks": func(m *mutant) {
		m.schedule = func(d time.Duration, v uint64) (schedulers.ID, error) { return m.Scheduler.Schedule(max(d-2*ms, 0), v) }
	},
	"late by a tick": func(m *mutant) {
		m.schedule = func(d time.Duration, v uint64) (schedulers.ID, error) { return m.Scheduler.Schedule(d+ms, v) }
	},
	"loses every fifth": func(m *mutant) {
		n := 0
		m.expire = func(now time.Duration, due []uint64) int {
			got := m.Scheduler.Expire(now, due)
			if n += got; got > 0 && n%5 == 0 {
				got--
			}
			return got
		}
	},
	"hands one out twice": func(m *mutant) {
		n, last := 0, uint64(0)
		m.expire = func(now time.Duration, due []uint64) int {
			got := m.Scheduler.Expire(now, due)
			if n++; got > 0 && got < len(due) && n > 1 {
				due[got] = last
				got++
			}
			if got > 0 {
				last = due[got-1]
			}
			return got
		}
	},
	"grants a cancellation twice":         func(m *mutant) { m.cancel = func(id schedulers.ID) bool { m.Scheduler.Cancel(id); return true } },
	"refuses a cancellation that it does": func(m *mutant) { m.cancel = func(id schedulers.ID) bool { m.Scheduler.Cancel(id); return false } },
	"grants a cancellation and forgets it": func(m *mutant) {
		m.cancel = func(id schedulers.ID) bool { return id != 0 && m.Scheduler.Len() > 0 }
		m.length = func() int { return 0 }
	},
	"cancels another": func(m *mutant) {
		var ids []schedulers.ID
		m.schedule = func(d time.Duration, v uint64) (schedulers.ID, error) {
			id, err := m.Scheduler.Schedule(d, v)
			ids = append(ids, id)
			return id, err
		}
		m.cancel = func(id schedulers.ID) bool {
			for _, other := range ids {
				if other != id && m.Scheduler.Cancel(other) {
					return true
				}
			}
			return m.Scheduler.Cancel(id)
		}
	},
	"forgets to wake up": func(m *mutant) {
		m.next = func() (time.Duration, bool) {
			wake, ok := m.Scheduler.Next()
			return wake + 3*ms, ok
		}
	},
	"says that nothing is pending":   func(m *mutant) { m.next = func() (time.Duration, bool) { return 0, false } },
	"counts what is pending wrongly": func(m *mutant) { m.length = func() int { return m.Scheduler.Len() + 1 } },
	"never moves Next on": func(m *mutant) {
		m.next = func() (time.Duration, bool) {
			_, ok := m.Scheduler.Next()
			return 0, ok
		}
	},
	"hands out more than there is room for": func(m *mutant) {
		m.expire = func(now time.Duration, due []uint64) int { return m.Scheduler.Expire(now, due) + 1000 }
	},
	"hands out less than nothing": func(m *mutant) {
		m.expire = func(now time.Duration, due []uint64) int { return m.Scheduler.Expire(now, due) - 1000 }
	},
	"hands out without end": func(m *mutant) { m.expire = func(_ time.Duration, due []uint64) int { return len(due) } },
}

// A stream shows the fault: the answer is not the model's, or the scheduler cannot be driven on.
func TestEveryMutantIsCaught(t *testing.T) {
	for name, fault := range mutants {
		t.Run(name, func(t *testing.T) { require.True(t, caught(t, fault)) })
	}
}

func caught(t *testing.T, fault func(*mutant)) bool {
	t.Helper()
	for i := range 100 {
		ops := rapid.Custom(func(t *rapid.T) []workload.Op { return anyStream(t, ms) }).Example(i)
		r, err := run(t, broken(fault), ops)
		if err != nil {
			require.ErrorIs(t, err, replay.ErrContract)
			return true
		}
		if r.Answer != expected(t, ms, ops) {
			return true
		}
	}
	return false
}

func broken(fault func(*mutant)) *mutant {
	s := heapsched.New[uint64]()
	m := &mutant{s, s.Schedule, s.Cancel, s.Expire, s.Next, s.Len}
	fault(m)
	return m
}
