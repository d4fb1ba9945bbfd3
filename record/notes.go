package record

import (
	"sync"

	"schedbench/workload/trace"
)

// timerNotes are what is known of the pending timers, by their numbers in the trace. A
// number is used for one timer after another, so there are as many as timers were
// ever pending at once. They are kept in columns, because stopping a timer and
// making one is mostly waiting for memory: neither touches more than it needs.
type timerNotes struct {
	pages []*notePage
	free  []uint32
}

const (
	pageBits = 10
	pageLen  = 1 << pageBits
	pageMask = pageLen - 1
)

// notePage holds the notes of consecutive numbers. What is in it belongs to whoever
// makes, moves, stops or begins the timer, of whom there is one at a time.
type notePage struct {
	tasks [pageLen]task
	// absent says that the timer is not in the trace, because there was no room, and
	// postponed are ends that there was no room for. Both are read only when there are
	// any.
	absent    [pageLen]bool
	postponed [pageLen]trace.Kind
	// moving is held while a deadline is changed, so that the timer begins after
	// that has been noted.
	moving [pageLen]sync.Mutex
}

// task is what the driver runs for a number, which is begin of that, and what the
// program gave it to run.
type task struct{ fire, f func() }

// get returns a free number, made anew if there is none.
func (s *timerNotes) get(r *Driver) uint32 {
	if len(s.free) == 0 {
		s.grow(r)
	}
	n := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return n
}

// grow adds a page of free numbers, the lowest of which is used first.
func (s *timerNotes) grow(r *Driver) {
	p := new(notePage)
	first := uint32(len(s.pages)) << pageBits
	s.pages = append(s.pages, p)
	for i := pageLen - 1; i >= 0; i-- {
		n := first + uint32(i)
		p.tasks[i].fire = func() { r.begin(n) }
		s.free = append(s.free, n)
	}
}

// page returns the page of a number.
func (s *timerNotes) page(n uint32) *notePage { return s.pages[n>>pageBits] }

// len returns how many numbers there are.
func (s *timerNotes) len() uint32 { return uint32(len(s.pages)) << pageBits }
