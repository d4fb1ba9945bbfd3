package replay_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/heapsched"
	"schedbench/internal/replay"
	"schedbench/schedulers"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
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

// mutants are schedulers with one fault each, and what is to be said of it.
var mutants = map[string]struct {
	fault func(m *mutant)
	says  []string // one of them
}{
	"early by two ticks": {func(m *mutant) {
		m.schedule = func(d time.Duration, v uint64) (schedulers.ID, error) { return m.Scheduler.Schedule(max(d-2*ms, 0), v) }
	}, []string{", early: it was to fire at"}},
	"late by a tick": {func(m *mutant) {
		m.schedule = func(d time.Duration, v uint64) (schedulers.ID, error) { return m.Scheduler.Schedule(d+ms, v) }
	}, []string{"and has not", ", late: it was to fire at"}},
	"loses every fifth": {func(m *mutant) {
		n := 0
		m.expire = func(now time.Duration, due []uint64) int {
			got := m.Scheduler.Expire(now, due)
			if n += got; got > 0 && n%5 == 0 {
				got--
			}
			return got
		}
	}, []string{"and has not"}},
	"hands one out twice": {func(m *mutant) {
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
	}, []string{"and was not pending"}},
	"grants a cancellation twice":         {func(m *mutant) { m.cancel = func(id schedulers.ID) bool { m.Scheduler.Cancel(id); return true } }, []string{"granted"}},
	"refuses a cancellation that it does": {func(m *mutant) { m.cancel = func(id schedulers.ID) bool { m.Scheduler.Cancel(id); return false } }, []string{"granted"}},
	"grants a cancellation and forgets it": {func(m *mutant) {
		m.cancel = func(id schedulers.ID) bool { return id != 0 && m.Scheduler.Len() > 0 }
		m.length = func() int { return 0 }
	}, []string{"was not pending", "pending"}},
	"cancels another": {func(m *mutant) {
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
	}, []string{"and has not", "and was not pending", "granted"}},
	"forgets to wake up": {func(m *mutant) {
		m.next = func() (time.Duration, bool) {
			wake, ok := m.Scheduler.Next()
			return wake + 3*ms, ok
		}
	}, []string{"and has not", "late"}},
	"says that nothing is pending":   {func(m *mutant) { m.next = func() (time.Duration, bool) { return 0, false } }, []string{"and has not"}},
	"counts what is pending wrongly": {func(m *mutant) { m.length = func() int { return m.Scheduler.Len() + 1 } }, []string{"pending"}},
	"never moves Next on": {func(m *mutant) {
		m.next = func() (time.Duration, bool) {
			_, ok := m.Scheduler.Next()
			return 0, ok
		}
	}, []string{"had nothing to hand out"}},
	"hands out more than there is room for": {func(m *mutant) {
		m.expire = func(now time.Duration, due []uint64) int { return m.Scheduler.Expire(now, due) + 1000 }
	}, []string{"returned 1"}},
	"hands out less than nothing": {func(m *mutant) {
		m.expire = func(now time.Duration, due []uint64) int { return m.Scheduler.Expire(now, due) - 1000 }
	}, []string{"returned -"}},
	"hands out without end": {func(m *mutant) { m.expire = func(_ time.Duration, due []uint64) int { return len(due) } }, []string{"of 1 scheduled", "handed out"}},
}

// A stream shows the fault: the answer is not the model's, and the explanation names what is wrong.
func TestEveryMutantIsCaught(t *testing.T) {
	for name, mutant := range mutants {
		t.Run(name, func(t *testing.T) { require.True(t, caught(t, mutant.fault, mutant.says)) })
	}
}

func caught(t *testing.T, fault func(*mutant), says []string) bool {
	t.Helper()
	for i := range 100 {
		ops := rapid.Custom(func(t *rapid.T) []workload.Op { return anyStream(t, ms) }).Example(i)
		r, err := run(t, broken(fault), ops)
		if err != nil {
			require.ErrorIs(t, err, replay.ErrContract)
		} else if r.Answer == expected(t, ms, ops) {
			continue
		}
		d := explained(t, broken(fault), ms, ops)
		require.NotNil(t, d, "the answer is wrong, so there is a difference")
		for _, s := range says {
			if strings.Contains(d.Error(), s) {
				return true
			}
		}
		t.Log(d)
		return false
	}
	return false
}

func broken(fault func(*mutant)) *mutant {
	s := heapsched.New[uint64]()
	m := &mutant{s, s.Schedule, s.Cancel, s.Expire, s.Next, s.Len}
	fault(m)
	return m
}

// A Difference is at the very operation, and names the timers.
func TestADifferenceIsExplained(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, 2*ms), schedule(0, 1, 4*ms), cancel(ms, 0), schedule(ms, 0, 5*ms+1), schedule(5*ms, 2, 9*ms), cancel(8*ms, 2)}
	d := explained(t, broken(func(m *mutant) {
		m.expire = func(now time.Duration, due []uint64) int {
			n := m.Scheduler.Expire(now, due)
			if now > 6*ms && n > 0 {
				n-- // loses one
			}
			return n
		}
	}), ms, ops)
	require.Equal(t, uint64(6), d.Ops)
	require.Equal(t, ops[5], d.Last)
	require.Equal(t, []string{"timer 0 (use 2 of the number) with deadline 6.000001ms was to fire at 7ms and has not"}, d.Wrong)
	require.Equal(t, 1, d.Count)
	require.Contains(t, d.Error(), "operation 5, a cancel of timer 2 at 8ms, gives 1 fired, 2 granted, 0 refused, 0 pending, hash ")
	require.Contains(t, d.Error(), "; "+d.Wrong[0])

	require.Nil(t, explained(t, heapsched.New[uint64](), ms, ops))

	source := errors.New("the source is broken")
	_, err := replay.Explain(t.Context(), heapsched.New[uint64](), &workloadtest.Stream{Ops: ops, Err: source}, ms)
	require.ErrorIs(t, err, source)
}

// Only the first few of many faults are named.
func TestManyFaultsAreCounted(t *testing.T) {
	var ops []workload.Op
	for i := range 100 {
		ops = append(ops, schedule(0, uint32(i), ms))
	}
	d := explained(t, broken(func(m *mutant) {
		m.expire = func(now time.Duration, due []uint64) int { return 0 * m.Scheduler.Expire(now, due) }
	}), ms, ops)
	require.True(t, d.RunOut)
	require.Equal(t, 100, d.Count)
	require.Len(t, d.Wrong, 8)
	require.Contains(t, d.Error(), "running out after 100 operations, gives 0 fired")
	require.Contains(t, d.Error(), "; and 92 more")
}
