package fifosched

import (
	"fmt"
	"iter"
	"reflect"
	"time"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

const (
	next = 0 // link: the value due after this one in its queue, or an end
	prev = 1 // link: the value due before this one in its queue, or an end
)

// Queues holds values in queues. Make one with New.
type Queues[T any] struct {
	values store.Store[[2]uint32, dated[T]]
	index  index
	clock  time.Duration
	clear  bool // T has pointers, so values are erased when they leave
	schedulers.Owned
}

// dated is a value and its deadline.
type dated[T any] struct {
	deadline time.Duration
	value    T
}

// New returns no queues.
func New[T any]() *Queues[T] {
	return &Queues[T]{
		values: store.New[[2]uint32, dated[T]](),
		index:  newIndex(),
		clear:  store.HasPointers(reflect.TypeFor[T]()),
	}
}

// Schedule keeps value until deadline. It fails only with schedulers.ErrFull. O(log q) with q queues.
func (s *Queues[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	i, c := s.values.Alloc()
	if c == nil {
		return 0, fmt.Errorf("fifosched: %w: %d", schedulers.ErrFull, s.Len())
	}
	gen := c.Gen
	deadline = max(deadline, s.clock)
	*s.values.Val(i) = dated[T]{deadline, value}
	s.join(i, c, deadline)
	return schedulers.MakeID(i, gen), nil
}

// join puts cell i, which is c, at the end of the queue that it belongs in.
func (s *Queues[T]) join(i uint32, c *store.Cell[[2]uint32], deadline time.Duration) {
	at := s.index.find(deadline)
	q := s.index.queues.Now[at]
	c.Link = [2]uint32{next: end | at, prev: q.last}
	if q.last&end == 0 {
		s.values.Cell(q.last).Link[next] = i
		q.last = i
		s.index.queues.Set(int(at), q)
		return
	}
	q.first, q.last = i, i
	s.index.queues.Set(int(at), q)
	s.index.begin(at, deadline)
}

// Cancel reports whether id was pending, and takes its value out. O(1), and O(log q) for the first value of a queue.
func (s *Queues[T]) Cancel(id schedulers.ID) bool {
	c := s.values.Find(id.Cell(), id.Generation())
	if c == nil {
		return false
	}
	s.leave(c)
	s.drop(id.Cell(), c)
	return true
}

// leave takes a cell out of its queue.
func (s *Queues[T]) leave(c *store.Cell[[2]uint32]) {
	before, after := c.Link[prev], c.Link[next]
	if before&end != 0 {
		s.shorten(before&^end, after)
		return
	}
	s.values.Cell(before).Link[next] = after
	if after&end == 0 {
		s.values.Cell(after).Link[prev] = before
		return
	}
	q := s.index.queues.Now[after&^end]
	q.last = before
	s.index.queues.Set(int(after&^end), q)
}

// shorten has a queue begin with first, one of its cells, or empties it if first is its end.
func (s *Queues[T]) shorten(at, first uint32) {
	q := s.index.queues.Now[at]
	q.first = first
	if first&end != 0 {
		q.last = first
		s.index.queues.Set(int(at), q)
		s.index.cease(at)
		return
	}
	s.index.queues.Set(int(at), q)
	c, v := s.values.Both(first)
	c.Link[prev] = end | at
	s.index.postpone(q.place, v.deadline)
}

// drop gives a cell back that is in no queue any more.
func (s *Queues[T]) drop(i uint32, c *store.Cell[[2]uint32]) {
	if s.clear {
		*s.values.Val(i) = dated[T]{}
	}
	s.values.Free(i, c)
}

// Reset moves the pending value of id to deadline. The error is always nil. O(log q).
func (s *Queues[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	i := id.Cell()
	c := s.values.Find(i, id.Generation())
	if c == nil {
		return false, nil
	}
	s.leave(c)
	deadline = max(deadline, s.clock)
	s.values.Val(i).deadline = deadline
	s.join(i, c, deadline)
	return true, nil
}

// Expire moves the clock to now and hands out what is due, in the order of the deadlines. O(log q) for each value, and
// O(1) for those that come from one queue.
func (s *Queues[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < s.clock {
		return 0
	}
	s.clock = now
	for n < len(due) {
		at, until, ok := s.index.first(now)
		if !ok {
			break
		}
		n += s.takeFrom(at, until, due[n:])
	}
	return n
}

// takeFrom hands out the first values of a queue that are due at an instant and fit in due: one at least.
func (s *Queues[T]) takeFrom(at uint32, until time.Duration, due []T) (n int) {
	i := s.index.queues.Now[at].first
	for n < len(due) && i&end == 0 {
		c, v := s.values.Both(i)
		if v.deadline > until {
			break
		}
		due[n] = v.value
		n++
		after := c.Link[next]
		s.drop(i, c)
		i = after
	}
	s.shorten(at, i)
	return n
}

// Next returns the first deadline. O(1).
func (s *Queues[T]) Next() (wake time.Duration, ok bool) {
	if len(s.index.heads.Now) == 0 {
		return 0, false
	}
	return s.index.heads.Now[0].deadline, true
}

// Peek returns the first deadline and a value that has it. O(1).
func (s *Queues[T]) Peek() (wake time.Duration, value T, ok bool) {
	if len(s.index.heads.Now) == 0 {
		return 0, value, false
	}
	first := s.index.queues.Now[s.index.heads.Now[0].queue].first
	v := s.values.Val(first)
	return v.deadline, v.value, true
}

// Len returns the number of pending values. O(1).
func (s *Queues[T]) Len() int { return s.values.Used() }

// Count returns the number of queues, with the empty ones that may be joined again. O(1).
func (s *Queues[T]) Count() int { return len(s.index.queues.Now) }

// All yields the pending values.
func (s *Queues[T]) All() iter.Seq2[schedulers.ID, T] {
	return func(yield func(schedulers.ID, T) bool) {
		for i, c := range s.values.All() {
			if !yield(schedulers.MakeID(i, c.Gen), s.values.Val(i).value) {
				return
			}
		}
	}
}

// Work returns the work counters: Visits of searches among the queues, Levels and Moves of the heap of queues.
func (s *Queues[T]) Work() schedulers.Work {
	return s.index.work.Add(schedulers.Work{Upkeep: s.values.Upkeep()})
}
