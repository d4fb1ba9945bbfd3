package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"schedbench/schedulers"
	"schedbench/workload"
)

// Difference is where the answer of a scheduler first parts from the right one.
type Difference struct {
	// Ops is how many operations had been done, and Last is the one done last.
	// RunOut says that the stream had ended and the rest was run out.
	Ops    uint64
	Last   workload.Op
	RunOut bool
	// Got and Want are the answers at that point.
	Got, Want Answer
	// Wrong are the timers with which something is wrong, the first few of Count; empty if only a reply is wrong.
	Wrong []Fault
	Count int
	// Err is why the scheduler could not be driven on, or nil.
	Err error
}

// Fault is what is wrong with a timer.
type Fault struct {
	Timer      uint32
	Generation uint32 // how often the number was used by then, from 1
	Deadline   time.Duration
	// Due is the instant at which it should fire, and Fired the one at which it did, or -1.
	Due, Fired time.Duration
	What       string // lost, early, late, or not pending
}

// Error says where the answers differ, and which timers are wrong.
func (d *Difference) Error() string {
	var b strings.Builder
	if d.RunOut {
		fmt.Fprintf(&b, "running out after %d operations, ", d.Ops)
	} else {
		fmt.Fprintf(&b, "operation %d, a %v of timer %d at %v, ", d.Ops-1, d.Last.Kind, d.Last.Timer, d.Last.At)
	}
	fmt.Fprintf(&b, "gives %v; want %v", d.Got, d.Want)
	if d.Err != nil {
		fmt.Fprintf(&b, "; %v", d.Err)
	}
	for _, f := range d.Wrong {
		fmt.Fprintf(&b, "; %v", f)
	}
	if more := d.Count - len(d.Wrong); more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	return b.String()
}

// String says what is wrong with a timer.
func (f Fault) String() string {
	who := fmt.Sprintf("timer %d", f.Timer)
	if f.Generation > 1 {
		who += fmt.Sprintf(" (use %d of the number)", f.Generation)
	}
	switch f.What {
	case faultStray:
		return fmt.Sprintf("%s fired at %v and was not pending", who, f.Fired)
	case faultLost:
		return fmt.Sprintf("%s with deadline %v was to fire at %v and has not", who, f.Deadline, f.Due)
	}
	return fmt.Sprintf("%s with deadline %v fired at %v, %s: it was to fire at %v", who, f.Deadline, f.Fired, f.What, f.Due)
}

// What may be wrong with a timer.
const (
	faultStray = "not pending" // it had fired or been cancelled before, or never was
	faultLost  = "lost"
	faultEarly = "early"
	faultLate  = "late"
)

// shownFaults is how many timers a Difference names.
const shownFaults = 8

// Explain replays a stream once more, operation by operation beside the model, and returns the first difference, or nil
// if there is none. The scheduler must be new. It takes several times as long as a Player and remembers every pending
// timer. An error means that the replay could not go on.
func Explain(ctx context.Context, s schedulers.Scheduler[uint64], stream workload.Stream, tick time.Duration) (*Difference, error) {
	p, err := NewPlayer(s, tick)
	if err != nil {
		return nil, err
	}
	m, _ := NewModel(tick) // which is one that there can be
	e := &explanation{p: p, m: m, pending: map[uint64]time.Duration{}}
	p.watch = e.take
	if err = e.play(ctx, stream); err == nil {
		m.RunOut()
		e.found.RunOut = true
		err = e.compare(p.RunOut(ctx))
	}
	if errors.Is(err, &e.found) {
		return &e.found, nil
	}
	return nil, err
}

// explanation follows each timer by itself.
type explanation struct {
	p       *Player
	m       *Model
	pending map[uint64]time.Duration // deadlines by value
	found   Difference               // with all faults, until it is returned
}

func (e *explanation) play(ctx context.Context, stream workload.Stream) error {
	for ops, err := range workload.Blocks(ctx, stream, blockOps) {
		if errors.Is(err, io.ErrNoProgress) {
			return fmt.Errorf("replay: %w: %w", ErrStream, err)
		}
		if err != nil {
			return err
		}
		for i := range ops {
			e.found.Last = ops[i]
			if err := e.m.Play(ops[i : i+1]); err != nil {
				return err
			}
			if err := e.compare(e.p.Play(ctx, ops[i:i+1])); err != nil {
				return err
			}
			e.note(&ops[i])
		}
	}
	return nil
}

// note keeps the deadlines up to date. The model decides what is right: an operation that it refuses changes nothing.
func (e *explanation) note(op *workload.Op) {
	t := e.m.timers[op.Timer]
	v := valueOf(op.Timer, t.used)
	_, pending := e.pending[v]
	switch {
	case op.Kind == workload.Schedule, op.Kind == workload.Reset && pending:
		e.pending[v] = e.m.deadline(op.At, op.Delay)
	case op.Kind == workload.Cancel:
		delete(e.pending, v)
	}
}

// take notes the values that came out.
func (e *explanation) take(values []uint64) {
	for _, v := range values {
		deadline, pending := e.pending[v]
		delete(e.pending, v)
		switch due := e.p.ceil(deadline); {
		case !pending:
			e.fault(v, deadline, e.p.reached, faultStray)
		case e.p.reached < due:
			e.fault(v, deadline, e.p.reached, faultEarly)
		case e.p.reached > due:
			e.fault(v, deadline, e.p.reached, faultLate)
		}
	}
}

func (e *explanation) fault(v uint64, deadline, fired time.Duration, what string) {
	e.found.Wrong = append(e.found.Wrong, Fault{
		Timer: uint32(v), Generation: uint32(v >> 32), Deadline: deadline, Due: e.p.ceil(deadline), Fired: fired, What: what,
	})
}

// compare returns what was found if the answers differ, or else err.
func (e *explanation) compare(err error) error {
	d := &e.found
	d.Ops, d.Got, d.Want, d.Err = e.p.ops, e.p.Answer(), e.m.Answer(), err
	broken := errors.Is(err, ErrContract)
	if err != nil && !broken || d.Got == d.Want && len(d.Wrong) == 0 && !broken {
		return err
	}
	e.lost()
	slices.SortFunc(d.Wrong, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.first(), b.first()), cmp.Compare(a.Timer, b.Timer))
	})
	d.Count = len(d.Wrong)
	d.Wrong = d.Wrong[:min(d.Count, shownFaults)]
	return d
}

// first returns the instant at which something went wrong.
func (f Fault) first() time.Duration {
	if f.What == faultLost || f.What == faultLate {
		return f.Due
	}
	return f.Fired
}

// lost finds the timers that should have fired by now.
func (e *explanation) lost() {
	for v, deadline := range e.pending {
		if int64(e.p.ceil(deadline)/e.p.tick) <= e.m.now {
			e.fault(v, deadline, -1, faultLost)
		}
	}
}
