package record

import (
	"fmt"
	"sync"
	"time"

	"schedbench/driver"
	"schedbench/schedulers"
	"schedbench/workload/trace"
)

// log gathers events in a fixed number of buffers. A goroutine hands them to the sink and gives them back:
//
//	put ──▶ filling ──▶ full, full ──▶ goroutine ──▶ Sink
//	           ▲                           │
//	           └───── empty, empty ◀───────┘
//
// One mutex is held for the few instructions that append an event.
type log struct {
	full  chan []trace.Event
	begin func(n uint32) // called when the timer of a number fires

	mu        sync.Mutex // protects what follows
	filling   []trace.Event
	empty     [][]trace.Event // the last one in is the first one out: it is in the cache
	last      time.Duration   // the time of the last event
	counts    Counts
	absent    int // numbers marked as absent
	postponed int // ends that there was no room for
	ended     bool

	// pages are the notes of the pending timers, by their numbers in the trace, and free the free numbers. Timers use
	// a number one after another, so there are as many numbers as timers were ever pending at once.
	pages []*notePage
	free  []uint32
}

const buffers = 64

// newLog returns an empty log with room for n events.
func newLog(n int, begin func(n uint32)) (*log, error) {
	const least, most = 64, 1 << 26
	if n < least || n > most {
		return nil, fmt.Errorf("record: room for %d events, want %d to %d", n, least, most)
	}
	l := &log{full: make(chan []trace.Event, buffers), begin: begin}
	for range buffers {
		l.empty = append(l.empty, make([]trace.Event, 0, (n+buffers-1)/buffers))
	}
	l.turn()
	return l, nil
}

// put appends an event, and reports whether there was room. Goroutines read the clock before: an event that comes late gets
// the time of the one before it. The caller holds mu.
func (l *log) put(at, delay time.Duration, n uint32, kind trace.Kind) bool {
	if len(l.filling) == cap(l.filling) && !l.turn() {
		return false
	}
	l.last = max(l.last, at)
	delay = min(max(delay, 0), longest-l.last)
	l.filling = append(l.filling, trace.Event{At: l.last, Delay: delay, Timer: uint64(n), Kind: kind})
	l.counts.Recorded++
	return true
}

const longest = 1<<63 - 1

// made notes a new timer, unless there is no room. The caller holds mu.
func (l *log) made(at, delay time.Duration, n uint32) bool {
	if l.writePostponed(at, n) && l.put(at, delay, n, trace.Schedule) {
		return true
	}
	l.counts.Timers++
	return false
}

// arm notes a new timer, and returns its number, the page of it, and whether it is absent from the trace.
func (l *log) arm(at, delay time.Duration) (n uint32, p *notePage, absent bool) {
	l.mu.Lock()
	n = l.number()
	absent = !l.made(at, delay, n)
	if absent || l.absent > 0 {
		l.mark(n, absent)
	}
	p = l.page(n)
	l.mu.Unlock()
	return n, p, absent
}

func (l *log) move(at, delay time.Duration, n uint32, absent bool) {
	l.mu.Lock()
	if !absent && !l.put(at, delay, n, trace.Reset) {
		l.counts.Resets++
	}
	l.mu.Unlock()
}

func (l *log) end(at time.Duration, n uint32, absent bool, kind trace.Kind) {
	l.mu.Lock()
	l.release(at, n, absent, kind)
	l.mu.Unlock()
}

// mark notes whether the timer of a number is absent. The caller holds mu.
func (l *log) mark(n uint32, absent bool) {
	was := &l.page(n).absent[n&pageMask]
	switch {
	case absent && !*was:
		l.absent++
	case *was && !absent:
		l.absent--
	}
	*was = absent
}

// over notes an end. The caller holds mu.
func (l *log) over(at time.Duration, n uint32, kind trace.Kind) {
	if !l.put(at, 0, n, kind) {
		l.page(n).postponed[n&pageMask] = kind
		l.counts.Ends++
		l.postponed++
	}
}

// release notes the end of a timer and frees its number. The caller holds mu.
func (l *log) release(at time.Duration, n uint32, absent bool, kind trace.Kind) {
	if !absent {
		l.over(at, n, kind)
	}
	l.free = append(l.free, n)
}

// writePostponed writes the end of a number that was postponed for want of room. It reports whether none is left. The
// caller holds mu.
func (l *log) writePostponed(at time.Duration, n uint32) bool {
	if l.postponed == 0 {
		return true
	}
	postponed := &l.page(n).postponed[n&pageMask]
	if *postponed != 0 && l.put(at, 0, n, *postponed) {
		*postponed = 0
		l.postponed--
	}
	return *postponed == 0
}

// allWritten notes the ends for which there was no room, and reports whether there was room for all.
func (l *log) allWritten(at time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.numbers() {
		if !l.writePostponed(at, n) {
			return false
		}
	}
	return true
}

// turn hands the filled buffer over and begins another one, unless none is free. The caller holds mu.
func (l *log) turn() bool {
	if l.ended {
		return false
	}
	if l.filling != nil {
		l.full <- l.filling // which has room for all buffers
		l.filling = nil
	}
	last := len(l.empty) - 1
	if last < 0 {
		return false
	}
	l.filling, l.empty = l.empty[last], l.empty[:last]
	return true
}

// giveBack makes a buffer free again, and returns how many events have been dropped.
func (l *log) giveBack(buffer []trace.Event) (missing uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.empty = append(l.empty, buffer[:0])
	return l.counts.Timers + l.counts.Resets + l.counts.Ends
}

// handOver hands the buffer over, even if it is not full. The last time is the end of the log.
func (l *log) handOver(last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last || len(l.filling) > 0 {
		l.turn()
	}
	if last {
		l.ended = true
		l.filling = nil
		close(l.full)
	}
}

// writeTo hands the events to a sink until the log has ended. It returns the first error of the sink.
func (l *log) writeTo(sink Sink) (first error) {
	keep := func(err error) {
		if first == nil && err != nil {
			first = fmt.Errorf("record: %w", err)
		}
	}
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	dropped := uint64(0) // missing events that the sink knows of
	for {
		select {
		case events, ok := <-l.full:
			if !ok {
				keep(sink.Flush())
				return first
			}
			for _, e := range events {
				keep(sink.Write(e))
			}
			if missing := l.giveBack(events); missing > dropped {
				keep(sink.Dropped(missing-dropped, "the recorder had no room"))
				dropped = missing
			}
		case <-tick.C:
			l.handOver(false)
			keep(sink.Flush())
		}
	}
}

const (
	pageBits = 10
	pageLen  = 1 << pageBits
	pageMask = pageLen - 1
)

// notePage holds the notes of consecutive numbers. One goroutine at a time makes, moves, stops or begins a timer, and
// owns its note. Making and stopping mostly wait for memory. So each field is a column: an operation touches only what
// it needs.
type notePage struct {
	tasks [pageLen]task
	// timers are the driver's own. uses says which timer of a number that is, counted from 1.
	timers [pageLen]driver.Timer
	uses   [pageLen]uint32
	// absent says that the timer is not in the trace, for want of room. postponed are ends for which there was no
	// room. Both are read only when there are any.
	absent    [pageLen]bool
	postponed [pageLen]trace.Kind
	// moving is held while a timer is armed and while its deadline changes. A timer that fires waits until the change
	// is noted.
	moving [pageLen]sync.Mutex
}

// task has two functions of a number: fire, which the driver runs and which calls begin, and f of the program.
type task struct{ fire, f func() }

// arm has a timer made that runs f under a number, and returns its ID.
func (p *notePage) arm(n uint32, f func(), start func(fire func()) (driver.Timer, error)) (schedulers.ID, error) {
	at := n & pageMask
	p.moving[at].Lock()
	defer p.moving[at].Unlock()
	p.tasks[at].f = f
	p.uses[at]++
	t, err := start(p.tasks[at].fire)
	p.timers[at] = t
	return schedulers.MakeID(n, p.uses[at]), err
}

// number returns a free number, made anew if there is none. The caller holds mu.
func (l *log) number() uint32 {
	if len(l.free) == 0 {
		l.grow()
	}
	n := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	return n
}

// grow adds a page of free numbers.
func (l *log) grow() {
	p, first := new(notePage), l.numbers()
	l.pages = append(l.pages, p)
	for i := pageLen - 1; i >= 0; i-- {
		n := first + uint32(i)
		p.tasks[i].fire = func() { l.begin(n) }
		l.free = append(l.free, n)
	}
}

// page returns the page of a number. The caller holds mu.
func (l *log) page(n uint32) *notePage { return l.pages[n>>pageBits] }

// numbers returns how many there are. The caller holds mu.
func (l *log) numbers() uint32 { return uint32(len(l.pages)) << pageBits }
