package driver

import (
	"fmt"
	"iter"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/schedulers"
)

// queueRecord is what a Queued driver keeps of one timer. It goes through these
// phases, each step taken by whoever wins the compare-and-swap of its state:
//
//	       filled          moved            claimed
//	free ----------> waiting -----> moved ----------> fired
//	                    | stop        | stop
//	                    v             v
//	                stopping ----> cancelled
//	                    |              ^
//	                    +-> unlinked --+
//
//	         reset                 moved              back in the queue
//	waiting ------> resetting ----------> outside ---------------------> waiting
//	    ^ deadline written |                 ^ reset
//	    +------------------+               moved
//
// In waiting, moved, resetting and outside the timer is pending. A record that was
// stopped while it waited is still in the queue: it is free once its stopper has done
// with it and the worker has taken it out, and the later of the two frees it. Likewise
// whoever resets a timer owns its record in resetting and in outside, and puts it
// back if it is not, or no longer, in the queue. Fired and cancelled stay readable
// until the record is filled again.
type queueRecord struct {
	state atomic.Uint64 // generation and phase
	next  atomic.Uint32 // in the queue or stack that the record is in: a link
	n     atomic.Int64  // as in Task
	f     func()        // of whoever takes the record out of moved, or owns it
	id    schedulers.ID // in the scheduler since it was moved last; the worker's
}

type queuePhase uint32

const (
	phaseUnused queuePhase = iota
	phaseWaiting
	phaseMoved
	phaseFired
	phaseStopping
	phaseUnlinked
	phaseCancelled
	phaseResetting
	phaseOutside
)

func stateOf(generation uint32, p queuePhase) uint64 { return uint64(generation)<<32 | uint64(p) }

func (r *queueRecord) generation() uint32 { return uint32(r.state.Load() >> 32) }

// task returns the task. Nobody may be about to drop its function.
func (r *queueRecord) task() Task { return Task{r.f, r.n.Load()} }

func (r *queueRecord) repeats() bool { return Task{n: r.n.Load()}.repeats() }

func (r *queueRecord) deadline() time.Duration { return Task{n: r.n.Load()}.deadline() }

// fill makes the record a timer of task and returns its new generation. The
// caller has taken the record.
func (r *queueRecord) fill(task Task) uint32 {
	r.f, r.id = task.f, 0
	r.n.Store(task.n)
	generation := r.generation() + 1
	r.state.Store(stateOf(generation, phaseWaiting))
	return generation
}

// become moves the record from one phase to another, unless it is not in the
// first, or of another generation.
func (r *queueRecord) become(generation uint32, from, to queuePhase) bool {
	old := stateOf(generation, from)
	return r.state.Load() == old && r.state.CompareAndSwap(old, stateOf(generation, to))
}

// phase returns the phase of the record if it is of a generation, and phaseUnused if
// it is of another.
func (r *queueRecord) phase(generation uint32) queuePhase {
	if state := r.state.Load(); uint32(state>>32) == generation {
		return queuePhase(state)
	}
	return phaseUnused
}

// pending reports whether the timer of a record is pending in a phase.
func (p queuePhase) pending() bool {
	return p == phaseWaiting || p == phaseMoved || p == phaseResetting || p == phaseOutside
}

// outcomeOf returns what state says of the timer of id.
func outcomeOf(state uint64, id schedulers.ID) State {
	if uint32(state>>32) != id.Generation() {
		return Unknown
	}
	switch p := queuePhase(state); {
	case p == phaseUnused:
		return Unknown
	case p.pending():
		return IsPending
	case p == phaseFired:
		return Fired
	}
	return Cancelled
}

const (
	chunkBits = 10
	chunkLen  = 1 << chunkBits

	// mostRecords is what links can name: a link is the number of a record and
	// 1, or 0 for none.
	mostRecords = 1<<32 - chunkLen

	lastGeneration = math.MaxUint32
)

type queueChunk [chunkLen]queueRecord

// queueRecords is the store of records. Free ones are on a stack (R. K. Treiber,
// "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986), whose head
// carries a count of what was taken off it: a take that was overtaken by others
// fails even if the same record is on top again, unless by 2^32 takes exactly.
//
// Taking and freeing is lock-free, except when nothing is free: then a chunk is
// added under a mutex. Chunks stay until close.
type queueRecords struct {
	free   atomic.Uint64                 // takes so far, and a link
	chunks atomic.Pointer[[]*queueChunk] // never nil
	states atomic.Pointer[[]uint64]      // once closed, those of all records

	mu     sync.Mutex // of those who add chunks
	most   int        // records there may be
	closed bool
}

func (rs *queueRecords) init() {
	rs.most = mostRecords
	rs.chunks.Store(new([]*queueChunk))
}

// at returns record n, or nil if there is none. O(1).
func (rs *queueRecords) at(n uint32) *queueRecord {
	chunks := *rs.chunks.Load()
	if i := int(n >> chunkBits); i < len(chunks) {
		return &chunks[i][n%chunkLen]
	}
	return nil
}

// take returns a record that is free, and its number. It allocates a chunk if
// none is free. The error is schedulers.ErrFull or ErrClosed.
func (rs *queueRecords) take() (uint32, *queueRecord, error) {
	if n, r := rs.pop(); r != nil {
		return n, r, nil
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return 0, nil, ErrClosed
	}
	if n, r := rs.pop(); r != nil {
		return n, r, nil
	}
	return rs.grow()
}

// pop takes a record off the free stack, or returns nil.
func (rs *queueRecords) pop() (uint32, *queueRecord) {
	for {
		head := rs.free.Load()
		link := uint32(head)
		if link == 0 {
			return 0, nil
		}
		r := rs.at(link - 1)
		if r == nil { // closed
			return 0, nil
		}
		if rs.free.CompareAndSwap(head, (head>>32+1)<<32|uint64(r.next.Load())) {
			return link - 1, r
		}
	}
}

// grow adds a chunk, frees all records of it but the first, and returns that
// one. The caller holds mu. The list of chunks is copied when it doubles.
func (rs *queueRecords) grow() (uint32, *queueRecord, error) {
	chunks := *rs.chunks.Load()
	n := len(chunks) * chunkLen
	if n+chunkLen > rs.most {
		return 0, nil, fmt.Errorf("driver: %w: %d records", schedulers.ErrFull, n)
	}
	c, first := new(queueChunk), uint32(n)
	for i := 1; i < chunkLen-1; i++ {
		c[i].next.Store(first + uint32(i) + 2)
	}
	chunks = append(chunks, c)
	rs.chunks.Store(&chunks)
	rs.push(first+2, &c[chunkLen-1])
	return first, &c[0], nil
}

// put frees a record that the caller owns. One whose generations are used up is
// never taken again, since the next would repeat the first.
func (rs *queueRecords) put(n uint32, r *queueRecord) {
	if r.generation() != lastGeneration {
		rs.push(n+1, r)
	}
}

// putAll frees the records of a list. O(1).
func (rs *queueRecords) putAll(b queueFreed) {
	if b.first != 0 {
		rs.push(b.first, b.last)
	}
}

// push puts linked records on the free stack, from the one that the link first
// names to last.
func (rs *queueRecords) push(first uint32, last *queueRecord) {
	for {
		head := rs.free.Load()
		last.next.Store(uint32(head))
		if rs.free.CompareAndSwap(head, head>>32<<32|uint64(first)) {
			return
		}
	}
}

// all yields every record with its number.
func (rs *queueRecords) all() iter.Seq2[uint32, *queueRecord] {
	return func(yield func(uint32, *queueRecord) bool) {
		for i, c := range *rs.chunks.Load() {
			for j := range c {
				if !yield(uint32(i*chunkLen+j), &c[j]) {
					return
				}
			}
		}
	}
}

// state returns what became of the timer of id, after close too.
func (rs *queueRecords) state(id schedulers.ID) State {
	if r := rs.at(id.Cell()); r != nil {
		return outcomeOf(r.state.Load(), id)
	}
	if states := rs.states.Load(); states != nil && uint64(id.Cell()) < uint64(len(*states)) {
		return outcomeOf((*states)[id.Cell()], id)
	}
	return Unknown
}

// close drops the records and keeps eight bytes of each, its state.
func (rs *queueRecords) close() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.closed = true
	states := make([]uint64, 0, len(*rs.chunks.Load())*chunkLen)
	for _, r := range rs.all() {
		states = append(states, r.state.Load())
	}
	rs.states.Store(&states)
	rs.chunks.Store(new([]*queueChunk))
}

// queueStack is a stack that anyone may push records on and one takes all from at
// once. So a record on it never changes place, and its head needs no count for
// that; it counts the records instead. A record can be on one stack at a time.
type queueStack struct {
	head atomic.Uint64 // number of records, and a link
}

// push puts record n on the stack and returns how many are there. Lock-free.
func (s *queueStack) push(n uint32, r *queueRecord) (count uint32) {
	for {
		head := s.head.Load()
		r.next.Store(uint32(head))
		count = uint32(head>>32) + 1
		if s.head.CompareAndSwap(head, uint64(count)<<32|uint64(n+1)) {
			return count
		}
	}
}

// takeAll empties the stack and returns the link to what was pushed last. O(1).
func (s *queueStack) takeAll() uint32 { return uint32(s.head.Swap(0)) }

func (s *queueStack) empty() bool { return s.head.Load() == 0 }

// queueFreed is a list of records to be freed together.
type queueFreed struct {
	first uint32 // link
	last  *queueRecord
	count int // those included that will never be taken again
}

// add adds a record, which the caller owns, and its number.
func (b *queueFreed) add(n uint32, r *queueRecord) {
	b.count++
	if r.generation() == lastGeneration {
		return
	}
	if r.next.Store(b.first); b.first == 0 {
		b.last = r
	}
	b.first = n + 1
}
