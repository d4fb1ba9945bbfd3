package replay

import (
	"math"
	"time"

	"schedbench/internal/minheap"
	"schedbench/workload"
)

// Model works out the answer to a stream without a scheduler. It knows in which tick each timer is due, and for each tick
// the sum of the mixed values of its timers. It takes memory for the timers that are pending.
type Model struct {
	walk[expected]
	due   map[int64]batch     // by tick, of those that are not over
	ticks minheap.Heap[int64] // those of due, the earliest first
	now   int64               // what is due in this tick or an earlier one has fired
}

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

// NewModel returns a model of the schedulers that are driven at multiples of a tick.
func NewModel(tick time.Duration) (*Model, error) {
	w, err := newWalk[expected](tick)
	if err != nil {
		return nil, err
	}
	return &Model{
		walk: w, due: map[int64]batch{}, now: -1,
		ticks: minheap.Heap[int64]{Less: func(a, b *int64) bool { return *a < *b }},
	}, nil
}

// Play takes the next operations in, each in O(log n) for n ticks with something due. The only error is ErrStream.
func (m *Model) Play(ops []workload.Op) error {
	if err := m.check(ops); err != nil {
		return err
	}
	for i := range ops {
		m.step(&ops[i])
	}
	return nil
}

// RunOut lets all that is pending fire.
func (m *Model) RunOut() { m.fireUpTo(math.MaxInt64) }

func (m *Model) step(op *workload.Op) {
	m.fireUpTo(int64(op.At / m.tick))
	t := &m.timers[op.Timer]
	pending := t.used > 0 && !t.granted && t.tick > m.now
	switch op.Kind {
	case workload.Schedule:
		*t = expected{used: t.used + 1}
		m.add(op, t)
	case workload.Cancel, workload.Reset:
		m.reply(pending)
		if !pending {
			break
		}
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

func (m *Model) fireUpTo(tick int64) {
	for m.ticks.Len() > 0 && *m.ticks.First() <= tick {
		k := m.ticks.Pop()
		b := m.due[k]
		delete(m.due, k)
		m.fire(k, b.sum, b.count)
		m.answer.Pending -= b.count
	}
	m.now = max(m.now, tick)
}
