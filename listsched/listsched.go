package listsched

import (
	"fmt"
	"iter"
	"reflect"
	"time"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

const (
	next = 0 // link: the value due after this one, or store.None
	prev = 1 // link: the value due before this one, or store.None
)

// List is a sorted list. Make one with New.
type List[T any] struct {
	values      store.Store[[2]uint32, timed[T]]
	first, last uint32
	clock       time.Duration
	clear       bool // T has pointers, so values are erased when they leave
	work        schedulers.Work
	schedulers.Owned
}

// timed is a value and its deadline.
type timed[T any] struct {
	deadline time.Duration
	value    T
}

// New returns an empty list.
func New[T any]() *List[T] {
	return &List[T]{
		values: store.New[[2]uint32, timed[T]](),
		first:  store.None,
		last:   store.None,
		clear:  store.HasPointers(reflect.TypeFor[T]()),
	}
}

// Schedule keeps value until deadline. It fails only with schedulers.ErrFull. O(n): it passes every value due later.
func (l *List[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	i, c := l.values.Alloc()
	if c == nil {
		return 0, fmt.Errorf("listsched: %w: %d", schedulers.ErrFull, l.Len())
	}
	deadline = max(deadline, l.clock)
	*l.values.Val(i) = timed[T]{deadline, value}
	l.insert(i, c, deadline)
	return schedulers.MakeID(i, c.Gen), nil
}

// insert links cell i behind the last value that is due no later.
func (l *List[T]) insert(i uint32, c *store.Cell[[2]uint32], deadline time.Duration) {
	after, before := uint32(store.None), l.last
	for before != store.None && l.values.Val(before).deadline > deadline {
		after, before = before, l.values.Cell(before).Link[prev]
		l.work.Visits++
	}
	c.Link = [2]uint32{after, before}
	l.join(before, i)
	l.join(i, after)
}

// join makes b the value that follows a. Either may be None, for the ends.
func (l *List[T]) join(a, b uint32) {
	if a == store.None {
		l.first = b
	} else {
		l.values.Cell(a).Link[next] = b
	}
	if b == store.None {
		l.last = a
	} else {
		l.values.Cell(b).Link[prev] = a
	}
}

// Cancel reports whether id was pending, and takes its value out. O(1).
func (l *List[T]) Cancel(id schedulers.ID) bool {
	c := l.values.Find(id.Cell(), id.Generation())
	if c == nil {
		return false
	}
	l.remove(id.Cell(), c)
	return true
}

// remove unlinks cell i and gives it back.
func (l *List[T]) remove(i uint32, c *store.Cell[[2]uint32]) {
	l.join(c.Link[prev], c.Link[next])
	if l.clear {
		*l.values.Val(i) = timed[T]{}
	}
	l.values.Free(i, c)
}

// Reset moves the pending value of id to deadline. The error is always nil. O(n), as Schedule.
func (l *List[T]) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	i := id.Cell()
	c := l.values.Find(i, id.Generation())
	if c == nil {
		return false, nil
	}
	l.join(c.Link[prev], c.Link[next])
	deadline = max(deadline, l.clock)
	l.values.Val(i).deadline = deadline
	l.insert(i, c, deadline)
	return true, nil
}

// Expire moves the clock to now and hands out what is due. O(1) for each value.
func (l *List[T]) Expire(now time.Duration, due []T) (n int) {
	if now = max(now, 0); now < l.clock {
		return 0
	}
	l.clock = now
	for n < len(due) && l.first != store.None {
		v := l.values.Val(l.first)
		if v.deadline > now {
			break
		}
		due[n] = v.value
		n++
		l.remove(l.first, l.values.Cell(l.first))
	}
	return n
}

// Next returns the first deadline. O(1).
func (l *List[T]) Next() (wake time.Duration, ok bool) {
	if l.first == store.None {
		return 0, false
	}
	return l.values.Val(l.first).deadline, true
}

// Peek returns the first deadline and its value. O(1).
func (l *List[T]) Peek() (wake time.Duration, value T, ok bool) {
	if l.first == store.None {
		return 0, value, false
	}
	v := l.values.Val(l.first)
	return v.deadline, v.value, true
}

// Len returns the number of pending values. O(1).
func (l *List[T]) Len() int { return l.values.Used() }

// All yields the pending values in the order of their deadlines.
func (l *List[T]) All() iter.Seq2[schedulers.ID, T] {
	return func(yield func(schedulers.ID, T) bool) {
		for i := l.first; i != store.None; {
			c := l.values.Cell(i)
			if !yield(schedulers.MakeID(i, c.Gen), l.values.Val(i).value) {
				return
			}
			i = c.Link[next]
		}
	}
}

// Work returns the work counters.
func (l *List[T]) Work() schedulers.Work {
	return l.work.Add(schedulers.Work{Upkeep: l.values.Upkeep()})
}
