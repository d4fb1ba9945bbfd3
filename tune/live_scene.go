package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"schedbench/workload"
)

// scene is a stretch of a workload as it is played. Times count from its
// beginning. Its timers are numbered from 0: first those pending at the beginning,
// then those made, each arming but for resets a timer of its own.
type scene struct {
	length  time.Duration
	initial []start
	ops     []planned
	count   int // of timers
}

// start is a timer that is pending at the beginning.
type start struct {
	deadline time.Duration
	global   uint32
}

// planned is an operation: when it is to be done, which is somewhat before the
// program would, and the deadline that it sets.
type planned struct {
	at, deadline time.Duration
	timer        int32
	global       uint32 // its number among the timers of all scenes
	kind         workload.Kind
}

// plan returns when an operation is done that the program does at an instant.
func plan(at time.Duration) time.Duration {
	if at <= liveLead {
		return 0
	}
	return (at - liveLead + liveBatch - 1) / liveBatch * liveBatch
}

// stream returns the operations of a scene that begins at an instant, and before
// them, if asked for, those that arm what is pending.
func (sc *scene) stream(begin time.Duration, first bool) (ops []workload.Op) {
	if first {
		for _, t := range sc.initial {
			ops = append(ops, workload.Op{At: begin, Delay: t.deadline, Timer: t.global, Kind: workload.Schedule})
		}
	}
	for _, op := range sc.ops {
		o := workload.Op{At: begin + op.at, Timer: op.global, Kind: op.kind}
		if op.kind != workload.Cancel {
			o.Delay = op.deadline - op.at
		}
		ops = append(ops, o)
	}
	return ops
}

// cutter cuts a stream into scenes.
type cutter struct {
	ctx    context.Context
	stream workload.Stream
	buf    []workload.Op
	left   []workload.Op // of buf, still to be looked at
	ended  bool
	now    time.Duration
	uses   []use  // by timer number
	made   uint32 // timers, in the scenes that were kept
	kept   bool   // one was
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
	return &cutter{ctx: ctx, stream: s, buf: make([]workload.Op, 4096)}
}

// close closes the stream.
func (c *cutter) close() error {
	return workload.Close(c.stream)
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
func (c *cutter) cut(d time.Duration) (*scene, error) { return c.cutAs(d, true) }

// cutAs goes through a stretch of the stream, and writes it down if asked to.
func (c *cutter) cutAs(d time.Duration, keep bool) (*scene, error) {
	sc := &scene{length: d}
	if keep {
		c.begin(sc)
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
		c.take(op, sc, keep)
		c.left = c.left[1:]
	}
	c.now = end
	return sc, nil
}

// begin notes what is pending. With the first scene, the numbers of timers begin
// anew.
func (c *cutter) begin(sc *scene) {
	if !c.kept {
		c.kept, c.made = true, 0
	}
	for i := range c.uses {
		u := &c.uses[i]
		u.armed = u.armed && u.deadline > c.now
		if u.armed {
			u.local = int32(len(sc.initial))
			if !u.numbered {
				u.numbered, u.global = true, c.made
				c.made++
			}
			sc.initial = append(sc.initial, start{u.deadline - c.now, u.global})
		}
	}
	sc.count = len(sc.initial)
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
		return nil, fmt.Errorf("%w: an operation on timer %d, want less than %d", ErrLoad, op.Timer, mostTimers)
	}
	return op, nil
}

// take does an operation, and writes it down if asked to.
func (c *cutter) take(op *workload.Op, sc *scene, keep bool) {
	for int(op.Timer) >= len(c.uses) {
		c.uses = append(c.uses, use{})
	}
	u := &c.uses[op.Timer]
	pending := u.armed && u.deadline > op.At
	if op.Kind != workload.Schedule && !pending {
		return // a driver refuses it, and nothing changes
	}
	begin := c.now
	switch op.Kind {
	case workload.Schedule:
		*u = use{armed: true, numbered: keep, local: int32(sc.count), global: c.made}
		sc.count++
		c.made++
		u.deadline = sum(op.At, op.Delay)
	case workload.Reset:
		u.deadline = sum(op.At, op.Delay)
	default:
		u.armed = false
	}
	if !keep {
		return
	}
	if op.Kind == workload.Schedule && op.At == begin && begin == 0 {
		sc.initial = append(sc.initial, start{u.deadline, u.global}) // what the stream begins with
		return
	}
	sc.ops = append(sc.ops, planned{plan(op.At - begin), u.deadline - begin, u.local, u.global, op.Kind})
}

// sum returns a + b, at most the greatest duration.
func sum(a, b time.Duration) time.Duration {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}
