package driver

import (
	"sync/atomic"

	"schedbench/schedulers"
)

// stretchLen is how many places a stretch has.
const stretchLen = 128

// queueStretch is a part of a queue: places, each with a record that was free, by the ID that its
// next timer has. Whoever adds 1 to taken has the place before that, and so a record and its turn at
// once. As in the segments of an unbounded array queue (M. Herlihy and N. Shavit, "The Art of
// Multiprocessor Programming", chapter 10) there is a next stretch when all places are taken.
//
// A stretch is used again, so one who comes late may add 1 to what is another by then. That
// gives him a place there if there is one, as good as any, and else nothing.
type queueStretch struct {
	taken atomic.Int64 // places taken, or as many as there are, or more
	_     [56]byte     // which everybody writes
	ids   [stretchLen]schedulers.ID
	first int // place that has an ID; all after it have
	next  atomic.Pointer[queueStretch]
	below *queueStretch // in a list of stretches out of use
}

// newStretch returns one without a place.
func newStretch() *queueStretch {
	s := &queueStretch{first: stretchLen}
	s.taken.Store(stretchLen)
	return s
}

// end returns where the places end that are taken.
func (s *queueStretch) end() int { return int(min(s.taken.Load(), stretchLen)) }

// queuePlaces are the places of a queue that anyone may take.
type queuePlaces struct {
	current atomic.Pointer[queueStretch] // whose places are being taken; never nil
	wasted  atomic.Int64                 // places taken for no timer
	passed  atomic.Int64                 // by the worker
	added   int64                        // places there ever were; of who has the mutex
}

// take takes a place if there is one, and returns the ID of its record.
func (p *queuePlaces) take() (schedulers.ID, bool) {
	s := p.current.Load()
	if i := s.taken.Add(1) - 1; i < stretchLen {
		return s.ids[i], true
	}
	return 0, false
}

// any reports whether there are places. The caller has the mutex of those who add some.
func (p *queuePlaces) any() bool { return p.current.Load().end() < stretchLen }

// add has others take the places of a stretch, when there are no more. The caller has the
// mutex. The worker comes to the stretch when it can tell which places are taken.
func (p *queuePlaces) add(s *queueStretch) {
	p.added += int64(stretchLen - s.first)
	s.taken.Store(int64(s.first))
	p.current.Load().next.Store(s)
	p.current.Store(s)
}

// used returns how many places were taken for timers. The caller has the mutex.
func (p *queuePlaces) used() int64 {
	return p.added - int64(stretchLen-p.current.Load().end()) - p.wasted.Load()
}

// queueReader is how far the worker has come with the places of a queue.
type queueReader struct {
	in *queueStretch
	at int
	// late is set if a place was passed in this stretch before it was filled. Somebody may still be
	// about to read its ID, so it is not used again.
	late   bool
	passed int64 // places
}

// ready reports whether a place was taken that the worker has not come to.
func (q *queueReader) ready() bool {
	if q.at < q.in.end() {
		return true
	}
	next := q.in.next.Load()
	return q.at == stretchLen && next != nil && next.first < next.end()
}

// read returns the ID at the next place that was taken, if there is one. A stretch that
// was read to its end goes to out.
func (q *queueReader) read(out *[]*queueStretch) (schedulers.ID, bool) {
	if q.at == stretchLen {
		next := q.in.next.Load()
		if next == nil {
			return 0, false
		}
		if q.late {
			q.in.next.Store(nil) // or it would keep all that come after it
		} else {
			*out = append(*out, q.in)
		}
		q.in, q.at, q.late = next, next.first, false
	}
	if q.at >= q.in.end() {
		return 0, false
	}
	q.at++
	q.passed++
	return q.in.ids[q.at-1], true
}

// sparePlaces are records that are free, in stretches that are not in the queue.
type sparePlaces struct {
	full    *queueStretch // a list
	filling *queueStretch // nil: there is none
	empty   *queueStretch // a list
}

// none reports whether there is no free record.
func (p *sparePlaces) none() bool { return p.full == nil && p.filling == nil }

// vacant returns a stretch without a place.
func (p *sparePlaces) vacant() *queueStretch {
	s := p.empty
	if s == nil {
		return newStretch()
	}
	p.empty = s.below
	return s
}

// put adds a free record, by its next ID.
func (p *sparePlaces) put(id schedulers.ID) {
	if p.filling == nil {
		p.filling = p.vacant()
	}
	s := p.filling
	s.first--
	if s.ids[s.first] = id; s.first == 0 {
		s.below, p.full, p.filling = p.full, s, nil
	}
}

// putNew adds new records, as many as a stretch has places, from record n on.
func (p *sparePlaces) putNew(n uint32) {
	s := p.vacant()
	for i := range s.ids {
		s.ids[i] = schedulers.MakeID(n+uint32(i), 1)
	}
	s.first, s.below, p.full = 0, p.full, s
}

// pop returns a stretch of free records, of which there must be one.
func (p *sparePlaces) pop() *queueStretch {
	s := p.full
	if s == nil {
		s, p.filling = p.filling, nil
		return s
	}
	p.full = s.below
	return s
}

// keep keeps a stretch that was read for use again. All its places are taken.
func (p *sparePlaces) keep(s *queueStretch) {
	s.first = stretchLen
	s.next.Store(nil)
	s.below, p.empty = p.empty, s
}
