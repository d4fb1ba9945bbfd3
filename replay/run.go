package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"schedbench/schedulers"
	"schedbench/workload"
)

// Options say how a stream is replayed.
type Options struct {
	// Tick is the tick at whose multiples the scheduler is expired.
	Tick time.Duration
	// Limit is how long the scheduler may take; 0 is any length.
	Limit time.Duration
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

// Run replays a stream from its beginning to the end, and runs out what is then
// pending. The result is of what was done, with an error too: one that Play
// returns, or that of the stream.
func Run(ctx context.Context, s schedulers.Scheduler[uint64], stream workload.Stream, o Options) (Result, error) {
	p, err := NewPlayer(s, o.Tick)
	if err != nil {
		return Result{}, err
	}
	p.Limit(o.Limit)
	err = play(ctx, stream, func(ops []workload.Op) error { return p.Play(ctx, ops) })
	if err == nil {
		err = p.RunOut(ctx)
	}
	return p.result(), err
}

func (p *Player) result() Result {
	r := Result{Answer: p.Answer(), Ops: p.ops, Wakeups: p.wakeups, Now: p.reached, Took: p.took}
	r.Work, r.Metered = p.Work()
	return r
}

// Expected returns the right answer to a stream, run out, for schedulers that
// are driven with a tick.
func Expected(stream workload.Stream, tick time.Duration) (Answer, error) {
	m, err := NewModel(tick)
	if err != nil {
		return Answer{}, err
	}
	if err := play(context.Background(), stream, m.Play); err != nil {
		return Answer{}, err
	}
	m.RunOut()
	return m.Answer(), nil
}

// play hands a stream to do, block by block.
func play(ctx context.Context, stream workload.Stream, do func([]workload.Op) error) error {
	for ops, err := range workload.Blocks(ctx, stream, blockOps) {
		if err == nil {
			err = do(ops)
		}
		if errors.Is(err, io.ErrNoProgress) {
			return fmt.Errorf("replay: %w: %w", ErrStream, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
