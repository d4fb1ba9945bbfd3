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

	"schedbench/internal/lists"
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
	// Wrong says what is wrong with timers, the first few of Count; empty if only a reply is wrong.
	Wrong []string
	Count int
	// Err is why the scheduler could not be driven on, or nil.
	Err error
}

// fault is what is wrong with a timer, and since when.
type fault struct {
	since time.Duration
	timer uint32
	says  string
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
	for _, wrong := range d.Wrong {
		b.WriteString("; " + wrong)
	}
	if more := d.Count - len(d.Wrong); more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	return b.String()
}

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
	faults  []fault
	found   Difference
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
		at, due := e.p.reached, e.p.ceil(deadline)
		switch {
		case !pending:
			e.wrong(v, at, "fired at %v and was not pending", at)
		case at < due:
			e.wrong(v, at, "with deadline %v fired at %v, early: it was to fire at %v", deadline, at, due)
		case at > due:
			e.wrong(v, due, "with deadline %v fired at %v, late: it was to fire at %v", deadline, at, due)
		}
	}
}

// wrong notes what is wrong with a timer since an instant.
func (e *explanation) wrong(v uint64, since time.Duration, format string, args ...any) {
	timer, use := uint32(v), v>>32
	who := fmt.Sprintf("timer %d ", timer)
	if use > 1 {
		who += fmt.Sprintf("(use %d of the number) ", use)
	}
	e.faults = append(e.faults, fault{since, timer, who + fmt.Sprintf(format, args...)})
}

// compare returns what was found if the answers differ, or else err.
func (e *explanation) compare(err error) error {
	d := &e.found
	d.Ops, d.Got, d.Want, d.Err = e.p.ops, e.p.Answer(), e.m.Answer(), err
	broken := errors.Is(err, ErrContract)
	if err != nil && !broken || d.Got == d.Want && len(e.faults) == 0 && !broken {
		return err
	}
	e.lost()
	slices.SortFunc(e.faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.timer, b.timer))
	})
	d.Count = len(e.faults)
	d.Wrong = lists.Each(e.faults[:min(d.Count, shownFaults)], func(f fault) string { return f.says })
	return d
}

// lost finds the timers that should have fired by now.
func (e *explanation) lost() {
	for v, deadline := range e.pending {
		if due := e.p.ceil(deadline); int64(due/e.p.tick) <= e.m.now {
			e.wrong(v, due, "with deadline %v was to fire at %v and has not", deadline, due)
		}
	}
}
