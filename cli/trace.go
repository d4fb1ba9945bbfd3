package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"schedbench/workload/trace"
)

type traceCmd struct {
	Info    traceInfoCmd    `cmd:"" help:"Say what traces contain."`
	Convert traceConvertCmd `cmd:"" help:"Write a trace in schedbench's format, a tenth of the size."`
}

// traceFlags say how traces are read.
type traceFlags struct {
	SkipBad bool `name:"skip-bad" help:"Leave out what is damaged in a trace, and say how much that is."`
	HZ      int  `name:"hz" help:"Jiffies a second of the kernel that a trace was recorded on. By default found from the trace." placeholder:"N"`
}

func (f *traceFlags) check() error {
	if f.HZ < 0 || f.HZ > trace.MaxHZ {
		return fmt.Errorf("--hz %d, want 1 to %d", f.HZ, trace.MaxHZ)
	}
	return nil
}

func (f *traceFlags) options() trace.Options { return trace.Options{SkipBad: f.SkipBad, HZ: f.HZ} }

// open opens a trace. A wrong flag and a missing file are usage errors.
func (f *traceFlags) open(path string) (*trace.File, error) {
	if err := f.check(); err != nil {
		return nil, usageError(err)
	}
	file, err := trace.Open(path, f.options())
	return file, absent(hint(err))
}

// hint adds to an error of a trace the flag that helps.
func hint(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w, want a trace", err)
	case errors.Is(err, trace.ErrHZ):
		return fmt.Errorf("%w; give it with --hz", err)
	case errors.As(err, new(*trace.SyntaxError)):
		return fmt.Errorf("%w; --skip-bad leaves out what is damaged, as far as that is possible", err)
	}
	return err
}

// interruptible ends a trace when the user interrupts.
type interruptible struct {
	ctx context.Context
	r   trace.Reader
}

// Read reads on unless the context has ended.
func (i interruptible) Read(events []trace.Event) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, fmt.Errorf("interrupted: %w", err)
	}
	return i.r.Read(events)
}

type traceInfoCmd struct {
	traceFlags
	Files []string `arg:"" help:"Traces: in schedbench's format, text of tracefs, or of perf script; packed with gzip or not." placeholder:"FILE"`
}

// Run prints a summary of each trace.
func (c *traceInfoCmd) Run(con *console) error {
	for i, path := range c.Files {
		if i > 0 {
			fmt.Fprintln(con.out)
		}
		if err := c.show(con, path); err != nil {
			return err
		}
	}
	return nil
}

func (c *traceInfoCmd) show(con *console, path string) error {
	file, err := c.open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := trace.Summarize(interruptible{con.ctx, file})
	if err != nil {
		return hint(err)
	}
	return printTrace(con.out, file, info)
}

type traceConvertCmd struct {
	traceFlags
	In  string `arg:"" help:"Trace to read, of any form."`
	Out string `arg:"" help:"File to write; packed with gzip if its name ends in .gz." type:"path"`
}

// Run converts into a new file. A conversion that fails leaves none.
func (c *traceConvertCmd) Run(con *console) error {
	if isThere(c.Out) {
		return usageError(fmt.Errorf("%s exists already, want the name of a new file", c.Out))
	}
	if dir := filepath.Dir(c.Out); !isThere(dir) {
		return usageError(fmt.Errorf("%s: there is no folder %s to write into", c.Out, dir))
	}
	in, err := c.open(c.In)
	if err != nil {
		return err
	}
	defer in.Close()
	part := filepath.Join(filepath.Dir(c.Out), ".part-"+filepath.Base(c.Out))
	events, err := convert(con.ctx, in, part)
	if err == nil {
		err = os.Rename(part, c.Out)
	}
	if err != nil {
		return errors.Join(hint(err), os.RemoveAll(part))
	}
	fmt.Fprintf(con.out, "%s: %v, %d events in %d lines; written to %s\n", c.In, in.Format(), events, in.Counts().Lines, c.Out)
	printReading(con.out, in)
	return nil
}

// convert writes a trace into a file in schedbench's format and returns how many events it has.
func convert(ctx context.Context, in *trace.File, path string) (events uint64, err error) {
	batch := make([]trace.Event, 512)
	n, err := in.Read(batch) // the header is known after this
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	h := in.Header() // with what Read found out
	if in.Format() != trace.Own {
		h.Source = filepath.Base(in.Name()) + ", " + in.Format().String()
		h.Notes = append(h.Notes, in.Notes()...)
	}
	w, err := trace.Create(path, h)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	written := gaps{}
	for n > 0 {
		// A missing event may be the end of a timer of this batch, so gaps come before it.
		if err := written.write(w, in.Counts()); err != nil {
			return 0, err
		}
		for _, e := range batch[:n] {
			if err := w.Write(e); err != nil {
				return 0, err
			}
		}
		if n, err = (interruptible{ctx, in}).Read(batch); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	return w.Events(), written.write(w, in.Counts())
}

// gaps counts the missing events that have been written, by reason.
type gaps map[string]uint64

// write writes how many events have gone missing since the last call.
func (g gaps) write(w *trace.Writer, c trace.Counts) error {
	for _, missing := range someOf(
		countOf{c.Lost, "lost by the recording"},
		countOf{c.AllSkipped(), "damaged"},
		countOf{c.Unended, "ends of timers that are missing"},
		countOf{c.OtherClock, "timers on a clock that is not known"},
		countOf{c.Missing, "not in the file though it says so"},
	) {
		if err := w.Dropped(missing.n-g[missing.what], missing.what); err != nil {
			return err
		}
		g[missing.what] = missing.n
	}
	return nil
}
