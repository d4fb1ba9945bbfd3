package record

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"schedbench/driver"
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
	begin func(n *note) // called when the timer of a note fires

	mu      sync.Mutex // protects what follows
	filling []trace.Event
	empty   [][]trace.Event // the last one in is the first one out: it is in the cache
	last    time.Duration   // the time of the last event
	counts  Counts
	ended   bool

	// notes are those of the pending timers, by their numbers in the trace, and free those that can be used again. So
	// there are as many as timers were ever pending at once.
	notes []*note
	free  []*note
}

// note is what the recorder knows of a timer. One goroutine at a time makes, moves, stops or begins the timer, and owns
// the note.
type note struct {
	number uint32
	fire   func() // the task: it calls begin, and is made once, so a timer of the program allocates nothing

	// The mutex of the log protects these three. absent says that the timer is not pending in the trace: it has fired, or
	// there was no room. postponed is an end for which there was no room. repeats is the repetition whose runs these are.
	absent    bool
	postponed trace.Kind
	repeats   *repetition

	// moving is held while the timer is armed and while its deadline changes. A timer that fires waits until the
	// change is noted. It protects what follows.
	moving sync.Mutex
	f      func()       // of the program
	timer  driver.Timer // the driver's own
	use    uint32       // which timer of this number that is, counted from 1
}

const buffers = 64

// newLog returns an empty log with room for n events.
func newLog(n int, begin func(n *note)) (*log, error) {
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
func (l *log) put(at, delay time.Duration, n *note, kind trace.Kind) bool {
	if len(l.filling) == cap(l.filling) && !l.turn() {
		return false
	}
	l.last = max(l.last, at)
	delay = min(max(delay, 0), longest-l.last)
	l.filling = append(l.filling, trace.Event{At: l.last, Delay: delay, Timer: uint64(n.number), Kind: kind})
	l.counts.Recorded++
	return true
}

const longest = 1<<63 - 1

// made notes a new timer, unless there is no room. The caller holds mu.
func (l *log) made(at, delay time.Duration, n *note) {
	n.absent = !l.writePostponed(at, n) || !l.put(at, delay, n, trace.Schedule)
	if n.absent {
		l.counts.Timers++
	}
}

// arm notes a new timer, and returns its note: a free one, or a new one if there is none.
func (l *log) arm(at, delay time.Duration) *note {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == 0 {
		n := &note{number: uint32(len(l.notes))}
		n.fire = func() { l.begin(n) }
		l.notes, l.free = append(l.notes, n), append(l.free, n)
	}
	n := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	l.made(at, delay, n)
	return n
}

func (l *log) move(at, delay time.Duration, n *note) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !n.absent && !l.put(at, delay, n, trace.Reset) {
		l.counts.Resets++
	}
}

func (l *log) end(at time.Duration, n *note, kind trace.Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(at, n, kind)
}

// release notes the end of a timer, and frees its note. The caller holds mu.
func (l *log) release(at time.Duration, n *note, kind trace.Kind) {
	l.over(at, n, kind)
	n.repeats = nil
	l.free = append(l.free, n)
}

// over notes the end of a timer that the trace has. The caller holds mu.
func (l *log) over(at time.Duration, n *note, kind trace.Kind) {
	if !n.absent && !l.put(at, 0, n, kind) {
		n.postponed = kind
		l.counts.Ends++
	}
	n.absent = true
}

// writePostponed writes the end that was postponed for want of room, and reports whether none is left. The caller holds mu.
func (l *log) writePostponed(at time.Duration, n *note) bool {
	if n.postponed != 0 && l.put(at, 0, n, n.postponed) {
		n.postponed = 0
	}
	return n.postponed == 0
}

// allWritten notes the ends for which there was no room, and reports whether there was room for all.
func (l *log) allWritten(at time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !slices.ContainsFunc(l.notes, func(n *note) bool { return !l.writePostponed(at, n) })
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
