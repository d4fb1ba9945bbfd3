package replay

import (
	"math"
	"time"

	"schedbench/internal/minheap"
	"schedbench/workload"
)

// Model works out the answer to a stream without a scheduler. It knows in which
// tick each timer is due, and for each tick the sum of the mixed values of the
// timers due in it; a cancellation takes its value from that sum. It takes
// memory for the timers that are pending.
type Model struct {
	clock
	check  opChecker
	timers []expected
	due    map[int64]batch     // by tick, of those that are not over
	ticks  minheap.Heap[int64] // those of due, the earliest first
	answer Answer
	ops    uint64

	now  int64  // what is due in this tick or an earlier one has fired
	last int64  // the tick in which something fired last, and
	sum  uint64 // the sum of its values: more may be due in it
}

// batch is what is due in one tick.
type batch struct {
	sum   uint64
	count int
}

// expected is the latest timer of a number.
type expected struct {
	used    uint32
	granted bool // it was cancelled
	tick    int64
}

// NewModel returns a model of the schedulers that are driven at multiples of a
// tick.
func NewModel(tick time.Duration) (*Model, error) {
	c, err := newClock(tick)
	if err != nil {
		return nil, err
	}
	return &Model{
		clock: c, due: map[int64]batch{}, now: -1,
		ticks: minheap.Heap[int64]{Less: func(a, b *int64) bool { return *a < *b }},
	}, nil
}

// Answer returns the right answer to the operations so far.
func (m *Model) Answer() Answer {
	a := m.answer
	a.Hash += mixTick(m.last, m.sum)
	return a
}

// Ops returns how many operations there have been.
func (m *Model) Ops() uint64 { return m.ops }

// Play takes the next operations of the stream in. The only error is ErrStream.
// An operation costs O(log n) for n ticks with something due.
func (m *Model) Play(ops []workload.Op) error {
	if err := m.check.check(ops); err != nil {
		return err
	}
	if more := m.check.timers - len(m.timers); more > 0 {
		m.timers = append(m.timers, make([]expected, more)...)
	}
	for i := range ops {
		m.step(&ops[i])
	}
	return nil
}

// RunOut lets all that is pending fire.
func (m *Model) RunOut() {
	m.fire(math.MaxInt64)
}

// step takes one operation in.
func (m *Model) step(op *workload.Op) {
	m.fire(int64(op.At / m.tick))
	t := &m.timers[op.Timer]
	pending := t.used > 0 && !t.granted && t.tick > m.now
	switch op.Kind {
	case workload.Schedule:
		*t = expected{used: t.used + 1}
		m.add(op, t)
	case workload.Cancel, workload.Reset:
		if !pending {
			m.answer.Refused++
			break
		}
		m.answer.Granted++
		m.answer.Hash += mixGrant(m.ops)
		m.remove(op, t)
		if op.Kind == workload.Reset {
			m.add(op, t)
		}
	}
	m.ops++
}

// add makes a timer due at the deadline of an operation.
func (m *Model) add(op *workload.Op, t *expected) {
	t.tick = int64(m.ceil(m.deadline(op.At, op.Delay)) / m.tick)
	b, known := m.due[t.tick]
	if !known {
		m.ticks.Push(t.tick)
	}
	m.due[t.tick] = batch{b.sum + mix(valueOf(op.Timer, t.used)), b.count + 1}
	m.answer.Pending++
}

// remove takes a pending timer out of its tick, which it may leave empty.
func (m *Model) remove(op *workload.Op, t *expected) {
	b := m.due[t.tick]
	m.due[t.tick] = batch{b.sum - mix(valueOf(op.Timer, t.used)), b.count - 1}
	m.answer.Pending--
	t.granted = op.Kind == workload.Cancel
}

// fire lets fire what is due up to a tick.
func (m *Model) fire(tick int64) {
	for m.ticks.Len() > 0 && *m.ticks.First() <= tick {
		k := m.ticks.Pop()
		b := m.due[k]
		delete(m.due, k)
		if k != m.last {
			m.answer.Hash += mixTick(m.last, m.sum)
			m.last, m.sum = k, 0
		}
		m.sum += b.sum
		m.answer.Fired += uint64(b.count)
		m.answer.Pending -= b.count
	}
	m.now = max(m.now, tick)
}
