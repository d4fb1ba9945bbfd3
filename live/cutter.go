package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"schedbench/workload"
)

// mostTimers is the most timer numbers that a stream may have.
const mostTimers = 1 << 26

// cutter cuts a stream into slices, one after another.
type cutter struct {
	ctx    context.Context
	stream workload.Stream
	buf    []workload.Op
	left   []workload.Op // of buf, still to be looked at
	ended  bool
	now    time.Duration
	uses   []use  // by timer number
	made   uint32 // timers, in the slices that were kept
	kept   bool   // one was
	most   int    // operations of a slice
}

// use is what a timer number stands for at present.
type use struct {
	deadline time.Duration
	armed    bool
	numbered bool // global is its number
	local    int32
	global   uint32
}

func newCutter(ctx context.Context, s workload.Stream) *cutter {
	return &cutter{ctx: ctx, stream: s, buf: make([]workload.Op, 4096), most: mostOps}
}

// skip lets a stretch of the stream go by.
func (c *cutter) skip(d time.Duration) error {
	if d == 0 {
		return nil
	}
	_, err := c.cutAs(d, false)
	return err
}

// cut returns the next stretch of the stream.
func (c *cutter) cut(d time.Duration) (*Slice, error) { return c.cutAs(d, true) }

// cutAs goes through a stretch of the stream, and writes it down if asked to.
func (c *cutter) cutAs(d time.Duration, keep bool) (*Slice, error) {
	s := &Slice{Length: d}
	if keep {
		c.begin(s)
	}
	end := c.now + d
	for {
		op, err := c.peek()
		if err != nil {
			return nil, err
		}
		if op == nil || op.At >= end {
			break
		}
		c.take(op, s, keep)
		if len(s.Ops) > c.most {
			return nil, fmt.Errorf("%w: more than %d operations within %v", ErrTooFast, c.most, d)
		}
		c.left = c.left[1:]
	}
	c.now = end
	return s, nil
}

// begin notes what is pending. With the first slice, the numbers of timers begin
// anew.
func (c *cutter) begin(s *Slice) {
	if !c.kept {
		c.kept, c.made = true, 0
	}
	for i := range c.uses {
		u := &c.uses[i]
		u.armed = u.armed && u.deadline > c.now
		if u.armed {
			u.local = int32(len(s.Pending))
			if !u.numbered {
				u.numbered, u.global = true, c.made
				c.made++
			}
			s.arm(u.deadline-c.now, u.global)
		}
	}
	s.Timers = len(s.Pending)
}

// arm adds a timer that is pending at the beginning.
func (s *Slice) arm(deadline time.Duration, global uint32) {
	s.Pending, s.global = append(s.Pending, deadline), append(s.global, global)
}

// peek returns the next operation, and nil at the end of the stream.
func (c *cutter) peek() (*workload.Op, error) {
	for len(c.left) == 0 && !c.ended {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		n, err := workload.ReadFull(c.stream, c.buf)
		c.left = c.buf[:n]
		if c.ended = errors.Is(err, io.EOF); err != nil && !c.ended {
			return nil, err
		}
	}
	if len(c.left) == 0 {
		return nil, nil
	}
	op := &c.left[0]
	if op.Timer >= mostTimers {
		return nil, fmt.Errorf("an operation on timer %d, want less than %d", op.Timer, mostTimers)
	}
	return op, nil
}

// take does an operation, and writes it down if asked to.
func (c *cutter) take(op *workload.Op, s *Slice, keep bool) {
	for int(op.Timer) >= len(c.uses) {
		c.uses = append(c.uses, use{})
	}
	u := &c.uses[op.Timer]
	pending := u.armed && u.deadline > op.At
	if op.Kind != workload.Schedule && !pending {
		return // a driver refuses it, and nothing changes
	}
	switch op.Kind {
	case workload.Schedule:
		*u = use{deadline: sum(op.At, op.Delay), armed: true, numbered: keep, local: int32(s.Timers), global: c.made}
		s.Timers++
		c.made++
	case workload.Reset:
		u.deadline = sum(op.At, op.Delay)
	default:
		u.armed = false
	}
	switch {
	case !keep:
	case op.Kind == workload.Schedule && op.At == 0: // what the stream begins with
		s.arm(u.deadline, u.global)
	default:
		s.Ops = append(s.Ops, Op{handOver(op.At - c.now), u.deadline - c.now, u.local, op.Kind, u.global})
	}
}
