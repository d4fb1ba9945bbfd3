package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"schedbench/workload"
	"schedbench/workload/trace"
)

// convert writes a trace into a file in the own form and returns how many events
// it has.
func convert(ctx context.Context, in *trace.File, path string) (events uint64, err error) {
	batch := make([]trace.Event, 512)
	n, err := in.Read(batch) // now the header is known
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	w, err := trace.Create(path, convertedHeader(in))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var told gaps
	for n > 0 {
		// What is missing may be the end of a timer of this batch, so it comes before.
		if err := told.tell(w, in.Counts()); err != nil {
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
	return w.Events(), told.tell(w, in.Counts())
}

// convertedHeader is the header of a trace with what was found out to read it.
func convertedHeader(in *trace.File) trace.Header {
	h := in.Header()
	if in.Format() != trace.Own {
		h.Source = filepath.Base(in.Name()) + ", " + in.Format().String()
		h.Notes = append(h.Notes, in.Notes()...)
	}
	return h
}

// gaps are events that a trace lacks, as far as they have been told.
type gaps map[string]uint64

// tell writes what has come to be missing since the last time.
func (g *gaps) tell(w *trace.Writer, c trace.Counts) error {
	if *g == nil {
		*g = gaps{}
	}
	for _, missing := range []struct {
		why string
		n   uint64
	}{
		{"lost by the recording", c.Lost},
		{"damaged", c.AllSkipped()},
		{"ends of timers that are missing", c.Unended},
		{"timers on a clock that is not known", c.OtherClock},
		{"not in the file though it says so", c.Missing},
	} {
		if err := w.Dropped(missing.n-(*g)[missing.why], missing.why); err != nil {
			return err
		}
		(*g)[missing.why] = missing.n
	}
	return nil
}

// drain reads the operations of a trace to their end.
func drain(ops *trace.Operations) (trace.OpCounts, error) {
	batch := make([]workload.Op, 512)
	for {
		switch _, err := ops.Read(batch); {
		case errors.Is(err, io.EOF):
			return ops.Counts(), nil
		case err != nil:
			return trace.OpCounts{}, err
		}
	}
}
