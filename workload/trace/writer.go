package trace

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Header says where a trace comes from. All of it may be empty.
type Header struct {
	// Source is what was recorded, in a line.
	Source string
	// Start is the wall-clock time of time 0.
	Start time.Time
	// Notes is anything else to know, a line each.
	Notes []string
}

const (
	magic   = "timer-trace "
	version = "1"

	writeSize = 64 << 10
	// longest is more than any line that Write appends: a letter, three numbers of at most 20 digits, and an "at" line.
	longest    = 128
	checkEvery = 4096 // after how many events the time is written in full, which a damaged line does not shift
)

// Writer writes a trace in schedbench's format, 64 KiB at a time. An event allocates nothing. One goroutine at a time may
// use it. Close writes the last line; a trace without it was cut off.
type Writer struct {
	w      io.Writer
	flush  func() error   // of gzip
	close  []func() error // of what Create has opened, in this order
	buf    []byte
	last   time.Duration
	events uint64
	err    error // of the first write that failed, or errClosed
	closed error // what Close returned
}

var errClosed = fmt.Errorf("trace: %w", os.ErrClosed)

// NewWriter returns a writer of a trace. It writes the header with the first events; line breaks in it become spaces.
func NewWriter(w io.Writer, h Header) *Writer {
	t := &Writer{w: w, buf: make([]byte, 0, writeSize+longest)}
	t.buf = append(t.buf, magic+version+"\n"...)
	t.line("source", h.Source)
	if !h.Start.IsZero() {
		t.line("start", h.Start.UTC().Format(time.RFC3339Nano))
	}
	t.line("unit", "ns")
	for _, note := range h.Notes {
		t.line("note", note)
	}
	return t
}

// Create makes a file for a trace, packed with gzip if the name ends in .gz. Close closes the file as well.
func Create(path string, h Header) (*Writer, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w := NewWriter(file, h)
	w.close = []func() error{file.Close}
	if strings.HasSuffix(path, ".gz") {
		packed := gzip.NewWriter(file)
		w.w, w.flush = packed, packed.Flush
		w.close = []func() error{packed.Close, file.Close}
	}
	return w, nil
}

// line appends a line, unless the text is empty. It makes the text fit into a line.
func (w *Writer) line(key, text string) {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
	if len(text) > MaxLine/2 {
		text = strings.ToValidUTF8(text[:MaxLine/2], "")
	}
	if text != "" {
		w.buf = fmt.Appendf(w.buf, "%s %s\n", key, text)
	}
}

// Write appends an event. The error of an event that breaks the rules wraps ErrEvent, and the trace can go on. An error of
// the underlying writer ends the trace and is returned from then on.
func (w *Writer) Write(e Event) error {
	if w.err != nil {
		return w.err
	}
	if err := e.check(w.last); err != nil {
		return err
	}
	b := append(w.buf, letters[e.Kind], ' ')
	b = strconv.AppendUint(b, e.Timer, 10)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(e.At-w.last), 10)
	if arms(e.Kind) {
		b = append(b, ' ')
		b = strconv.AppendUint(b, uint64(e.Delay), 10)
	}
	w.buf = append(b, '\n')
	w.last = e.At
	w.events++
	if w.events%checkEvery == 0 {
		w.buf = fmt.Appendf(w.buf, "at %d\n", w.last.Nanoseconds())
	}
	if len(w.buf) >= writeSize {
		return w.spill()
	}
	return nil
}

// Dropped notes that n events are missing here, and why. A reader assumes that ends of timers may be among them.
func (w *Writer) Dropped(n uint64, reason string) error {
	if n > 0 && w.err == nil {
		w.line("dropped", strconv.FormatUint(n, 10)+" "+reason)
	}
	if len(w.buf) >= writeSize {
		return w.spill()
	}
	return w.err
}

// Events returns how many events have been written.
func (w *Writer) Events() uint64 { return w.events }

// Flush hands on all that is gathered, also within gzip: a reader then finds all events up to here.
func (w *Writer) Flush() error {
	if w.spill() == nil && w.flush != nil {
		w.err = w.flush()
	}
	return w.err
}

func (w *Writer) spill() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.w.Write(w.buf)
	}
	w.buf = w.buf[:0]
	return w.err
}

// Close writes the last line. It closes a file of Create, but not the writer of NewWriter.
func (w *Writer) Close() error {
	if errors.Is(w.err, errClosed) {
		return w.closed
	}
	w.line("end", fmt.Sprintf("%d %d", w.events, int64(w.last)))
	err := w.spill()
	for _, c := range w.close {
		err = errors.Join(err, c())
	}
	w.err, w.closed = errClosed, err
	return err
}
