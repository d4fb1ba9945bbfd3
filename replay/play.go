package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"schedbench/schedulers"
	"schedbench/workload"
)

const (
	// blockOps is how many operations are timed with two readings of the clock.
	// Blocks that take longer than slowBlock are cut smaller, so that a scheduler
	// which takes a millisecond for an operation can still be stopped in time. The
	// first has only a few.
	blockOps  = 4096
	firstOps  = 64
	slowBlock = 20 * time.Millisecond
	fastBlock = slowBlock / 4

	// wakeupsBetween is how many wake-ups may pass between two readings of the clock.
	wakeupsBetween = 1024
)

// MarkEvery is how many operations lie between two points at which the answer of
// a player that gives up can be compared.
const MarkEvery = blockOps

// Mark is a point of a stream at which answers can be compared: after a multiple
// of MarkEvery operations.
type Mark struct {
	Ops uint64
	Answer
}

// CannotHold means that a scheduler refused an operation of the stream: its
// horizon is too short, or it is full.
type CannotHold struct {
	Op    workload.Op
	Index uint64 // of the operation in the stream, from 0
	Err   error  // what the scheduler said
}

// Error says which operation was refused, and why.
func (e *CannotHold) Error() string {
	return fmt.Sprintf("cannot hold operation %d, a %v at %v for %v ahead: %v", e.Index, e.Op.Kind, e.Op.At, e.Op.Delay, e.Err)
}

// Unwrap returns what the scheduler said.
func (e *CannotHold) Unwrap() error { return e.Err }

// GaveUp means that a scheduler was stopped because it took longer than it was
// given.
type GaveUp struct {
	Limit time.Duration // the time it was given
	Ops   uint64        // the operations that it has done
	Now   time.Duration // the virtual time that it has come to
	// Mark is the last point at which its answer can be compared.
	Mark Mark
}

// Error says how far the scheduler got.
func (e *GaveUp) Error() string {
	return fmt.Sprintf("gave up after %v with %d operations done, at %v of the stream", e.Limit, e.Ops, e.Now)
}

// timing is the part of a replay that is timed.
type timing struct {
	ctx   context.Context
	limit time.Duration
	took  time.Duration // of the blocks that are done
	began time.Time     // of the block under way
	size  uint64        // operations of the next block
}

// errLate means that the time is over.
var errLate = errors.New("the time is over")

// Limit sets how long the player may take in all, without the time in which
// operations are made; 0, the default, is any length.
func (p *Player) Limit(d time.Duration) { p.limit = d }

// Took returns the time that the player has taken.
func (p *Player) Took() time.Duration { return p.took }

// Work returns what the scheduler has counted of its work, and false if it does
// not count.
func (p *Player) Work() (schedulers.Work, bool) {
	if m, ok := p.s.(schedulers.Meter); ok {
		return m.Work(), true
	}
	return schedulers.Work{}, false
}

// Play does the next operations of the stream. An error is one of *CannotHold,
// *GaveUp, ErrStream, ErrContract and that of ctx; after any of them the player
// does nothing more and returns it again. Each operation costs one of the
// scheduler's, each tick with something due one Next and one Expire, and the loop
// itself some five nanoseconds.
func (p *Player) Play(ctx context.Context, ops []workload.Op) error {
	if p.err == nil {
		p.err = p.play(ctx, ops)
	}
	return p.err
}

func (p *Player) play(ctx context.Context, ops []workload.Op) error {
	if err := p.check.check(ops); err != nil {
		return err
	}
	if more := p.check.timers - len(p.timers); more > 0 {
		p.timers = append(p.timers, make([]numberState, more)...)
	}
	p.ctx = ctx
	for len(ops) > 0 {
		n := min(uint64(len(ops)), p.size, blockOps-p.ops%blockOps)
		if err := p.block(ops[:n]); err != nil {
			return err
		}
		ops = ops[n:]
	}
	return nil
}

// RunOut expires all that is pending. Errors are those of Play.
func (p *Player) RunOut(ctx context.Context) error {
	if p.err == nil {
		p.ctx = ctx
		p.err = p.inTime(p.clocked(func() error { return p.drain(math.MaxInt64) }))
	}
	return p.err
}

// block does some operations.
func (p *Player) block(ops []workload.Op) error {
	before := p.took
	err := p.clocked(func() error {
		for i := range ops {
			if err := p.step(&ops[i]); err != nil {
				return err
			}
		}
		return nil
	})
	switch took := p.took - before; {
	case took > slowBlock:
		p.size = max(p.size/2, 1)
	case took < fastBlock:
		p.size = min(p.size*2, blockOps)
	}
	if err == nil && p.ops%blockOps == 0 {
		p.mark = Mark{p.ops, p.Answer()}
	}
	return p.inTime(err)
}

// clocked times f.
func (p *Player) clocked(f func() error) error {
	p.began = time.Now()
	err := f()
	p.took += time.Since(p.began)
	return err
}

// inTime returns the error of a block, or that the time is over.
func (p *Player) inTime(err error) error {
	if err == nil && p.limit > 0 && p.took > p.limit {
		err = errLate
	}
	if errors.Is(err, errLate) {
		return &GaveUp{Limit: p.limit, Ops: p.ops, Now: p.reached, Mark: p.mark}
	}
	if err == nil {
		err = p.ctx.Err()
	}
	return err
}

// late returns an error if the time is over, and reads the clock after some
// wake-ups only.
func (p *Player) late(wakeups uint64) error {
	if wakeups%wakeupsBetween != 0 {
		return nil
	}
	if p.limit > 0 && p.took+time.Since(p.began) > p.limit {
		return errLate
	}
	return p.ctx.Err()
}
