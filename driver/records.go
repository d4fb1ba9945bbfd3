package driver

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"schedbench/internal/bitset"
	"schedbench/schedulers"
)

// record is what an inbox keeps of one timer: half a cache line. The holder of the inbox's mutex makes and ends timers.
// In a shard a timer is also stopped, put off and started without the mutex: see end, putOff and shard.start.
type record struct {
	state  atomic.Uint64 // generation, place or link, phase
	n      int64         // as in taskRun; the owner of the record writes it
	f      func()
	inside atomic.Uint64 // the ID of the place in the scheduler; 0 if there is none
}

// The phases of a record. The phase of a free record says how its last timer ended.
const (
	recordFired uint64 = iota
	recordCancelled
	recordPending
	recordOwned // pending, and its owner reads or changes it; or about to be pending
)

const (
	phaseMask = 3

	// Above the phase, 30 bits. In a pending record of a shard they are the instant of its place, rounded up to units;
	// in one of a queue, noteMoved or noteWaiting. In a free record they are the number of the next free one, plus 1.
	noteShift  = 2
	noteMask   = 1<<30 - 1
	placeShift = 26 // 67 ms, for two years

	lastRecord = noteMask - 1
)

func stateWith(generation uint32, note, phase uint64) uint64 {
	return uint64(generation)<<32 | note<<noteShift | phase
}

func noteOf(state uint64) uint64 { return state >> noteShift & noteMask }

// noteOfPlace notes a deadline that a record has in the scheduler. The last value stands for all later ones.
func noteOfPlace(deadline time.Duration) uint64 {
	return min((uint64(deadline)+1<<placeShift-1)>>placeShift, noteMask)
}

// bound returns an upper bound of the place that state notes, given that the place is not after deadline.
func bound(state uint64, deadline time.Duration) time.Duration {
	if note := noteOf(state); note < noteMask {
		return min(deadline, time.Duration(note<<placeShift))
	}
	return deadline
}

// touchTask reads the function value of a record that the caller owns: it is in the cache when the task begins.
func (r *record) touchTask() { reflect.ValueOf(r.f).Pointer() }

func (r *record) place() schedulers.ID { return schedulers.ID(r.inside.Load()) }

func (r *record) setPlace(id schedulers.ID) { r.inside.Store(uint64(id)) }

func (r *record) generation() uint32 { return uint32(r.state.Load() >> 32) }

func (r *record) deadline() time.Duration { return taskRun{n: r.n}.deadline() }

// own takes the record, if it is pending, and returns its state. The caller stores a state at once.
func (r *record) own() (state uint64, ok bool) {
	for {
		state = r.state.Load()
		switch state & phaseMask {
		case recordPending:
			if r.state.CompareAndSwap(state, state|recordOwned) {
				return state, true
			}
		case recordOwned:
			runtime.Gosched()
		default:
			return state, false
		}
	}
}

// ownOf is own if the record is that of a generation.
func (r *record) ownOf(generation uint32) (state uint64, ok bool) {
	if state, ok = r.own(); ok && uint32(state>>32) != generation {
		r.state.Store(state)
		ok = false
	}
	return state, ok
}

// end ends the timer of a generation, if it is pending, and returns the state before. The record is the caller's then. The
// same write notes what follows the record in a list.
func (r *record) end(generation uint32, note uint64) (state uint64, ok bool) {
	for {
		state = r.state.Load()
		switch {
		case uint32(state>>32) != generation || state&phaseMask < recordPending:
			return 0, false
		case state&phaseMask == recordOwned:
			runtime.Gosched()
		case r.state.CompareAndSwap(state, stateWith(generation, note, recordCancelled)):
			return state, true
		}
	}
}

// putOff gives the timer of a generation a later deadline, if it is pending and its place is before that, or has come.
func (r *record) putOff(generation uint32, deadline time.Duration) bool {
	state := r.state.Load()
	if uint32(state>>32) != generation || state&phaseMask != recordPending ||
		!r.state.CompareAndSwap(state, state|recordOwned) {
		return false
	}
	ok := r.n >= 0 && deadline >= bound(state, time.Duration(r.n))
	if ok {
		r.n = int64(deadline)
	}
	r.state.Store(state)
	return ok
}

const (
	recordPageBits = 10
	recordPageLen  = 1 << recordPageBits
	sparePages     = 4
)

// recordPage is some consecutive records. The runtime wastes nothing for 32 kB; 16 kB would take 18.
type recordPage [recordPageLen]record

// pageUse is what the holder of the mutex knows of a page.
type pageUse struct {
	free uint64 // number of the first free record that had a timer, and 1; the others follow by their notes
	new  int    // records from here on have never had one
	used int
}

// records keeps the records of an inbox. The caller holds the inbox's mutex, except for at.
//
// A page from which all timers have gone is dropped, except for sparePages, unless pages stay or a record of it is idle. A
// new timer takes a record of the lowest page that has room, and in a shard first an idle one.
type records struct {
	pages atomic.Pointer[[]atomic.Pointer[recordPage]] // nil for one that was dropped
	_     [64]byte                                     // pages are read without the mutex
	uses  []pageUse                                    // of the pages
	room  bitset.Set                                   // pages that have room, or are to be made
	stays bool                                         // pages are not dropped
	floor uint32                                       // the generation that a record begins with; no dropped page had it

	// spares are sparePages pages at most. All pages without a timer are among them, but for those that stay.
	spares []int
}

func (rs *records) open() {
	rs.pages.Store(new([]atomic.Pointer[recordPage]))
	rs.room = bitset.New(0)
	rs.uses, rs.spares = nil, nil
}

// at returns record i, or nil if its page has been dropped or never was.
func (rs *records) at(i uint32) *record {
	if p := rs.page(i); p != nil {
		return &p[i%recordPageLen]
	}
	return nil
}

func (rs *records) page(i uint32) *recordPage {
	pages := *rs.pages.Load()
	if p := int(i >> recordPageBits); p < len(pages) {
		return pages[p].Load()
	}
	return nil
}

// find returns the record of id if its timer is pending, or nil.
func (rs *records) find(id schedulers.ID) *record {
	r := rs.at(id.Cell())
	if r == nil {
		return nil
	}
	if state := r.state.Load(); uint32(state>>32) != id.Generation() || state&phaseMask < recordPending {
		return nil
	}
	return r
}

// take takes a record that is filed. r is nil if there may be no more records. O(1), but it makes a page for each
// recordPageLen, and copies the list of pages when that has to double.
func (rs *records) take() (i uint32, r *record) {
	at := rs.room.From(0)
	if at < 0 {
		if at = rs.grow(); at < 0 {
			return 0, nil
		}
	}
	pages := *rs.pages.Load()
	p, use := pages[at].Load(), &rs.uses[at]
	if p == nil {
		p, *use = new(recordPage), pageUse{}
		pages[at].Store(p)
	}
	if use.free != 0 {
		i = uint32(use.free - 1)
		r = &p[i%recordPageLen]
		use.free = noteOf(r.state.Load())
	} else {
		i = uint32(at<<recordPageBits + use.new)
		r = &p[use.new]
		use.new++
		r.state.Store(stateWith(rs.floor, 0, recordFired))
	}
	if use.used++; use.free == 0 && use.new == recordPageLen {
		rs.room.Remove(at)
	}
	return i, r
}

// grow doubles the list of pages, and returns the first that is new, or -1 if there may be no more.
func (rs *records) grow() int {
	old := *rs.pages.Load()
	n := max(4, 2*len(old))
	if n<<recordPageBits > lastRecord {
		return -1
	}
	pages := make([]atomic.Pointer[recordPage], n)
	for i := range old {
		pages[i].Store(old[i].Load())
	}
	rs.uses = append(rs.uses, make([]pageUse, n-len(old))...)
	rs.room = bitset.New(n)
	for i := len(old); i < n; i++ {
		rs.room.Add(i)
	}
	rs.pages.Store(&pages)
	return len(old)
}

// file frees record i, which has no place in the scheduler, and drops its page if that is not needed.
func (rs *records) file(i uint32, r *record, generation uint32, ended uint64) {
	at := int(i >> recordPageBits)
	use := &rs.uses[at]
	r.state.Store(stateWith(generation, use.free, ended))
	if generation == math.MaxUint32 {
		return // the record is never reused, since its generations would repeat
	}
	use.free = uint64(i) + 1
	rs.room.Add(at)
	if use.used--; use.used == 0 && !rs.stays {
		rs.spare(at)
	}
}

// spare keeps page at, from which all timers have gone. If it is one too many, the highest of those kept is dropped.
func (rs *records) spare(at int) {
	if slices.Contains(rs.spares, at) {
		return
	}
	pages := *rs.pages.Load()
	if rs.spares = append(rs.spares, at); len(rs.spares) > sparePages {
		rs.spares = slices.DeleteFunc(rs.spares, func(at int) bool { return rs.uses[at].used > 0 })
	}
	if len(rs.spares) <= sparePages {
		return
	}
	highest := slices.Max(rs.spares)
	rs.spares = slices.DeleteFunc(rs.spares, func(at int) bool { return at == highest })
	floor, p := rs.floor, pages[highest].Load()
	for j := range p {
		floor = max(floor, p[j].generation()+1)
	}
	if floor < math.MaxInt32 {
		pages[highest].Store(nil)
		rs.floor = floor
	}
}

// all calls do for each pending record, owns the record meanwhile, and stores the state that do returns.
func (rs *records) all(do func(i uint32, r *record, state uint64) uint64) {
	pages := *rs.pages.Load()
	for at := range pages {
		p := pages[at].Load()
		if p == nil {
			continue
		}
		for j := range p {
			r := &p[j]
			if state, ok := r.own(); ok {
				r.state.Store(do(uint32(at<<recordPageBits|j), r, state))
			}
		}
	}
}

// state returns what became of the timer of id.
func (rs *records) state(id schedulers.ID) State {
	r := rs.at(id.Cell())
	if r == nil {
		return Unknown
	}
	state := r.state.Load()
	if uint32(state>>32) != id.Generation() {
		return Unknown
	}
	return [...]State{Fired, Cancelled, IsPending, IsPending}[state&phaseMask]
}
