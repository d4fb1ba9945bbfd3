package workload

import (
	"math/bits"
)

// event is what happens next to a pending timer.
type event struct {
	at    int64
	timer uint32
	tag   tag
}

// tag is how an arming ends, of which population the timer is, and how often it
// was reset or backed off: a whole, since structs of few fields stay in
// registers.
type tag uint32

func newTag(end end, pop uint8, count uint16) tag {
	return tag(end) | tag(pop)<<8 | tag(count)<<16
}

func (t tag) end() end      { return end(t) }
func (t tag) pop() uint8    { return uint8(t >> 8) }
func (t tag) count() uint16 { return uint16(t >> 16) }

// end is how an arming ends.
type end uint8

const (
	expires end = iota
	cancelled
	moved
)

// eventQueue yields events in the order of their times. It is a calendar of buckets
// in levels, 256 to a level, each level's bucket as wide as all of the level
// below (the multi-level buckets of E. V. Denardo and B. L. Fox, "Shortest-Route
// Methods", Operations Research 27(1), 1979). A bucket is sorted when it comes
// up; what is added to it from then on goes into a small heap beside it.
//
//	now ──▶ run ▓▓▓▓░░░░ sorted    near: heap of what came later
//	        end of the bucket ──▶ level 0 │ │ │ │ │ ...  level 1 │   │   │ ...
//
// Every event is written once for each level that it comes through, mostly two
// or three times, always beside others of its bucket: at millions of pending
// events this reads and writes memory in long stretches, which a heap does not.
// The width of the lowest buckets is for speed only; the order is exact.
//
// An event is added no earlier than the last one yielded.
type eventQueue struct {
	shift  uint    // a bucket of level 0 is 1<<shift nanoseconds wide
	bucket int64   // number of the bucket of level 0 that has come up
	run    []event // its events that were in it when it came up, from next on
	next   int
	near   eventHeap
	levels []level
	chunks chunks
	sorter sorter
	n      int
}

// level is 256 buckets and which of them hold something.
type level struct {
	used  [4]uint64
	lists [256]list
}

// newEventQueue returns a queue for about so many events per nanosecond and so many
// pending. A bucket holds about a hundred, but only a part of those pending, so
// that what is added is mostly for later buckets.
func newEventQueue(rate, pending float64) *eventQueue {
	perBucket := clamp(pending/8, 2, 128)
	q := &eventQueue{}
	for q.shift < 40 && float64(uint64(2)<<q.shift)*rate < perBucket {
		q.shift++
	}
	q.levels = make([]level, (63-q.shift+7)/8)
	return q
}

func (q *eventQueue) add(e event) {
	q.n++
	if e.at>>q.shift <= q.bucket {
		q.near.push(e)
		return
	}
	q.put(e)
}

// put files an event of a bucket that has not come up: on the level of the
// highest digit, of eight bits, in which it differs from the one that has.
func (q *eventQueue) put(e event) {
	number := e.at >> q.shift
	digit := uint(max(bits.Len64(uint64(number^q.bucket)), 1)-1) / 8
	slot := uint8(number >> (8 * digit))
	l := &q.levels[digit]
	l.used[slot/64] |= 1 << (slot % 64)
	q.chunks.append(&l.lists[slot], e)
}

// pop returns the first event if it is at or before limit.
func (q *eventQueue) pop(limit int64) (e event, ok bool) {
	if q.next == len(q.run) && len(q.near) == 0 && !q.turn(limit) {
		return event{}, false
	}
	if q.next < len(q.run) && (len(q.near) == 0 || q.run[q.next].at <= q.near[0].at) {
		if q.run[q.next].at > limit {
			return event{}, false
		}
		q.n--
		q.next++
		return q.run[q.next-1], true
	}
	if q.near[0].at > limit {
		return event{}, false
	}
	q.n--
	return q.near.pop(), true
}

// turn makes the next bucket that holds something the current one, unless that
// begins after limit: what is added until then may be earlier. It reports whether
// it did.
func (q *eventQueue) turn(limit int64) bool {
	for digit := 0; digit < len(q.levels); {
		l := &q.levels[digit]
		slot, ok := l.first()
		if !ok {
			digit++
			continue
		}
		above := 8 * uint(digit+1)
		bucket := q.bucket>>above<<above | int64(slot)<<(8*uint(digit))
		if bucket<<q.shift > limit {
			return false
		}
		q.bucket = bucket
		l.used[slot/64] &^= 1 << (slot % 64)
		if digit == 0 {
			q.open(&l.lists[slot])
			return true
		}
		q.spread(&l.lists[slot])
		digit = 0
	}
	return false
}

// first returns the first slot in use. None is before the current bucket.
func (l *level) first() (slot int, ok bool) {
	for i, w := range l.used {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w), true
		}
	}
	return 0, false
}

// spread files the events of a list on lower levels.
func (q *eventQueue) spread(l *list) {
	for l.head != 0 {
		c := q.chunks.at(l.head)
		for i := range c.events[:c.n] {
			q.put(c.events[i])
		}
		q.chunks.free(l)
	}
}

// open moves the events of the current bucket into the run, in order.
func (q *eventQueue) open(l *list) {
	q.run, q.next = q.run[:0], 0
	for l.head != 0 {
		c := q.chunks.at(l.head)
		q.run = append(q.run, c.events[:c.n]...)
		q.chunks.free(l)
	}
	q.run = q.sorter.sort(q.run, q.bucket<<q.shift, q.shift)
}

// list is the chunks of a bucket, by number from one on; the last of them, which
// is filled up, comes first.
type list struct{ head uint32 }

const chunkEvents = 31

// chunk is a stretch of events of one bucket, 512 bytes in all.
type chunk struct {
	next   uint32
	n      uint32
	events [chunkEvents]event
	_      uint64
}

// chunks is a store of chunks, in pages so that growth copies none. What was
// freed is used again.
type chunks struct {
	pages [][]chunk
	fresh uint32 // chunks that were handed out, freed or not
	spare uint32 // the first of those freed, or 0
}

const pageChunks = 128

func (c *chunks) at(i uint32) *chunk { return &c.pages[(i-1)/pageChunks][(i-1)%pageChunks] }

func (c *chunks) append(l *list, e event) {
	var head *chunk
	if l.head != 0 {
		head = c.at(l.head)
	}
	if head == nil || head.n == chunkEvents {
		head = c.grow(l)
	}
	head.events[head.n] = e
	head.n++
}

// grow puts an empty chunk at the front of a list.
func (c *chunks) grow(l *list) *chunk {
	i := c.spare
	if i == 0 {
		if int(c.fresh) == len(c.pages)*pageChunks {
			c.pages = append(c.pages, make([]chunk, pageChunks))
		}
		c.fresh++
		i = c.fresh
	} else {
		c.spare = c.at(i).next
	}
	head := c.at(i)
	head.next, head.n = l.head, 0
	l.head = i
	return head
}

// free gives the first chunk of a list back.
func (c *chunks) free(l *list) {
	i := l.head
	head := c.at(i)
	l.head = head.next
	head.next = c.spare
	c.spare = i
}
