package driver

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"schedbench/schedulers"
)

// idleList has idle records: their timers were stopped, and they wait for the next ones, with their places in the scheduler.
// Goroutines that take each other's records share cache lines, so each mostly keeps to one of the lists of a shard: see
// goroutineHint. It is the stack of R. K. Treiber, "Systems Programming: Coping with Parallelism" (IBM RJ 5118, 1986).
type idleList struct {
	_ [64]byte // no two lists share a cache line
	// top is the number of the record that was added last, plus 1, and in the upper half a count of those that were taken:
	// so one that has left and come back meanwhile is not mistaken. The other records follow by their notes.
	top atomic.Uint64
	// stopped counts the timers that goroutines of this list have stopped, started those that they have started without the
	// mutex, and later their resets without the mutex. Mostly a record is added and taken with these.
	stopped, started, later atomic.Uint64
	rest                    atomic.Int64 // how many records were added and taken otherwise
	_                       [24]byte
}

const idleLists = 8

// idleRecords are the lists of a shard.
type idleRecords [idleLists]idleList

// mine returns the list of the calling goroutine, and its number.
func (ls *idleRecords) mine() (list *idleList, n int) {
	n = goroutineHint() % idleLists
	return &ls[n], n
}

// len returns how many records there are, but for those that are being added or taken.
func (l *idleList) len() int { return int(l.stopped.Load()-l.started.Load()) + int(l.rest.Load()) }

// len returns the number of records in all lists.
func (ls *idleRecords) len() (n int) {
	for i := range ls {
		n += ls[i].len()
	}
	return n
}

// pending returns how many more timers were started than stopped.
func (ls *idleRecords) pending() (n int) {
	for i := range ls { // a timer that is started and stopped meanwhile counts as pending
		n -= int(ls[i].stopped.Load())
	}
	for i := range ls {
		n += int(ls[i].started.Load())
	}
	return n
}

// add adds record i, whose timer of a generation was stopped.
func (l *idleList) add(i uint32, r *record, generation uint32) {
	for {
		top := l.top.Load()
		r.state.Store(stateWith(generation, top&math.MaxUint32, recordCancelled))
		if l.put(top, i) {
			return
		}
	}
}

// put adds record i, which notes what top says, unless the list has changed.
func (l *idleList) put(top uint64, i uint32) bool {
	return l.top.CompareAndSwap(top, top&^math.MaxUint32|(uint64(i)+1))
}

// take takes the record that was added last. r is nil if there is none.
func (l *idleList) take(rs *records) (i uint32, r *record) {
	for {
		top := l.top.Load()
		if uint32(top) == 0 {
			return 0, nil
		}
		i = uint32(top) - 1
		if r = rs.at(i); r == nil { // the driver was closed, or the record has left meanwhile
			return 0, nil
		}
		if l.top.CompareAndSwap(top, (top>>32+1)<<32|noteOf(r.state.Load())) {
			return i, r
		}
	}
}

// start makes a timer of an idle record of the goroutine's list, if its place is in time. Else it returns the record, or nil.
func (sh *shard) start(deadline time.Duration, task taskRun) (t Timer, i uint32, r *record) {
	if !sh.lazy || sh.horizon != forever {
		return Timer{}, 0, nil
	}
	list, _ := sh.idle.mine()
	if i, r = list.take(&sh.records); r == nil {
		return Timer{}, 0, nil
	}
	place := time.Duration(r.n)
	generation, ok := sh.ownIdle(r, deadline >= place)
	if !ok {
		list.rest.Add(-1)
		return Timer{}, i, r
	}
	r.f, r.n = task.f, task.n
	list.started.Add(1)
	r.state.Store(stateWith(generation, noteOfPlace(place), recordPending))
	if sh.dormant.Load() {
		sh.mu.Lock()
		if !sh.closed && place < sh.until {
			sh.interrupt()
		}
		sh.mu.Unlock()
	}
	return Timer{&sh.owner, schedulers.MakeID(i, generation)}, i, nil
}

// ownIdle owns an idle record for a timer of the generation that it returns, unless the record has no place in time, or
// the driver is closed. It looks at both again when the record is owned: the worker may have taken the place out since, or
// it looks at the state now that it has; Close may have passed the record.
func (sh *shard) ownIdle(r *record, inTime bool) (generation uint32, ok bool) {
	usable := func() bool { return r.place() != 0 && !sh.c.closed.Load() }
	if !inTime || !usable() {
		return 0, false
	}
	before := r.state.Load()
	generation = uint32(before>>32) + 1
	r.state.Store(stateWith(generation, 0, recordOwned))
	if !usable() {
		r.state.Store(before)
		return 0, false
	}
	return generation, true
}

// stop takes the mutex only if the place of the timer does not stay, or many records are idle.
func (sh *shard) stop(id schedulers.ID) bool {
	i, generation := id.Cell(), id.Generation()
	r := sh.at(i)
	if r == nil {
		return false
	}
	list, n := sh.idle.mine()
	top := list.top.Load()
	state, ok := r.end(generation, top&math.MaxUint32)
	if !ok {
		return false
	}
	few := list.len() < mostIdle/idleLists && !sh.full.Load()
	list.stopped.Add(1)
	sh.c.release(1)
	r.f = nil
	stays := sh.lazy && r.n >= 0 && generation < math.MaxUint32
	if stays {
		r.n = int64(bound(state, time.Duration(r.n)))
	}
	if stays && few {
		if !list.put(top, i) {
			list.add(i, r, generation)
		}
	} else {
		sh.mu.Lock()
		sh.retire(list, i, r, generation, stays)
		sh.mu.Unlock()
	}
	if sh.filled.Load()&(1<<n) == 0 {
		sh.filled.Or(1 << n)
	}
	return true
}

// mostIdle is how many records wait for the next timers when theirs have ended, beyond half of those that are pending.
const mostIdle = 256

// retire adds record i, whose timer was stopped, to a list if it may stay, or else files it. If too many records are idle,
// it files it too, and another one: a timer that ends adds one, and lowers the limit by half of one. It counts the records
// as seldom as it can know that.
func (sh *shard) retire(list *idleList, i uint32, r *record, generation uint32, stays bool) {
	if sh.closed {
		return
	}
	if sh.unseen == 0 {
		excess := sh.excess() // the record counts in its list already
		sh.full.Store(excess > 0)
		sh.unseen = 1 + min(max(excess, -excess/2), 16)
	}
	sh.unseen--
	full := sh.full.Load()
	if stays && !full {
		list.add(i, r, generation)
		return
	}
	list.rest.Add(-1)
	var other uint32
	var more *record
	if full { // before any write to the scheduler: this would wait for it
		other, more = sh.takeIdle()
	}
	sh.release(i, r, generation, recordCancelled)
	if more != nil {
		sh.discard(other, more)
	}
}

// excess returns how many idle records are too many, negative if there is room.
func (sh *shard) excess() int { return sh.spent + sh.idle.len() - sh.left()/2 - mostIdle }

// trim files up to n idle records, if these are too many.
func (sh *shard) trim(n int) {
	for n = min(n, sh.excess()); n > 0; n-- {
		if i, r := sh.takeIdle(); r != nil {
			sh.discard(i, r)
		}
	}
}

// discard files record i, which is idle and was taken.
func (sh *shard) discard(i uint32, r *record) {
	state := r.state.Load()
	sh.release(i, r, uint32(state>>32), state&phaseMask)
}

// takeIdle takes an idle record: one whose timer fired, or one of any list. r is nil if there is none.
func (sh *shard) takeIdle() (i uint32, r *record) {
	if sh.ended > 0 {
		i = uint32(sh.ended - 1)
		r = sh.at(i)
		sh.ended = noteOf(r.state.Load())
		sh.spent--
		return i, r
	}
	for filled := sh.filled.Load(); filled != 0; filled &= filled - 1 {
		n := bits.TrailingZeros32(filled)
		list := &sh.idle[n]
		if i, r = list.take(&sh.records); r != nil {
			list.rest.Add(-1)
			break
		}
		sh.filled.And(^uint32(1 << n))
		if uint32(list.top.Load()) != 0 { // one was added meanwhile
			sh.filled.Or(1 << n)
		}
	}
	return i, r
}
