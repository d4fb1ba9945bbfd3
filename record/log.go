package record

import (
	"fmt"
	"sync"
	"time"

	"schedbench/workload/trace"
)

// log gathers events in buffers of a fixed number, which a goroutine hands to the
// sink and gives back:
//
//	put ──▶ filling ──▶ full, full ──▶ goroutine ──▶ Sink
//	           ▲                           │
//	           └────── free, free ◀────────┘
//
// One mutex is held for the few instructions that append an event.
type log struct {
	full chan []trace.Event

	mu        sync.Mutex // protects what follows
	filling   []trace.Event
	free      [][]trace.Event // the last one in is the first one out: it is in the cache
	last      time.Duration   // the time of the last event
	notes     timerNotes
	counts    Counts
	absent    int // numbers marked as absent
	postponed int // ends that there was no room for
	ended     bool
}

// buffers is the number of buffers.
const buffers = 64

// newLog returns an empty log with room for n events.
func newLog(n int) (*log, error) {
	const least, most = 64, 1 << 26
	if n < least || n > most {
		return nil, fmt.Errorf("record: room for %d events, want %d to %d", n, least, most)
	}
	l := &log{full: make(chan []trace.Event, buffers)}
	for range buffers {
		l.free = append(l.free, make([]trace.Event, 0, (n+buffers-1)/buffers))
	}
	l.turn()
	return l, nil
}

// put appends an event, and reports whether there was room. An event that comes
// late has the time of the one before it: goroutines read the clock before they
// get here. The caller holds mu.
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

// mark notes whether the timer of a number is absent from the trace. The caller
// holds mu.
func (l *log) mark(n uint32, absent bool) {
	was := &l.notes.page(n).absent[n&pageMask]
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
		l.notes.page(n).postponed[n&pageMask] = kind
		l.counts.Ends++
		l.postponed++
	}
}

// writePostponed notes an end that there was no room for before, and reports
// whether none is postponed any more. The caller holds mu.
func (l *log) writePostponed(at time.Duration, n uint32) bool {
	if l.postponed == 0 {
		return true
	}
	postponed := &l.notes.page(n).postponed[n&pageMask]
	if *postponed != 0 && l.put(at, 0, n, *postponed) {
		*postponed = 0
		l.postponed--
	}
	return *postponed == 0
}

// turn hands over what is gathered and begins another buffer, unless none is free.
// The caller holds mu.
func (l *log) turn() bool {
	if l.ended {
		return false
	}
	if l.filling != nil {
		l.full <- l.filling // which has room for all buffers
		l.filling = nil
	}
	last := len(l.free) - 1
	if last < 0 {
		return false
	}
	l.filling, l.free = l.free[last], l.free[:last]
	return true
}

// giveBack makes a buffer free again, and returns how many events have been dropped.
func (l *log) giveBack(buffer []trace.Event) (missing uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, buffer[:0])
	return l.counts.Timers + l.counts.Resets + l.counts.Ends
}

// takeOver hands over what is gathered, though the buffer is not full.
func (l *log) takeOver() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.filling) > 0 {
		l.turn()
	}
}

// end hands over what is gathered, and is the end of it.
func (l *log) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn()
	l.ended = true
	l.filling = nil
	close(l.full)
}

// writer hands the events to a sink.
type writer struct {
	log     *log
	sink    Sink
	dropped uint64 // events that the sink has been told are missing
	err     error  // the first of the sink
}

// run writes until the log has ended.
func (w *writer) run() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case events, ok := <-w.log.full:
			if !ok {
				w.keep(w.sink.Flush())
				return
			}
			w.write(events)
		case <-tick.C:
			w.log.takeOver()
			w.keep(w.sink.Flush())
		}
	}
}

// write hands over one buffer, and gives it back.
func (w *writer) write(events []trace.Event) {
	for _, e := range events {
		w.keep(w.sink.Write(e))
	}
	if missing := w.log.giveBack(events); missing > w.dropped {
		w.keep(w.sink.Dropped(missing-w.dropped, "the recorder had no room"))
		w.dropped = missing
	}
}

// keep keeps the first error.
func (w *writer) keep(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("record: %w", err)
	}
}
