package driver

import (
	"math"
	"sync/atomic"
)

// idleList has the idle records of some goroutines: their timers have ended, and they wait for the next ones, with their
// places in the scheduler. Goroutines that take each other's records share cache lines, so each mostly keeps to one of the
// lists of a shard: see goroutineHint. Any goroutine adds a record; only the holder of the mutex takes one.
type idleList struct {
	_ [40]byte
	// top is the number of records, and in the lower half the number of the one that was added last, plus 1. The others
	// follow by their notes. R. K. Treiber, "Systems Programming: Coping with Parallelism" (IBM RJ 5118, 1986); with one
	// taker at a time no record can leave and come back while it takes another.
	top atomic.Uint64
	// stopped counts the timers that these goroutines have stopped, and later the resets without the mutex.
	stopped, later atomic.Uint64
}

const idleLists = 8

// idleLists of a shard.
type idleRecords [idleLists]idleList

// own returns the list of the calling goroutine.
func (ls *idleRecords) own() *idleList { return &ls[goroutineHint()%idleLists] }

// len returns the number of records.
func (l *idleList) len() int { return int(l.top.Load() >> 32) }

// len returns the number of records in all lists.
func (ls *idleRecords) len() (n int) {
	for i := range ls {
		n += ls[i].len()
	}
	return n
}

// stopped returns how many timers were stopped.
func (ls *idleRecords) stopped() (n uint64) {
	for i := range ls {
		n += ls[i].stopped.Load()
	}
	return n
}

// add adds record i, whose timer of a generation has ended.
func (l *idleList) add(i uint32, r *record, generation uint32, ended uint64) {
	for {
		top := l.top.Load()
		r.state.Store(stateWith(generation, top&math.MaxUint32, ended))
		if l.top.CompareAndSwap(top, with(top, i)) {
			return
		}
	}
}

// with returns the top of a list to which record i was added.
func with(top uint64, i uint32) uint64 { return (top>>32+1)<<32 | (uint64(i) + 1) }

// take takes the record that was added last. r is nil if there is none. The caller holds the mutex.
func (l *idleList) take(rs *records) (i uint32, r *record) {
	for {
		top := l.top.Load()
		if top == 0 {
			return 0, nil
		}
		i = uint32(top) - 1
		r = rs.at(i)
		if l.top.CompareAndSwap(top, (top>>32-1)<<32|noteOf(r.state.Load())) {
			return i, r
		}
	}
}

// takeIdle takes the record that ended last in the list of this goroutine, or of another list. r is nil if there is none.
func (sh *shard) takeIdle() (i uint32, r *record) {
	first := goroutineHint()
	for n := range idleLists {
		if i, r = sh.idle[(first+n)%idleLists].take(&sh.records); r != nil {
			break
		}
	}
	return i, r
}
