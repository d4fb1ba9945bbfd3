package trace

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"schedbench/internal/minheap"
	"schedbench/workload"
)

// Operations is what a trace shows that the program did with its timers: a workload.Stream, to be replayed. Expiries
// are left out, since they are the scheduler's answer. What else is left out or changed:
//
//	schedule of a pending timer       a reset: its end is missing
//	reset of one that is not pending  a schedule: its schedule is missing
//	either, of one that is overdue    a schedule: it has fired in the replay
//	cancel of a pending timer         a cancel, also if it is overdue: the replay refuses it then
//	cancel of any other               left out
//
// Timers are numbered anew, with small numbers. One is used again when the trace shows the end of its timer, and if that
// fired early, at its deadline.
type Operations struct {
	events  Reader
	batch   []Event
	at      time.Duration
	timers  map[uint64]operand
	numbers numbering
	early   minheap.Heap[resting] // numbers whose timers fired before their deadlines
	until   time.Duration         // events from here on are left out; 0 is none
	err     error
}

type operand struct {
	deadline time.Duration
	number   uint32
}

// resting is a number that may be used again from a time on.
type resting struct {
	from   time.Duration
	number uint32
}

// Ops returns what the program of a trace did. Its errors are those of the trace, and ErrEvent for events that break the rules.
func Ops(r Reader) *Operations {
	o := &Operations{events: r, batch: make([]Event, 512), timers: map[uint64]operand{}}
	o.early.Less = func(a, b *resting) bool { return a.from < b.from }
	return o
}

var _ workload.Stream = (*Operations)(nil)

// Read stores the next operations: it is a workload.Stream.
func (o *Operations) Read(ops []workload.Op) (n int, err error) {
	for n == 0 && len(ops) > 0 && o.err == nil {
		got, err := o.events.Read(o.batch[:min(len(ops), len(o.batch))])
		if got == 0 {
			o.err = cmp.Or(err, io.ErrNoProgress)
		}
		for i := 0; i < got && o.err == nil; i++ {
			var stored bool
			if stored, o.err = o.next(&o.batch[i], &ops[n]); stored {
				n++
			}
		}
	}
	if n > 0 || len(ops) == 0 {
		return n, nil
	}
	return 0, o.err
}

// next stores the operation that an event stands for, if any.
func (o *Operations) next(e *Event, op *workload.Op) (stored bool, err error) {
	if o.until > 0 && e.At >= o.until {
		return false, io.EOF
	}
	if err := e.check(o.at); err != nil {
		return false, err
	}
	o.at = e.At
	for o.early.Len() > 0 && o.early.First().from <= o.at {
		o.numbers.free = append(o.numbers.free, o.early.Pop().number)
	}
	t, pending := o.timers[e.Timer]
	if arms(e.Kind) {
		err := o.arm(e, t, pending, op)
		return err == nil, err
	}
	return o.end(e, t, pending, op), nil
}

func (o *Operations) arm(e *Event, t operand, pending bool, op *workload.Op) error {
	kind := workload.Schedule
	switch {
	case pending && t.deadline > e.At:
		kind = workload.Reset
	case pending:
	case len(o.numbers.free) == 0 && len(o.timers)+o.early.Len() >= MaxPending:
		return fmt.Errorf("%w at %v", errPending, o.at)
	default:
		t.number = o.numbers.reuse()
	}
	t.deadline = e.deadline()
	o.timers[e.Timer] = t
	*op = workload.Op{At: e.At, Delay: e.Delay, Timer: t.number, Kind: kind}
	return nil
}

// end converts a cancellation or an expiry, and reports whether there is an operation for it.
func (o *Operations) end(e *Event, t operand, pending bool, op *workload.Op) bool {
	if !pending {
		return false
	}
	delete(o.timers, e.Timer)
	if e.Kind == Fire && t.deadline > e.At {
		o.early.Push(resting{t.deadline, t.number})
	} else {
		o.numbers.free = append(o.numbers.free, t.number)
	}
	*op = workload.Op{At: e.At, Timer: t.number, Kind: workload.Cancel}
	return e.Kind == Cancel
}

// SourceOf returns a trace file as a source, up to an instant; 0 is all of it. The error of another file wraps ErrFormat.
func SourceOf(path string, o Options, until time.Duration) (workload.Source, error) {
	digest, err := digestOf(path, o)
	if err != nil {
		return workload.Source{}, err
	}
	return workload.Source{
		Name: workload.TidyName(strings.TrimSuffix(filepath.Base(path), ".gz")), Tick: time.Millisecond, // a trace does not say any
		Version: fmt.Sprintf("%v %v %016x", o, until, digest),
		Open: func(asked workload.Options) (workload.Stream, error) {
			if asked.Scale != 0 && asked.Scale != 1 {
				return nil, fmt.Errorf("%s: a trace cannot be scaled by %v", path, asked.Scale)
			}
			file, err := Open(path, o)
			if err != nil {
				return nil, err
			}
			ops := Ops(file)
			ops.until = until
			if until == 0 || asked.For > 0 && asked.For < until {
				ops.until = asked.For
			}
			return struct {
				workload.Stream
				io.Closer
			}{ops, file}, nil
		},
	}, nil
}

// digestOf looks whether a file is a trace, and returns a digest of its content.
func digestOf(path string, o Options) (digest uint64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := NewReader(file, path, o); err != nil {
		return 0, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	h := fnv.New64a()
	_, err = io.Copy(h, file)
	return h.Sum64(), err
}
