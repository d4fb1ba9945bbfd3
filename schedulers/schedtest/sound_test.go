package schedtest_test

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"time"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

// sound is a scheduler that keeps the contract: a binary heap of cells, the
// cells in pages that are given back when they are empty. The mutants are
// sound but for one fault.
type sound struct {
	tick, horizon, clock time.Duration

	due func(clock, deadline time.Duration) time.Duration // Subject.Due

	heap  []place
	pages [][]soundCell // nil where a page was given back
	used  []int         // cells in use, by page
	free  []uint32      // cells of present pages that are not in use
	gen   uint32        // one for all cells, so that pages may go and come
	work  schedulers.Work
}

// place is a position in the heap.
type place struct {
	turn time.Duration // when it is due
	cell uint32
}

type soundCell struct {
	gen, pos uint32 // gen 0: not in use
	value    uint64
}

const pageSize = 256

// subjectOf describes a variant of sound.
func subjectOf(tick, horizon time.Duration, wrap func(*sound) schedulers.Scheduler[uint64]) schedtest.Subject {
	return schedtest.Subject{
		Name: fmt.Sprintf("tick %v, horizon %v", tick, horizon),
		Tick: tick, Horizon: horizon,
		New: func() (schedulers.Scheduler[uint64], error) {
			return wrap(&sound{tick: tick, horizon: horizon}), nil
		},
	}
}

// coarse describes a variant of sound that rounds longer delays up further.
func coarse(tick time.Duration, wrap func(*sound) schedulers.Scheduler[uint64]) schedtest.Subject {
	due := roundsToPowers(tick)
	s := subjectOf(tick, 0, func(s *sound) schedulers.Scheduler[uint64] {
		s.due = due
		return wrap(s)
	})
	s.Name += ", coarse"
	s.Due = due
	return s
}

// roundsToPowers rounds a deadline up to a power of two of ticks that is at most
// a quarter of the delay, or to a tick.
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
	i := s.alloc()
	s.gen++
	*s.at(i) = soundCell{gen: s.gen, pos: uint32(len(s.heap)), value: value}
	s.heap = append(s.heap, place{turn, i})
	s.up(len(s.heap) - 1)
	return schedulers.MakeID(i, s.gen), nil
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

// pending returns the cell of id, or nil.
func (s *sound) pending(id schedulers.ID) *soundCell {
	p := int(id.Cell() / pageSize)
	if id.Generation() == 0 || p >= len(s.pages) || s.pages[p] == nil {
		return nil
	}
	if c := s.at(id.Cell()); c.gen == id.Generation() {
		return c
	}
	return nil
}

func (s *sound) Cancel(id schedulers.ID) bool {
	c := s.pending(id)
	if c == nil {
		return false
	}
	s.drop(int(c.pos))
	return true
}

func (s *sound) Value(id schedulers.ID) *uint64 {
	if c := s.pending(id); c != nil {
		return &c.value
	}
	return nil
}

func (s *sound) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	c := s.pending(id)
	if c == nil {
		return false, nil
	}
	turn, err := s.turn(deadline)
	if err != nil {
		return true, err
	}
	pos := int(c.pos)
	s.heap[pos].turn = turn
	s.up(pos)
	s.down(int(c.pos))
	return true, nil
}

func (s *sound) Expire(now time.Duration, due []uint64) (n int) {
	now = max(now, 0)
	if now < s.clock {
		return 0
	}
	s.clock = now
	for n < len(due) && len(s.heap) > 0 && s.heap[0].turn <= now {
		due[n] = s.at(s.heap[0].cell).value
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
			c := s.at(p.cell)
			if !yield(schedulers.MakeID(p.cell, c.gen), c.value) {
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
		s.up(i)
		s.down(i)
	}
	s.release(gone)
	if cap(s.heap) > 2*pageSize && len(s.heap) < cap(s.heap)/4 {
		s.heap = append(make([]place, 0, cap(s.heap)/2), s.heap...)
	}
}

func (s *sound) up(i int) {
	for i > 0 && s.less(i, (i-1)/2) {
		s.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (s *sound) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(s.heap) {
			return
		}
		if child+1 < len(s.heap) && s.less(child+1, child) {
			child++
		}
		if !s.less(child, i) {
			return
		}
		s.swap(i, child)
		i = child
	}
}

func (s *sound) less(i, j int) bool {
	s.work.Visits++
	return cmp.Less(s.heap[i].turn, s.heap[j].turn)
}

func (s *sound) swap(i, j int) {
	s.work.Moves++
	a, b := s.heap[i], s.heap[j]
	s.set(i, b)
	s.set(j, a)
}

// set puts p at heap position i.
func (s *sound) set(i int, p place) {
	s.heap[i] = p
	s.at(p.cell).pos = uint32(i)
}

func (s *sound) at(i uint32) *soundCell { return &s.pages[i/pageSize][i%pageSize] }

// alloc returns a cell that is not in use.
func (s *sound) alloc() uint32 {
	if len(s.free) == 0 {
		s.addPage()
	}
	i := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	s.used[i/pageSize]++
	return i
}

func (s *sound) addPage() {
	p := 0
	for p < len(s.pages) && s.pages[p] != nil {
		p++
	}
	if p == len(s.pages) {
		s.pages = append(s.pages, nil)
		s.used = append(s.used, 0)
	}
	s.pages[p] = make([]soundCell, pageSize)
	for i := range uint32(pageSize) {
		s.free = append(s.free, uint32(p)*pageSize+i)
	}
}

// release marks a cell as not in use, and gives empty pages back when most
// cells are free.
func (s *sound) release(i uint32) {
	s.at(i).gen = 0
	s.used[i/pageSize]--
	s.free = append(s.free, i)
	if len(s.free) < 8*pageSize || len(s.free) < 4*len(s.heap) {
		return
	}
	kept := make([]uint32, 0, len(s.free)/2)
	for _, i := range s.free {
		if s.used[i/pageSize] > 0 {
			kept = append(kept, i)
		} else {
			s.pages[i/pageSize] = nil
		}
	}
	s.free = kept
}
