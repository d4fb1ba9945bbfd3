package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

type own struct {
	f        *File
	unit     time.Duration
	unitName string
	now      time.Duration
	pending  map[uint64]struct{} // timers that are scheduled and have not ended
	events   uint64              // lines of events, also of those that were skipped
	begun    bool                // the header is over
	gaps     bool                // events were dropped: a timer's end may be missing
}

func (o *own) notes() []string { return nil }

// next reads a line, and stores the event that it may be.
func (o *own) next(e *Event) (bool, error) {
	line, err := o.f.line()
	switch {
	case err == nil || errors.Is(err, errUnended) && bytes.HasPrefix(line, []byte("end")):
		return o.line(line, e)
	case errors.Is(err, errUnended):
		return false, o.cut("the line has no end, and there is no \"end\" line")
	case errors.Is(err, errEnded):
		return false, o.cut("there is no \"end\" line after this one")
	}
	return false, err
}

func (o *own) cut(detail string) error {
	err := o.f.fault(Truncated, "%s", detail)
	if err == nil {
		return io.EOF
	}
	err.(*SyntaxError).Err = io.ErrUnexpectedEOF
	return err
}

func (o *own) line(line []byte, e *Event) (bool, error) {
	if len(line) > 1 && line[1] == ' ' {
		if kind := strings.IndexByte(letters[1:], line[0]) + 1; kind > 0 {
			o.begun = true
			return o.event(Kind(kind), line[2:], e)
		}
	}
	key, rest, _ := bytes.Cut(line, []byte(" "))
	if len(key) == 0 && len(bytes.TrimSpace(rest)) == 0 || len(key) > 0 && key[0] == '#' {
		return false, nil // an empty line, or a comment
	}
	return false, o.word(string(key), string(rest))
}

func (o *own) word(key, rest string) error {
	switch key {
	case "at":
		return o.at(rest)
	case "dropped":
		return o.dropped(rest)
	case "end":
		return o.end(rest)
	}
	if o.begun {
		return o.f.fault(Unknown, "%q, want s, r, c, f, at, dropped or end", clip(key))
	}
	return o.header(key, rest)
}

func (o *own) header(key, rest string) error {
	h := &o.f.header
	switch key {
	case "timer-trace":
		if o.f.counts.Lines != 1 || rest != version {
			return o.refuse("%q, want %q in the first line: another version of the form cannot be read", clip(key+" "+rest), magic+version)
		}
	case "source":
		h.Source = rest
	case "note":
		if len(h.Notes) < maxNotes {
			h.Notes = append(h.Notes, rest)
		}
	case "start":
		t, err := time.Parse(time.RFC3339Nano, rest)
		if err != nil {
			return o.f.fault(Malformed, "start %q, want a time such as 2026-01-02T15:04:05Z", clip(rest))
		}
		h.Start = t
	case "unit":
		unit, ok := units[rest]
		if !ok {
			return o.refuse("unit %q, want ns, us, ms or s", clip(rest))
		}
		o.unit, o.unitName = unit, rest
	default:
		return o.f.fault(Unknown, "%q, want source, start, unit, note, s, r, c, f, at, dropped or end", clip(key))
	}
	return nil
}

const maxNotes = 100

var units = map[string]time.Duration{"ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second}

// refuse is fault for what cannot be skipped, because all that follows would be misread.
func (o *own) refuse(format string, args ...any) error {
	return &SyntaxError{File: o.f.name, Line: o.f.counts.Lines, Reason: Malformed, Detail: fmt.Sprintf(format, args...)}
}

// event reads the numbers of an event: the timer, the time since the line before, and the delay if it has one.
func (o *own) event(kind Kind, rest []byte, e *Event) (bool, error) {
	o.events++
	wanted, what := 2, "a timer number and the time since the line before"
	if arms(kind) {
		wanted, what = 3, "a timer number, the time since the line before and a delay"
	}
	n, ok := numbers(rest, wanted)
	if !ok {
		return false, o.f.fault(Malformed, "%q, want %s, each 0 or more and below 2^64", clip(string(rest)), what)
	}
	timer, step, delay := n[0], n[1], n[2]
	at, ok := o.after(o.now, step)
	if !ok {
		return false, o.f.fault(OutOfRange, "%d %s after %v is beyond the longest duration", step, o.unitName, o.now)
	}
	o.now = at
	deadline, ok := o.after(at, delay)
	if !ok {
		return false, o.f.fault(OutOfRange, "a delay of %d %s at %v is beyond the longest duration", delay, o.unitName, at)
	}
	*e = Event{At: at, Delay: deadline - at, Timer: timer, Kind: kind}
	return o.admit(e)
}

// admit keeps account of the timers and reports whether the event may pass.
func (o *own) admit(e *Event) (bool, error) {
	_, pending := o.pending[e.Timer]
	switch {
	case !arms(e.Kind):
		delete(o.pending, e.Timer)
	case !pending && len(o.pending) >= MaxPending:
		return false, o.refuse("more than %d timers pending", MaxPending)
	case pending && e.Kind == Schedule && !o.gaps:
		return false, o.f.fault(Rescheduled, "timer %d is pending already: want r to move it, or c or f before it", e.Timer)
	default:
		o.pending[e.Timer] = struct{}{}
	}
	return true, nil
}

// after returns the time some units after another, and false if there is none.
func (o *own) after(t time.Duration, n uint64) (time.Duration, bool) {
	if n > uint64(math.MaxInt64-t)/uint64(o.unit) {
		return 0, false
	}
	return t + time.Duration(n)*o.unit, true
}

// at compares the time with the one written in full, and sets the time right where lines were skipped.
func (o *own) at(rest string) error {
	o.begun = true
	n, ok := decimal([]byte(rest))
	if !ok {
		return o.f.fault(Malformed, "at %q, want a time", clip(rest))
	}
	t, ok := o.after(0, n)
	switch {
	case !ok:
		return o.f.fault(OutOfRange, "at %d %s is beyond the longest duration", n, o.unitName)
	case t == o.now:
		return nil
	case t > o.now && o.f.skip && o.f.counts.AllSkipped() > 0:
		o.now = t
		return nil
	}
	return o.f.fault(Mismatch, "the time is said to be %v, and the steps up to here come to %v", t, o.now)
}

func (o *own) dropped(rest string) error {
	o.begun = true
	count, _, _ := strings.Cut(rest, " ")
	n, ok := decimal([]byte(count))
	if !ok {
		return o.f.fault(Malformed, "dropped %q, want a number and a reason", clip(rest))
	}
	o.gaps = true
	o.f.counts.Lost += min(n, math.MaxUint64-o.f.counts.Lost)
	return nil
}

// end compares the totals; a trace written by hand need not have them. Nothing may follow.
func (o *own) end(rest string) error {
	if rest != "" {
		if err := o.totals([]byte(rest)); err != nil {
			return err
		}
	}
	for {
		line, err := o.f.line()
		if len(line) > 0 || errors.Is(err, errUnended) {
			err = o.f.fault(Malformed, "there is more after the \"end\" line")
		}
		switch {
		case errors.Is(err, errEnded):
			return io.EOF
		case err != nil:
			return err
		}
	}
}

func (o *own) totals(rest []byte) error {
	n, sound := numbers(rest, 2)
	events := n[0]
	t, ok := o.after(0, n[1])
	switch {
	case !sound || !ok:
		return o.f.fault(Malformed, "want end, or end with the number of events and the time of the last one")
	case events > o.events && o.f.skip:
		o.f.counts.Missing = events - o.events
	case events != o.events:
		return o.f.fault(Mismatch, "the end line has %d events, the trace %d", events, o.events)
	case t != o.now && o.f.counts.AllSkipped() == 0:
		return o.f.fault(Mismatch, "the end is said to be at %v, and the steps come to %v", t, o.now)
	}
	return nil
}
