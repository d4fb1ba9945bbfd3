package driver

import (
	"math"
	"sync/atomic"
)

// queueStack is a stack that anyone may push records on and one takes all from at once (after
// R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986). So a record on it
// never changes place, and its head needs no count for that; it counts what was pushed instead,
// which spares whoever pushes a counter of its own.
type queueStack struct {
	head  atomic.Uint64 // records pushed so far, modulo 2^32, and a link
	taken atomic.Int64  // records taken so far
}

// push puts record n on the stack and returns how many are there, or a few more. Lock-free.
func (s *queueStack) push(n uint32, r *queueRecord) (count uint32) {
	taken := s.taken.Load() // first, since it never comes to be more than were pushed before
	for {
		head := s.head.Load()
		r.next = uint32(head)
		pushed := uint32(head>>32) + 1
		if s.head.CompareAndSwap(head, uint64(pushed)<<32|uint64(n+1)) {
			return pushed - uint32(taken)
		}
	}
}

// takeAll empties the stack and returns the link to what was pushed last. O(1).
func (s *queueStack) takeAll() (link uint32) {
	if uint32(s.head.Load()) == 0 {
		return 0
	}
	head := s.head.And(^uint64(math.MaxUint32))
	s.taken.Add(int64(uint32(head>>32) - uint32(s.taken.Load())))
	return uint32(head)
}

// pushed returns how many records were pushed so far, and held how many are there, or a few more,
// if these are fewer than 2^32.
func (s *queueStack) pushed() int64 {
	taken := s.taken.Load()
	return taken + int64(uint32(s.head.Load()>>32)-uint32(taken))
}

func (s *queueStack) held() int64 {
	taken := s.taken.Load()
	return int64(uint32(s.head.Load()>>32) - uint32(taken))
}
