package schedtest_test

import (
	"container/heap"
	"fmt"
	"iter"
	"math"
	"time"

	"schedbench/internal/store"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

// sound is a scheduler that keeps the contract: a binary heap, with the values in a
// store. The mutants are sound but for one fault.
type sound struct {
	tick, horizon, clock time.Duration

	due func(clock, deadline time.Duration) time.Duration // Scheduler.Due

	heap  []place
	cells store.Store[[1]uint32, uint64] // link: the position in the heap
	work  schedulers.Work
}

func newSound(tick, horizon time.Duration) *sound {
	return &sound{tick: tick, horizon: horizon, cells: store.New[[1]uint32, uint64]()}
}

// place is a position in the heap.
type place struct {
	turn time.Duration // when it is due
	cell uint32
}

// described returns a variant of sound as the suite sees it.
func described(tick, horizon time.Duration, wrap func(*sound) schedulers.Scheduler[uint64]) schedtest.Scheduler {
	return schedtest.Scheduler{
		Name: fmt.Sprintf("tick %v, horizon %v", tick, horizon),
		Tick: tick, Horizon: horizon,
		New: func() (schedulers.Scheduler[uint64], error) { return wrap(newSound(tick, horizon)), nil },
	}
}

// coarse describes a variant of sound that rounds longer delays up further.
func coarse(tick time.Duration, wrap func(*sound) schedulers.Scheduler[uint64]) schedtest.Scheduler {
	due := roundsToPowers(tick)
	s := described(tick, 0, func(s *sound) schedulers.Scheduler[uint64] {
		s.due = due
		return wrap(s)
	})
	s.Name += ", coarse"
	s.Due = due
	return s
}

// roundsToPowers rounds a deadline up to a power of two of ticks that is at most a quarter of the delay, or to a tick.
func roundsToPowers(tick time.Duration) func(clock, deadline time.Duration) time.Duration {
	return func(clock, deadline time.Duration) time.Duration {
		unit := tick
		for unit <= (deadline-clock)/8 {
			unit *= 2
		}
		if rest := deadline % unit; rest > 0 && deadline > math.MaxInt64-(unit-rest) {
			return math.MaxInt64
		} else if rest > 0 {
			return deadline + unit - rest
		}
		return deadline
	}
}

func unchanged(s *sound) schedulers.Scheduler[uint64] { return s }

func (s *sound) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	turn, err := s.turn(deadline)
	if err != nil {
		return 0, err
	}
	i, c := s.cells.Alloc()
	if c == nil {
		return 0, schedulers.ErrFull
	}
	*s.cells.Val(i) = value
	s.heap = append(s.heap, place{})
	s.set(len(s.heap)-1, place{turn, i})
	heap.Fix(s, len(s.heap)-1)
	return schedulers.MakeID(i, c.Gen), nil
}

// turn returns when a value of this deadline is due.
func (s *sound) turn(deadline time.Duration) (time.Duration, error) {
	switch {
	case deadline <= s.clock && s.tick == 0:
		return max(deadline, 0), nil
	case deadline <= s.clock:
		return s.clock - s.clock%s.tick, nil
	case s.horizon > 0 && deadline-s.clock > s.horizon:
		return 0, fmt.Errorf("%w: %v is more than %v ahead", schedulers.ErrBeyondHorizon, deadline, s.horizon)
	case s.due != nil:
		return s.due(s.clock, deadline), nil
	case s.tick == 0 || deadline%s.tick == 0:
		return deadline, nil
	case deadline-deadline%s.tick > math.MaxInt64-s.tick:
		return math.MaxInt64, nil
	}
	return deadline - deadline%s.tick + s.tick, nil
}

// find returns the position of a pending value in the heap, or -1.
func (s *sound) find(id schedulers.ID) int {
	if c := s.cells.Find(id.Cell(), id.Generation()); c != nil {
		return int(c.Link[0])
	}
	return -1
}

// waits reports whether the value of id is due and was not handed out.
func (s *sound) waits(id schedulers.ID) bool {
	i := s.find(id)
	return i >= 0 && s.heap[i].turn <= s.clock
}

func (s *sound) Cancel(id schedulers.ID) bool {
	i := s.find(id)
	if i >= 0 {
		s.drop(i)
	}
	return i >= 0
}

func (s *sound) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	i := s.find(id)
	if i < 0 {
		return false, nil
	}
	turn, err := s.turn(deadline)
	if err != nil {
		return true, err
	}
	s.heap[i].turn = turn
	heap.Fix(s, i)
	return true, nil
}

func (s *sound) Expire(now time.Duration, due []uint64) (n int) {
	now = max(now, 0)
	if now < s.clock {
		return 0
	}
	s.clock = now
	for n < len(due) && len(s.heap) > 0 && s.heap[0].turn <= now {
		due[n] = *s.cells.Val(s.heap[0].cell)
		s.drop(0)
		n++
	}
	return n
}

func (s *sound) Next() (time.Duration, bool) {
	if len(s.heap) == 0 {
		return 0, false
	}
	return s.heap[0].turn, true
}

func (s *sound) Len() int { return len(s.heap) }

func (s *sound) Tick() time.Duration { return s.tick }

func (s *sound) Work() schedulers.Work { return s.work }

func (s *sound) All() iter.Seq2[schedulers.ID, uint64] {
	return func(yield func(schedulers.ID, uint64) bool) {
		for _, p := range s.heap {
			if !yield(schedulers.MakeID(p.cell, s.cells.Cell(p.cell).Gen), *s.cells.Val(p.cell)) {
				return
			}
		}
	}
}

// drop takes the value at heap position i out.
func (s *sound) drop(i int) {
	last := len(s.heap) - 1
	gone := s.heap[i].cell
	s.set(i, s.heap[last])
	s.heap = s.heap[:last]
	if i < last {
		heap.Fix(s, i)
	}
	s.cells.Free(gone, s.cells.Cell(gone))
	if cap(s.heap) > 512 && len(s.heap) < cap(s.heap)/4 {
		s.heap = append(make([]place, 0, cap(s.heap)/2), s.heap...)
	}
}

// Less, Swap, Push and Pop make it a heap.Interface. Push and Pop are never called: they would box each place.
func (s *sound) Less(i, j int) bool {
	s.work.Visits++
	return s.heap[i].turn < s.heap[j].turn
}

func (s *sound) Swap(i, j int) {
	s.work.Moves++
	a, b := s.heap[i], s.heap[j]
	s.set(i, b)
	s.set(j, a)
}

func (s *sound) Push(any) {}
func (s *sound) Pop() any { return nil }

// set puts p at heap position i.
func (s *sound) set(i int, p place) {
	s.heap[i] = p
	s.cells.Cell(p.cell).Link[0] = uint32(i)
}
