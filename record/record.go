package record

import (
	"context"
	"errors"
	"time"
	"unsafe"

	"schedbench/driver"
	"schedbench/schedulers"
	"schedbench/workload/trace"
)

// Sink takes what is recorded; *trace.Writer is one. One goroutine calls it.
type Sink interface {
	// Write takes the next event. If it returns an error the event is lost.
	Write(e trace.Event) error
	// Dropped says that n events are missing here, and why.
	Dropped(n uint64, reason string) error
	// Flush hands on what the sink has gathered.
	Flush() error
}

const (
	// DefaultRoom is how many events can wait for the sink without WithRoom. They take 2 MiB.
	DefaultRoom = 1 << 16

	// flushEvery is how often, at least, the log hands its events to the sink.
	flushEvery = time.Second
)

// Option is an option of Wrap.
type Option func(room *int)

// WithRoom sets how many events can wait for the sink, 64 to 67 million. An event takes 32 bytes.
func WithRoom(events int) Option { return func(room *int) { *room = events } }

// Driver is a driver whose timers are recorded. Its methods may be called from any goroutine, tasks included. They
// return the driver's own types: a program goes on keeping a driver.Timer.
type Driver struct {
	d        *driver.Driver
	wrapping driver.Wrapping
	start    time.Duration // on the driver's clock
	log      *log

	written chan error // once all is
}

// Wrap returns a driver that does what d does, and records it in sink. Only the recorder may use d from then on. A
// goroutine writes the events out; it ends with Close. A pending timer takes some 120 bytes more, and an operation some
// tens of nanoseconds, or hundreds with 100,000 pending: see the benchmarks of this package.
func Wrap(d *driver.Driver, sink Sink, opts ...Option) (*Driver, error) {
	if d == nil || sink == nil {
		return nil, errors.New("record: no driver or no sink, want both")
	}
	r := &Driver{d: d, start: d.Now(), written: make(chan error, 1)}
	r.wrapping = d.Wrap(wrapper{r})
	room := DefaultRoom
	for _, set := range opts {
		set(&room)
	}
	var err error
	if r.log, err = newLog(room, r.begin); err != nil {
		return nil, err
	}
	go func() { r.written <- r.log.writeTo(sink) }()
	return r, nil
}

// AfterFunc is that of the driver, with its errors. A timer that the driver refuses is recorded as cancelled at once.
// The State of an ended timer is the driver's, until its number in the trace goes to another timer.
func (r *Driver) AfterFunc(delay time.Duration, f func()) (driver.Timer, error) {
	if f == nil {
		return driver.Timer{}, driver.ErrNilFunc
	}
	now := r.now()
	n := r.log.arm(now, delay)
	n.moving.Lock()
	defer n.moving.Unlock()
	n.f = f
	n.use++
	var err error
	if n.timer, err = r.d.AtFunc(after(r.start+now, delay), n.fire); err != nil {
		r.log.end(now, n, trace.Cancel)
		return driver.Timer{}, err
	}
	return r.wrapping.Timer(schedulers.MakeID(n.number, n.use)), nil
}

// Len is that of the driver.
func (r *Driver) Len() int { return r.d.Len() }

// Stats is that of the driver.
func (r *Driver) Stats() driver.Stats { return r.d.Stats() }

// Counts is what became of events.
type Counts struct {
	// Recorded counts the events that were noted.
	Recorded uint64
	// Timers counts timers, and Resets changes of a deadline, that are not in the trace for want of room.
	Timers, Resets uint64
	// Ends counts cancellations and firings that the trace has too late: when the timer's number was used again, or
	// at Close.
	Ends uint64
}

// Counts returns the counts so far. It may be called after Close.
func (r *Driver) Counts() Counts {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.log.counts
}

// Close closes the driver, as its Close does, and returns when all events are written. The trace has the timers that
// have not fired as cancelled. The error is joined with the first one of the sink, which is flushed and not closed. If
// ctx is done, tasks may outlive Close. What they do is not recorded.
func (r *Driver) Close(ctx context.Context) ([]driver.Unfired, error) { return r.end(r.d.Close(ctx)) }

// CloseNow is Close without waiting for running tasks, as that of the driver. What they do is not recorded.
func (r *Driver) CloseNow() ([]driver.Unfired, error) { return r.end(r.d.CloseNow()) }

func (r *Driver) end(unfired []driver.Unfired, err error) ([]driver.Unfired, error) {
	if errors.Is(err, driver.ErrClosed) {
		return nil, err
	}
	r.handBack(unfired)
	for !r.log.allWritten(r.now()) {
		time.Sleep(time.Millisecond) // there was no room
	}
	r.log.handOver(true)
	return unfired, errors.Join(err, <-r.written)
}

// handBack replaces the functions of tasks that never ran by those of the program, and notes that they were cancelled.
// Repetitions end with the driver.
func (r *Driver) handBack(unfired []driver.Unfired) {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	pending := map[unsafe.Pointer]*note{}
	for _, n := range l.notes {
		task := n.fire
		if n.repeats != nil {
			task = n.repeats.task
		}
		pending[closure(task)] = n
	}
	for i, u := range unfired {
		if n := pending[closure(u.Func)]; n != nil {
			unfired[i].Func = n.f
			l.release(r.now(), n, trace.Cancel)
		}
	}
	for _, n := range l.notes {
		if n.repeats != nil {
			l.release(r.now(), n, trace.Cancel)
		}
	}
}

// closure identifies a function. Functions made by one line of code differ.
func closure(f func()) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&f)) }

// now returns the time since the recording began.
func (r *Driver) now() time.Duration { return r.d.Now() - r.start }

// after returns the instant delay after now, at most the longest duration.
func after(now, delay time.Duration) time.Duration { return now + min(max(delay, 0), longest-now) }

// wrapper is a driver.Wrapper. The ID of a timer is its number in the trace, and how many timers have had that number.
type wrapper struct{ r *Driver }

// hold returns the note of an id, and holds it.
func (w wrapper) hold(id schedulers.ID) *note {
	w.r.log.mu.Lock()
	n := w.r.log.notes[id.Cell()]
	w.r.log.mu.Unlock()
	n.moving.Lock()
	return n
}

// timerOf returns the driver's own timer of an id, or the zero Timer if another timer has the number by now. The caller
// holds the note.
func (n *note) timerOf(id schedulers.ID) driver.Timer {
	if n.use != id.Generation() {
		return driver.Timer{}
	}
	return n.timer
}

func (w wrapper) StopTimer(id schedulers.ID) bool {
	at := w.r.now()
	n := w.hold(id)
	t := n.timerOf(id)
	n.moving.Unlock()
	stopped := w.r.wrapping.Stop(t)
	if stopped {
		w.r.log.end(at, n, trace.Cancel)
	}
	return stopped
}

func (w wrapper) ResetTimer(id schedulers.ID, delay time.Duration) (bool, error) {
	n := w.hold(id)
	defer n.moving.Unlock()
	ok, err := n.timerOf(id).ResetPending(delay)
	if ok {
		w.r.log.move(w.r.now(), delay, n)
	}
	return ok, err
}

func (w wrapper) StateOf(id schedulers.ID) driver.State {
	n := w.hold(id)
	defer n.moving.Unlock()
	return n.timerOf(id).State()
}

// begin runs when the timer of a note fires.
func (r *Driver) begin(n *note) {
	n.moving.Lock()
	f := n.f
	n.f = nil
	n.moving.Unlock()
	r.log.end(r.now(), n, trace.Fire)
	f()
}
