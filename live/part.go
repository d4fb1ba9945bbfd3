package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"schedbench/workload"
)

// mostTimers is the most timer numbers that a stream may have.
const mostTimers = 1 << 26

// Part is a part of a workload that is played.
type Part struct {
	// Open returns the workload. It is closed if it is an io.Closer.
	Open func() (workload.Stream, error)
	// From is how much of the workload is skipped, to come to a steady state.
	From time.Duration
	// Length is for how long it is played.
	Length time.Duration
}

// Slice plans the part.
func (p Part) Slice(ctx context.Context) (s *Slice, err error) {
	stream, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, workload.Close(stream)) }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &cutter{Slice: &Slice{Length: p.Length}, from: p.From, most: mostOps}
	return c.cut(workload.Blocks(ctx, stream, 4096))
}

// cutter cuts a slice out of a stream.
type cutter struct {
	*Slice
	from  time.Duration // where the slice begins
	begun bool
	uses  []use // by timer number
	left  places
	most  int // operations of the slice
}

// use is what a timer number stands for at present.
type use struct {
	deadline  time.Duration // it is pending until then; 0 if it is not pending
	place     place         // see Slice.Places
	takenOver bool          // its place was left by a stopped timer
	timer     int32         // number within the slice
}

// cut goes through a stream up to the end of the slice.
func (c *cutter) cut(stream iter.Seq2[[]workload.Op, error]) (*Slice, error) {
	for ops, err := range stream {
		if err != nil {
			return nil, err
		}
		for i := range ops {
			op := &ops[i]
			if op.Timer >= mostTimers {
				return nil, fmt.Errorf("an operation on timer %d, want less than %d", op.Timer, mostTimers)
			}
			if !c.begun && op.At >= c.from {
				c.begin()
			}
			if op.At >= c.from+c.Length {
				return c.Slice, nil
			}
			if c.take(op); len(c.Ops) > c.most {
				return nil, fmt.Errorf("%w: more than %d operations within %v", ErrTooFast, c.most, c.Length)
			}
		}
	}
	if !c.begun {
		c.begin()
	}
	return c.Slice, nil
}

// begin notes what is pending, in the order in which a program's scheduler got it: queues by delay depend on it.
func (c *cutter) begin() {
	c.begun = true
	var pending []*use
	for i := range c.uses {
		if u := &c.uses[i]; u.deadline > c.from {
			u.settle(c.from)
			pending = append(pending, u)
		}
	}
	slices.SortStableFunc(pending, func(a, b *use) int { return cmp.Compare(a.place.since, b.place.since) })
	for _, u := range pending {
		u.timer = int32(len(c.Pending))
		c.arm(u.place.at-c.from, u.deadline-c.from, u.takenOver)
	}
	c.Timers = len(c.Pending)
}

// arm adds a timer that is pending at the beginning.
func (s *Slice) arm(place, deadline time.Duration, takenOver bool) {
	s.Places, s.Pending = append(s.Places, place), append(s.Pending, deadline)
	s.takenOver = append(s.takenOver, takenOver)
}

// take does an operation, and writes it down if the slice has begun.
func (c *cutter) take(op *workload.Op) {
	for int(op.Timer) >= len(c.uses) {
		c.uses = append(c.uses, use{})
	}
	u, deadline := &c.uses[op.Timer], sum(op.At, op.Delay)
	switch {
	case op.Kind == workload.Schedule:
		place, takenOver := c.left.take(op.At, deadline)
		*u = use{deadline: deadline, place: place, takenOver: takenOver, timer: int32(c.Timers)}
	case u.deadline <= op.At:
		return // a driver refuses it, and nothing changes
	case op.Kind == workload.Reset:
		if u.settle(op.At); deadline < u.place.at {
			u.place = place{deadline, op.At}
		}
		u.deadline = deadline
	default:
		u.settle(op.At)
		c.left = append(c.left, u.place)
		deadline, u.deadline = u.deadline, 0
	}
	if !c.begun {
		return
	}
	if op.Kind == workload.Schedule {
		c.Timers++
	}
	if op.Kind == workload.Schedule && op.At == 0 { // what the stream begins with
		c.arm(deadline, deadline, false)
	} else {
		c.Ops = append(c.Ops, Op{handOver(op.At - c.from), deadline - c.from, u.timer, op.Kind})
	}
}

// place is the instant under which the scheduler holds a timer, and when it was put there. A timer that is put off stays at its place until
// that instant, and moves then. A stopped timer leaves its place to the next one (docs/decisions/0036). So a part of the
// cost of an operation falls due later, by a delay. A slice that began with all timers at their deadlines would lack that
// part.
type place struct{ at, since time.Duration }

// places are those of cancelled timers, the latest last. A place waits for a new timer, even once its instant has
// passed. A driver keeps at most half as many places as timers are pending; this list has no limit.
type places []place

// take returns the place of a timer that is armed at an instant for a deadline, and whether it was another's.
func (l *places) take(at, deadline time.Duration) (p place, takenOver bool) {
	n := len(*l) - 1
	if n < 0 {
		return place{deadline, at}, false
	}
	p = (*l)[n]
	if *l = (*l)[:n]; at < p.at && p.at < deadline {
		return p, true
	}
	return place{deadline, at}, false
}

// settle moves a pending timer that was put off, if its place has come.
func (u *use) settle(now time.Duration) {
	if u.place.at <= now {
		u.place = place{u.deadline, u.place.at}
	}
}
