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

// queueRecord is what a Queued driver keeps of one timer, but for what the worker alone
// needs: half a cache line, so that none lies on two. It goes through these phases, each step
// taken by whoever wins the compare-and-swap of its state:
//
//	       filled           moved          claimed
//	free ----------> waiting -----> moved ----------> fired
//	                    | stop        | stop
//	                    +-------------+-------------> cancelled
//
//	         reset                 moved              back in the queue
//	waiting ------> resetting ----------> outside ---------------------> waiting
//	    ^ deadline written |                 ^ reset
//	    +------------------+               moved
//
//	       filled by a reset, with the ID of its timer in n
//	free --------------------------------------------------> again
//
// In waiting, moved, resetting and outside the timer is pending. Whoever stops a timer hands its
// record to the worker, by the stack of those that were stopped, and nobody but the worker frees
// records. Whoever resets a timer owns its record in resetting and in outside, and puts it
// back if it is not, or no longer, in the queue. Fired and cancelled stay readable until the record is
// filled again.
type queueRecord struct {
	state atomic.Uint64 // generation and phase
	n     int64         // as in Task; whoever does not own the record uses package atomic
	f     func()        // of whoever takes the record out of moved, or owns it
	next  uint32        // in a queueStack: a link
}

type queuePhase uint32

const (
	phaseUnused queuePhase = iota
	phaseWaiting
	phaseMoved
	phaseFired
	phaseCancelled
	phaseResetting
	phaseOutside
	phaseAgain
)

func stateOf(generation uint32, p queuePhase) uint64 { return uint64(generation)<<32 | uint64(p) }

func (r *queueRecord) generation() uint32 { return uint32(r.state.Load() >> 32) }

// task returns the task. Nobody may be about to drop its function.
func (r *queueRecord) task() taskRun { return taskRun{r.f, atomic.LoadInt64(&r.n)} }

func (r *queueRecord) repeats() bool { return taskRun{n: atomic.LoadInt64(&r.n)}.repeats() }

func (r *queueRecord) deadline() time.Duration { return taskRun{n: atomic.LoadInt64(&r.n)}.deadline() }

// postpone writes another deadline. The caller owns the record, and others may be reading it.
func (r *queueRecord) postpone(deadline time.Duration) { atomic.StoreInt64(&r.n, int64(deadline)) }

// fill makes the record, which is free, a timer of task, or a reset. The caller has taken it.
func (r *queueRecord) fill(generation uint32, task taskRun, p queuePhase) {
	r.f, r.n = task.f, task.n
	r.state.Store(stateOf(generation, p))
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
	case p.pending():
		return IsPending
	case p == phaseFired:
		return Fired
	case p == phaseCancelled:
		return Cancelled
	}
	return Unknown
}

const (
	chunkBits = 10
	chunkLen  = 1 << chunkBits

	// mostRecords is what links can name: a link is the number of a record and
	// 1, or 0 for none.
	mostRecords = 1<<32 - chunkLen

	lastGeneration = math.MaxUint32
)

// queueChunk is some records, and the IDs that their timers have in the scheduler, which are
// the worker's: 0 if they are not in it.
type queueChunk struct {
	records [chunkLen]queueRecord
	inside  [chunkLen]schedulers.ID
}

// queueRecords is the store of records, and of their free ones: places in the queue that are still
// to be taken. Chunks stay until close.
type queueRecords struct {
	chunks atomic.Pointer[[]*queueChunk] // never nil
	states atomic.Pointer[[]uint64]      // once closed, those of all records
	places queuePlaces
	// waiting is called when places were added, with how many there were that the worker had not
	// come to, and nothing held.
	waiting func(places int64)

	mu     sync.Mutex // of those who need places, and of who frees records; protects what follows
	spare  sparePlaces
	most   int // records there may be
	closed bool
}

// init returns the stretch that is read first.
func (rs *queueRecords) init() *queueStretch {
	rs.most, rs.waiting = mostRecords, func(int64) {}
	rs.chunks.Store(new([]*queueChunk))
	first := newStretch()
	rs.places.current.Store(first)
	return first
}

// chunk returns the chunk that record n is in, or nil if there is none. O(1).
func (rs *queueRecords) chunk(n uint32) *queueChunk {
	chunks := *rs.chunks.Load()
	if i := int(n >> chunkBits); i < len(chunks) {
		return chunks[i]
	}
	return nil
}

// at returns record n, or nil if there is none. O(1).
func (rs *queueRecords) at(n uint32) *queueRecord {
	if c := rs.chunk(n); c != nil {
		return &c.records[n%chunkLen]
	}
	return nil
}

// inside returns where the ID is that the timer of record n has in the scheduler.
func (rs *queueRecords) inside(n uint32) *schedulers.ID { return &rs.chunk(n).inside[n%chunkLen] }

// take takes a place in the queue, and with it a free record, which the caller has to fill for the
// ID that it returns. One addition, and for one in stretchLen a mutex. The error is
// schedulers.ErrFull or ErrClosed.
func (rs *queueRecords) take() (schedulers.ID, *queueRecord, error) {
	for {
		id, ok := rs.places.take()
		if !ok {
			waiting, err := rs.more()
			if err != nil {
				return 0, nil, err
			}
			rs.waiting(waiting)
			continue
		}
		r := rs.at(id.Cell())
		if r == nil {
			rs.places.wasted.Add(1)
			return 0, nil, ErrClosed
		}
		return id, r, nil
	}
}

// more adds places to the queue, unless another has done so, and returns how many there were that
// the worker had not come to.
func (rs *queueRecords) more() (waiting int64, err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return 0, ErrClosed
	}
	if rs.places.any() {
		return 0, nil
	}
	if rs.spare.none() {
		if err := rs.grow(); err != nil {
			return 0, err
		}
	}
	waiting = rs.places.added - rs.places.passed.Load()
	rs.places.add(rs.spare.pop())
	return waiting, nil
}

// grow adds a chunk, with all records free. The list of chunks is copied when it doubles.
func (rs *queueRecords) grow() error {
	chunks := *rs.chunks.Load()
	n := len(chunks) * chunkLen
	if n+chunkLen > rs.most {
		return fmt.Errorf("driver: %w: %d records", schedulers.ErrFull, n)
	}
	chunks = append(chunks, new(queueChunk))
	rs.chunks.Store(&chunks)
	for first := n + chunkLen - stretchLen; first >= n; first -= stretchLen {
		rs.spare.putNew(uint32(first))
	}
	return nil
}

// used returns how many places were taken for timers.
func (rs *queueRecords) used() int64 {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.places.used()
}

// free frees records, for the IDs that they have next, and stretches that were read.
func (rs *queueRecords) free(ids []schedulers.ID, read []*queueStretch) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, s := range read {
		rs.spare.keep(s)
	}
	for _, id := range ids {
		rs.spare.put(id)
	}
}

// all yields every record with its number.
func (rs *queueRecords) all() iter.Seq2[uint32, *queueRecord] {
	return func(yield func(uint32, *queueRecord) bool) {
		for i, c := range *rs.chunks.Load() {
			for j := range c.records {
				if !yield(uint32(i*chunkLen+j), &c.records[j]) {
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
	rs.spare = sparePlaces{}
}
