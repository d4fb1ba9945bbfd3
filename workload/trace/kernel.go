package trace

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// kernel reads the timer events of the Linux kernel. Lines go through stages that
// hold a bounded number of them:
//
//	lines ──▶ order: by time, within a window ──▶ pairs: what a cancel
//	          event stands for ──▶ numbers, delays ──▶ events
//
// The first stage holds the beginning back until it tells how many jiffies a
// second has, and which clock stamped the events.
type kernel struct {
	f     *File
	lines *lines

	order heap[raw]
	// newest is the time that two lines in a row have reached, so that a single one
	// with a damaged time does not make all others late; before is that of the line
	// before, and passed that of the last event handed on.
	newest, before, passed time.Duration
	known                  bool // rate and clock are known, as far as can be
	rate                   jiffies
	stamps                 stamps

	pairs pairs

	zero    time.Duration // time stamp of the first event
	begun   bool
	timers  map[key]uint32 // numbers of pending timers
	free    []uint32       // numbers to use again
	numbers uint32         // how many are used

	inBuffer uint64 // how many events the head of the text tells of
	found    uint64 // how many there were
	err      error  // that ended the lines
}

const (
	// window is how far events may be out of order in time.
	window = 10 * time.Millisecond
	// windowMost is how many events are held to put them in order, and how far the
	// reader looks ahead.
	windowMost = 1 << 16
)

func newKernel(f *File, r io.Reader, hz int) *kernel {
	k := &kernel{f: f, lines: newLines(r), timers: map[key]uint32{}}
	k.rate.hz, k.rate.given = hz, hz > 0
	k.order.less = func(a, b *raw) bool { return a.at < b.at || a.at == b.at && a.line < b.line }
	return k
}

// notes says what was found out.
func (k *kernel) notes() []string {
	var notes []string
	if rate := k.rate.String(); rate != "" {
		notes = append(notes, rate)
	}
	return append(notes, k.stamps.String())
}

// next stores the next event.
func (k *kernel) next(e *Event) error {
	for {
		for {
			r, ok := k.pairs.pop()
			if !ok {
				break
			}
			ok, err := k.event(&r, e)
			if ok || err != nil {
				return err
			}
		}
		if k.order.len() == 0 && k.err != nil {
			if len(k.pairs.open) == 0 {
				return k.err
			}
			k.pairs.finish()
			continue
		}
		k.advance()
	}
}

// advance hands an event on to be paired, reading lines until one is in its place.
func (k *kernel) advance() {
	for k.err == nil && !k.ready() {
		k.err = k.read()
	}
	if !k.known {
		k.know()
	}
	if k.order.len() == 0 {
		return
	}
	r := k.order.pop()
	k.passed = r.at
	k.stamps.note(&r)
	k.pairs.push(r)
}

// ready reports whether nothing that is to come can be before the first event held.
func (k *kernel) ready() bool {
	switch {
	case k.order.len() == 0:
		return false
	case k.order.len() >= windowMost:
		return true
	case !k.known && !(k.rate.sure() && k.stamps.seen >= sureStamps):
		return false
	}
	return k.newest-k.order.first().at > window
}

// know settles rate and clock with what has been read.
func (k *kernel) know() {
	k.rate.settle()
	k.stamps.begin(k.order.items)
	k.known = true
}

// read reads a line.
func (k *kernel) read() error {
	line, err := k.lines.next()
	k.f.counts.Lines = k.lines.n
	switch {
	case err == nil:
	case errors.Is(err, errTooLong):
		return k.f.fault(k.lines.n, TooLong, "more than %d bytes", MaxLine)
	case errors.Is(err, errUnended):
		if err := k.f.fault(k.lines.n, Truncated, "the line has no end"); err != nil {
			return err
		}
		return k.end()
	case errors.Is(err, io.EOF):
		return k.end()
	default:
		return k.f.broken(k.lines.n, err)
	}
	k.head(line)
	r, err := parseLine(line)
	var bad badLine
	if errors.As(err, &bad) {
		return k.f.fault(k.lines.n, bad.reason, "%s", bad.detail)
	}
	r.line = k.lines.n
	return k.take(r)
}

// head takes note of how many events the text says it holds.
func (k *kernel) head(line []byte) {
	const says = "# entries-in-buffer/entries-written: "
	if k.found > 0 || len(line) < len(says) || string(line[:len(says)]) != says {
		return
	}
	held, rest, ok := digits(line[len(says):])
	if !ok || len(rest) == 0 || rest[0] != '/' {
		return
	}
	if written, _, ok := digits(rest[1:]); ok && written >= held {
		k.inBuffer = held
		k.f.counts.Lost += min(written-held, math.MaxUint64-k.f.counts.Lost)
	}
}

// end compares the number of events with that of the head.
func (k *kernel) end() error {
	if k.inBuffer > k.found {
		k.f.counts.Missing = k.inBuffer - k.found
	}
	return io.EOF
}

// take puts an event where it belongs in time.
func (k *kernel) take(r raw) error {
	switch r.what {
	case noEvent:
		return nil
	case lost:
		k.f.counts.Lost += min(r.n, math.MaxUint64-k.f.counts.Lost)
		return nil
	case ignored:
		k.f.counts.Ignored++
		k.found++
		return nil
	}
	k.found++
	if r.at < k.passed {
		return k.f.fault(r.line, OutOfOrder, "%v comes after %v, want them in order within %v", r.at, k.passed, window)
	}
	k.newest = max(k.newest, min(r.at, k.before))
	k.before = r.at
	if r.knows {
		k.rate.note(r.at, r.jiffies)
	}
	if !k.known && r.told() {
		k.stamps.seen++
	}
	k.order.push(r)
	return nil
}

// event makes an event of the trace of one of the kernel, and reports whether it
// is to be told.
func (k *kernel) event(r *raw, e *Event) (bool, error) {
	if !k.begun {
		k.begun, k.zero = true, r.at
	}
	*e = Event{At: r.at - k.zero}
	if r.what != start {
		e.Kind = Cancel
		if r.what == expire {
			e.Kind = Fire
		}
		e.Timer = k.ended(r.key)
		return true, nil
	}
	ok, err := k.delay(r, e)
	if !ok || err != nil {
		return false, err
	}
	return true, k.armed(r, e)
}

// ended returns the number of a timer that is no longer pending: a new one if the
// trace does not know it, because it was armed before the recording began.
func (k *kernel) ended(timer key) uint64 {
	n, ok := k.timers[timer]
	if ok {
		delete(k.timers, timer)
	} else {
		n = k.unused()
	}
	k.free = append(k.free, n)
	return uint64(n)
}

// maxNumbers bounds the numbers that are used, and so the list of those that are
// free. It is more than can be pending.
const maxNumbers = 2 * MaxPending

// unused returns a number that was never used, as long as there is one.
func (k *kernel) unused() uint32 {
	if k.numbers == maxNumbers {
		return k.used()
	}
	k.numbers++
	return k.numbers - 1
}

// used returns a number whose timer has ended, if there is one.
func (k *kernel) used() uint32 {
	last := len(k.free) - 1
	if last < 0 {
		return k.unused()
	}
	n := k.free[last]
	k.free = k.free[:last]
	return n
}

// armed says which timer is armed, and whether it was pending.
func (k *kernel) armed(r *raw, e *Event) error {
	n, pending := k.timers[r.key]
	e.Kind = Schedule
	if r.was == armedYes {
		e.Kind = Reset
	}
	switch {
	case pending && r.was != armedYes:
		k.f.counts.Unended++
	case pending:
	case len(k.timers) >= MaxPending:
		return fmt.Errorf("%s:%d: %w", k.f.name, r.line, errPending)
	case e.Kind == Reset: // armed before the recording began
		n = k.unused()
	default:
		n = k.used()
	}
	k.timers[r.key] = n
	e.Timer = uint64(n)
	return nil
}

// delay works out how long ahead a timer is armed. It is false for a timer that
// has to be left out.
func (k *kernel) delay(r *raw, e *Event) (bool, error) {
	d, clamped := time.Duration(r.expires), false
	if r.high {
		var ok bool
		if d, ok = k.stamps.ahead(r.at, d); !ok {
			k.f.counts.OtherClock++
			return false, nil
		}
	} else if r.expires >= 0 {
		if !k.rate.settle() {
			return false, k.noRate(r.line)
		}
		d, clamped = k.rate.delay(r.expires)
	}
	if d < 0 {
		k.f.counts.Overdue++
		d = 0
	}
	if most := math.MaxInt64 - e.At; clamped || d > most {
		k.f.counts.Clamped++
		d = most
	}
	e.Delay = d
	return true, nil
}

// ErrHZ means that a recording is too short to tell how many jiffies a second has.
var ErrHZ = errors.New("cannot find out how many jiffies a second has")

// noRate returns what is wrong when there are jiffies and no rate: what ended the
// lines, if that is why there are too few.
func (k *kernel) noRate(line int64) error {
	if k.err != nil && !errors.Is(k.err, io.EOF) {
		return k.err
	}
	return fmt.Errorf("%s:%d: %w: %d of them within %v fit no rate, or several; give HZ, the CONFIG_HZ of the kernel",
		k.f.name, line, ErrHZ, k.rate.passed(), k.rate.lastAt-k.rate.firstAt)
}
