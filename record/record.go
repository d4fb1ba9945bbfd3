package record

import (
	"context"
	"errors"
	"sync"
	"time"
	"unsafe"

	"schedbench/driver"
	"schedbench/workload/trace"
)

// Sink takes what is recorded; *trace.Writer is one. One goroutine calls it.
type Sink interface {
	// Write takes the next event. An event that is not written because of an error
	// is lost.
	Write(e trace.Event) error
	// Dropped says that n events are missing here, and why.
	Dropped(n uint64, reason string) error
	// Flush hands on what the sink has gathered.
	Flush() error
}

const (
	// DefaultRoom is how many events can wait for the sink, unless WithRoom says
	// otherwise. They take 2 MiB.
	DefaultRoom = 1 << 16

	// flushEvery is how often what there is goes to the sink at the least.
	flushEvery = time.Second
)

// Option is an option of Wrap.
type Option func(*Driver)

// WithRoom sets how many events can wait for the sink, 64 to 67 million. An event
// takes 32 bytes.
func WithRoom(events int) Option { return func(r *Driver) { r.room = events } }

// Driver is a driver whose timers are recorded. Its methods may be called from any
// goroutine, tasks included.
type Driver struct {
	d     *driver.Driver
	room  int
	start time.Duration // on the driver's clock
	log   *log

	written chan error // once all is

	mu        sync.Mutex // protects what follows
	repeating map[*Repeating]struct{}
}

// Wrap returns a driver that does what d does and has sink told of it. Nobody else
// may use d from then on. The error is of an option.
//
// A goroutine writes the events out; it ends with Close. A timer takes some 100
// bytes more while it is pending, and an operation some tens of nanoseconds: see
// the benchmarks of this package.
func Wrap(d *driver.Driver, sink Sink, opts ...Option) (*Driver, error) {
	r := &Driver{
		d: d, room: DefaultRoom,
		written: make(chan error, 1), repeating: map[*Repeating]struct{}{},
	}
	for _, o := range opts {
		o(r)
	}
	if d == nil || sink == nil {
		return nil, errors.New("record: no driver or no sink, want both")
	}
	r.start = d.Now()
	var err error
	if r.log, err = newLog(r.room, r.begin); err != nil {
		return nil, err
	}
	go func() { r.written <- r.log.writeTo(sink) }()
	return r, nil
}

// AfterFunc is that of the driver, and its errors are those of the driver. A timer
// that the driver refuses is recorded as one that was cancelled at once.
func (r *Driver) AfterFunc(delay time.Duration, f func()) (Timer, error) {
	if f == nil {
		return Timer{}, driver.ErrNilFunc
	}
	now := r.d.Now() - r.start
	n, p, absent := r.made(now, delay)
	task := &p.tasks[n&pageMask]
	task.f = f
	t, err := r.d.AtFunc(after(r.start+now, delay), task.fire)
	if err != nil {
		r.ended(now, n, absent, trace.Cancel)
		return Timer{}, err
	}
	return Timer{t, r, n, absent}, nil
}

// Len is that of the driver.
func (r *Driver) Len() int { return r.d.Len() }

// Stats is that of the driver.
func (r *Driver) Stats() driver.Stats { return r.d.Stats() }

// Counts is what became of events.
type Counts struct {
	// Recorded counts the events that were noted.
	Recorded uint64
	// Timers counts the timers that do not appear in the trace, because there was
	// no room when they were made. Resets counts changes of a deadline that do not.
	Timers, Resets uint64
	// Ends counts cancellations and firings that appear too late in the trace: when
	// the number of the timer was used again, or at Close.
	Ends uint64
}

// Counts returns the counts so far. It may be called after Close.
func (r *Driver) Counts() Counts {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.log.counts
}

// Close closes the driver, as its Close does, and returns when all events are
// written. The timers that have not fired are cancelled in the trace. The error is
// joined with the first one of the sink. The sink is flushed and not closed. What a
// task does that outlives Close, because ctx was done, is not recorded.
func (r *Driver) Close(ctx context.Context) ([]driver.Unfired, error) {
	unfired, err := r.d.Close(ctx)
	if errors.Is(err, driver.ErrClosed) {
		return nil, err
	}
	r.handBack(unfired)
	r.endRepeating(unfired)
	for !r.allWritten() {
		time.Sleep(time.Millisecond) // there was no room
	}
	r.log.handOver(true)
	return unfired, errors.Join(err, <-r.written)
}

// handBack replaces the functions of tasks that never ran by those of the program,
// and notes that they were cancelled.
func (r *Driver) handBack(unfired []driver.Unfired) {
	if len(unfired) == 0 {
		return
	}
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	pending := map[unsafe.Pointer]uint32{}
	for n := range l.numbers() {
		pending[closure(l.page(n).tasks[n&pageMask].fire)] = n
	}
	for i, u := range unfired {
		if n, ok := pending[closure(u.Func)]; ok {
			p := l.page(n)
			unfired[i].Func = p.tasks[n&pageMask].f
			l.release(r.now(), n, p.absent[n&pageMask], trace.Cancel)
		}
	}
}

// allWritten notes the ends that there was no room for, and reports whether there
// was room for all.
func (r *Driver) allWritten() bool {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.numbers() {
		if !l.writePostponed(r.now(), n) {
			return false
		}
	}
	return true
}

// closure tells functions apart, those of one line of code too.
func closure(f func()) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&f)) }

// now returns the time since the recording began.
func (r *Driver) now() time.Duration { return r.d.Now() - r.start }

// after returns the instant delay after now, at most the longest duration.
func after(now, delay time.Duration) time.Duration { return now + min(max(delay, 0), longest-now) }

// Timer is a driver.Timer that is recorded. Like that it is a small value, stale
// once its task has begun or been taken away, and harmless then.
type Timer struct {
	t      driver.Timer
	r      *Driver
	n      uint32 // its number in the trace
	absent bool   // it is not in the trace, because there was no room
}

// Stop is that of driver.Timer.
func (t Timer) Stop() bool {
	if t.r == nil {
		return false
	}
	at := t.r.now()
	if !t.t.Stop() {
		return false
	}
	t.r.ended(at, t.n, t.absent, trace.Cancel)
	return true
}

// Reset is that of driver.Timer.
func (t Timer) Reset(delay time.Duration) (bool, error) {
	if t.r == nil {
		return false, nil
	}
	moving := &t.r.page(t.n).moving[t.n&pageMask]
	moving.Lock()
	defer moving.Unlock()
	ok, err := t.t.Reset(delay)
	if ok {
		t.r.moved(t.n, t.absent, delay)
	}
	return ok, err
}

// State is that of driver.Timer.
func (t Timer) State() driver.State { return t.t.State() }

// begin is what the driver runs: it notes that the timer fires, and runs the task.
func (r *Driver) begin(n uint32) {
	p, at := r.page(n), n&pageMask
	p.moving[at].Lock()
	f, absent := p.tasks[at].f, p.absent[at]
	p.tasks[at].f = nil
	p.moving[at].Unlock()
	r.ended(r.now(), n, absent, trace.Fire)
	f()
}

// made returns a number for a new timer, and notes that it is made.
func (r *Driver) made(at, delay time.Duration) (n uint32, p *notePage, absent bool) {
	l := r.log
	l.mu.Lock()
	n = l.number()
	p = l.page(n)
	absent = !l.made(at, delay, n)
	if absent || l.absent > 0 {
		l.mark(n, absent)
	}
	l.mu.Unlock()
	return n, p, absent
}

// moved notes another deadline.
func (r *Driver) moved(n uint32, absent bool, delay time.Duration) {
	at := r.now()
	l := r.log
	l.mu.Lock()
	if !absent && !l.put(at, delay, n, trace.Reset) {
		l.counts.Resets++
	}
	l.mu.Unlock()
}

// ended notes the end of a timer.
func (r *Driver) ended(at time.Duration, n uint32, absent bool, kind trace.Kind) {
	r.log.mu.Lock()
	r.log.release(at, n, absent, kind)
	r.log.mu.Unlock()
}

// page returns the page of a number.
func (r *Driver) page(n uint32) *notePage {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.log.page(n)
}
