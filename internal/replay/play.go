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
	// blockOps is how many operations are timed with two readings of the clock. Blocks that take longer than slowBlock are
	// cut smaller: a slow scheduler is stopped in time. The first has only a few.
	blockOps  = 4096
	firstOps  = 64
	slowBlock = 20 * time.Millisecond
	fastBlock = slowBlock / 4

	// wakeupsBetween is how many wake-ups may pass between two readings of the clock.
	wakeupsBetween = 1024
)

// MarkEvery is how many operations lie between two Marks.
const MarkEvery = blockOps

// GaveUp means that a scheduler was stopped because it took longer than it was given.
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

// Result is what a replay came to.
type Result struct {
	Answer
	Ops     uint64        // operations done
	Wakeups uint64        // instants at which Expire was called
	Now     time.Duration // the last instant that was expired
	Took    time.Duration // without the time in which the operations were made
	// Work is what the scheduler counted, and Metered whether it counts.
	Work    schedulers.Work
	Metered bool
}

// Result returns what the replay has come to so far.
func (p *Player) Result() Result {
	r := Result{Answer: p.Answer(), Ops: p.ops, Wakeups: p.wakeups, Now: p.reached, Took: p.took}
	if m, ok := p.s.(schedulers.Meter); ok {
		r.Work, r.Metered = m.Work(), true
	}
	return r
}

// Limit sets how long the player may take, without the time in which operations are made; 0, the default, is any length.
func (p *Player) Limit(d time.Duration) { p.limit = d }

// Play does the next operations of the stream. An error is one of *CannotHold, *GaveUp, ErrStream, ErrContract and that
// of ctx; after any of them the player does nothing more and returns it again. Each operation costs one of the
// scheduler's, each tick with something due one Next and one Expire, and the loop itself some five nanoseconds.
func (p *Player) Play(ctx context.Context, ops []workload.Op) error {
	p.ctx = ctx
	if p.err == nil {
		p.err = p.check(ops)
	}
	for len(ops) > 0 && p.err == nil {
		n := min(uint64(len(ops)), p.size, blockOps-p.ops%blockOps)
		p.err = p.block(ops[:n])
		ops = ops[n:]
	}
	return p.err
}

// RunOut expires all that is pending. Errors are those of Play.
func (p *Player) RunOut(ctx context.Context) error {
	p.ctx = ctx
	if p.err == nil {
		_, p.err = p.clocked(func() error { return p.drain(math.MaxInt64) })
	}
	return p.err
}

func (p *Player) block(ops []workload.Op) error {
	took, err := p.clocked(func() error {
		for i := range ops {
			if err := p.step(&ops[i]); err != nil {
				return err
			}
		}
		if p.ops%blockOps == 0 {
			p.mark = Mark{p.ops, p.Answer()}
		}
		return nil
	})
	switch {
	case took > slowBlock:
		p.size = max(p.size/2, 1)
	case took < fastBlock:
		p.size = min(p.size*2, blockOps)
	}
	return err
}

var errLate = errors.New("the time is over")

// clocked times f, and returns its error, or that the time is over.
func (p *Player) clocked(f func() error) (took time.Duration, err error) {
	p.began = time.Now()
	err = f()
	took = time.Since(p.began)
	p.took += took
	switch {
	case errors.Is(err, errLate), err == nil && p.limit > 0 && p.took > p.limit:
		return took, &GaveUp{Limit: p.limit, Ops: p.ops, Now: p.reached, Mark: p.mark}
	case err == nil:
		err = p.ctx.Err()
	}
	return took, err
}

// late returns an error if the time is over, and reads the clock after some wake-ups only.
func (p *Player) late(wakeups uint64) error {
	if wakeups%wakeupsBetween != 0 {
		return nil
	}
	if p.limit > 0 && p.took+time.Since(p.began) > p.limit {
		return errLate
	}
	return p.ctx.Err()
}
