package live

import (
	"context"
	"errors"
	"io"
	"time"

	"schedbench/workload"
)

// Part is a part of a workload that is played in rounds: consecutive slices, each with
// a driver of its own.
type Part struct {
	// Open returns the workload, the same each time. It is closed if it is an
	// io.Closer.
	Open func() (workload.Stream, error)
	// From is how much of it is skipped, to come to a steady state.
	From time.Duration
	// Length is that of a round.
	Length time.Duration
	Rounds int
}

// open returns a cutter at the beginning of the first round.
func (p Part) open(ctx context.Context) (*cutter, error) {
	stream, err := p.Open()
	if err != nil {
		return nil, err
	}
	c := newCutter(ctx, stream)
	if err := c.skip(p.From); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// close closes the stream.
func (c *cutter) close() error { return workload.Close(c.stream) }

// Each calls f for each round, of which it has one at least. It ends early if the
// workload does.
func (p Part) Each(ctx context.Context, f func(*Slice) error) (err error) {
	c, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for round := range p.Rounds {
		s, err := c.cut(p.Length)
		if err != nil || s.Timers == 0 && round > 0 {
			return err
		}
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

// Stream returns the operations of all rounds as they are played: first, at time
// 0, those that arm what is pending at the beginning, with what is left of their
// delays; then the others, at the times at which they are handed over. Every arming of
// a timer that is not a reset has a timer number of its own. It is to be closed.
func (p Part) Stream(ctx context.Context) (workload.Stream, error) {
	c, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	return &played{part: p, cutter: c}, nil
}

// played is the stream of what is played.
type played struct {
	part   Part
	cutter *cutter
	rounds int
	ops    []workload.Op
}

// Read implements workload.Stream.
func (s *played) Read(ops []workload.Op) (int, error) {
	for len(s.ops) == 0 {
		if s.rounds == s.part.Rounds {
			return 0, io.EOF
		}
		slice, err := s.cutter.cut(s.part.Length)
		if err != nil {
			return 0, err
		}
		s.ops = slice.stream(time.Duration(s.rounds)*s.part.Length, s.rounds == 0)
		s.rounds++
	}
	n := copy(ops, s.ops)
	s.ops = s.ops[n:]
	return n, nil
}

// Close closes the stream that this one is made of.
func (s *played) Close() error { return s.cutter.close() }
