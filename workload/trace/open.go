package trace

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
)

// Format is a form that traces come in.
type Format uint8

// The forms that can be read.
const (
	// Own is the form that Writer writes.
	Own Format = iota + 1
	// Tracefs is the text of /sys/kernel/tracing/trace and of trace-cmd report.
	Tracefs
	// Perf is the text of perf script.
	Perf
)

// String returns the name of a form.
func (f Format) String() string {
	return map[Format]string{Own: "timer-trace", Tracefs: "tracefs", Perf: "perf script"}[f]
}

// Options says how to read a trace.
type Options struct {
	// SkipBad leaves out damaged parts and counts them. Where gzip can unpack no more, the trace ends.
	SkipBad bool
	// HZ is CONFIG_HZ of the recorded kernel: its jiffies a second. 0 finds it out; other forms need none.
	HZ int
}

// MaxHZ is the largest value of Options.HZ.
const MaxHZ = 10_000

// File is a trace that is being read.
type File struct {
	name   string
	format Format
	skip   bool
	counts Counts
	header Header
	text   *bufio.Reader // of MaxLine
	source interface {
		// next goes on by a step, and reports whether it has stored an event.
		next(*Event) (bool, error)
		notes() []string
	}
	close func() error
	err   error // that ended it
}

// Open opens a trace of any form. The content decides the form, and whether gzip packed it. ErrFormat means no trace.
func Open(path string, o Options) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := NewReader(file, path, o)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.close = file.Close
	return f, nil
}

// NewReader is Open for a file that is open already. Errors have the name.
func NewReader(r io.Reader, name string, o Options) (*File, error) {
	if o.HZ < 0 || o.HZ > MaxHZ {
		return nil, fmt.Errorf("trace: HZ %d, want 0 (to find it out) to %d", o.HZ, MaxHZ)
	}
	if file, is := r.(*os.File); is {
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s: %w but a folder", name, ErrFormat)
		}
	}
	packed := bufio.NewReaderSize(r, MaxLine)
	text := packed
	if head, _ := packed.Peek(2); string(head) == "\x1f\x8b" {
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, &SyntaxError{File: name, Line: 1, Reason: Packing, Err: err}
		}
		text = bufio.NewReaderSize(unpacked, MaxLine)
	}
	head, err := text.Peek(MaxLine)
	if len(head) == 0 && !errors.Is(err, io.EOF) {
		return nil, (&File{name: name}).broken(err)
	}
	format, err := recognize(head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{
		name: name, format: format, skip: o.SkipBad, text: text, counts: Counts{Skipped: map[Reason]uint64{}},
		close: func() error { return nil },
	}
	if format == Own {
		f.source = &own{f: f, unit: 1, unitName: "ns", pending: map[uint64]struct{}{}}
	} else {
		f.source = &kernel{f: f, hz: o.HZ, timers: map[key]uint32{}}
	}
	return f, nil
}

func recognize(head []byte) (Format, error) {
	switch {
	case len(head) == 0:
		return 0, fmt.Errorf("%w: it is empty", ErrFormat)
	case bytes.HasPrefix(head, []byte(magic)):
		return Own, nil
	case bytes.HasPrefix(head, []byte("PERFILE2")):
		return 0, fmt.Errorf("%w: it is what perf record writes, want the text of perf script", ErrFormat)
	case bytes.HasPrefix(head, []byte("\x17\x08\x44tracing")):
		return 0, fmt.Errorf("%w: it is what trace-cmd record writes, want the text of trace-cmd report", ErrFormat)
	}
	for line := range bytes.Lines(head) {
		if bytes.HasPrefix(line, []byte("# tracer:")) {
			return Tracefs, nil
		}
		if r, err := parseLine(bytes.TrimRight(line, "\r\n")); err == nil && r.what != noEvent {
			if r.grouped {
				return Perf, nil
			}
			return Tracefs, nil
		}
	}
	return 0, fmt.Errorf("%w: want a file that begins with %q, the text of /sys/kernel/tracing/trace or that of perf script",
		ErrFormat, magic+version)
}

// Read stores the next events and returns how many: it is a Reader. The error of a damaged trace is a *SyntaxError.
func (f *File) Read(events []Event) (n int, err error) {
	for n < len(events) && f.err == nil {
		var stored bool
		if stored, f.err = f.source.next(&events[n]); stored && f.err == nil {
			n++
		}
	}
	f.counts.Events += uint64(n)
	if n > 0 || len(events) == 0 {
		return n, nil
	}
	return 0, f.err
}

// line reads the next line without its end; it is valid until the next call. A line that is too long takes no memory, and
// comes as an empty one if it may be skipped. errUnended comes beside a last line without an end, errEnded after the last.
func (f *File) line() ([]byte, error) {
	line, err := f.text.ReadSlice('\n')
	tooLong := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = f.text.ReadSlice('\n')
	}
	ended := errors.Is(err, io.EOF)
	switch {
	case tooLong:
		f.counts.Lines++
		return nil, f.fault(TooLong, "more than %d bytes", MaxLine)
	case ended && len(line) == 0:
		return nil, errEnded
	case ended:
		err = errUnended
	case err != nil:
		return nil, f.broken(err)
	}
	f.counts.Lines++
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
}

// Close closes the file of Open.
func (f *File) Close() error { return f.close() }

// Name returns the file's name in errors.
func (f *File) Name() string { return f.name }

// Format returns the form of the trace.
func (f *File) Format() Format { return f.format }

// Header returns where the trace comes from, as far as it says so itself. It is complete after the first call of Read.
func (f *File) Header() Header { return f.header }

// Counts returns what has been met so far.
func (f *File) Counts() Counts {
	c := f.counts
	c.Skipped = maps.Clone(c.Skipped)
	return c
}

// Notes returns what the reader found out, in words: how many jiffies a second has, and which clock stamped the events.
func (f *File) Notes() []string { return f.source.notes() }

// fault is faultAt of the line that was read last.
func (f *File) fault(reason Reason, format string, args ...any) error {
	return f.faultAt(f.counts.Lines, reason, format, args...)
}

// faultAt deals with damage: it is counted if it may be skipped, and an error if not.
func (f *File) faultAt(line int64, reason Reason, format string, args ...any) error {
	if f.skip {
		f.counts.Skipped[reason]++
		return nil
	}
	return &SyntaxError{File: f.name, Line: line, Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// broken returns the error of a source that fails after the lines read so far. An error of gzip is damage.
func (f *File) broken(err error) error {
	packing := errors.As(err, new(flate.CorruptInputError)) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader)
	switch {
	case !packing:
		return fmt.Errorf("%s:%d: %w", f.name, f.counts.Lines+1, err)
	case f.skip:
		f.counts.Skipped[Packing]++
		return io.EOF
	}
	return &SyntaxError{File: f.name, Line: f.counts.Lines + 1, Reason: Packing, Err: err}
}
