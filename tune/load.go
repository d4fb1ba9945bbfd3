package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"schedbench/workload"
)

// LoadOptions say which part of a stream a load is of.
type LoadOptions struct {
	// Name is how the load is called.
	Name string
	// Until is where to stop looking. 0 is the last operation that arms a timer,
	// since what is pending then only runs out.
	Until time.Duration
	// Warm is how much is left out at the beginning. FindWarm has it found.
	Warm time.Duration
	// MostOps is how many operations are looked at, at most. 0 is 5 million.
	MostOps int

	scale        float64       // of the stream; 0: 1
	restartEvery time.Duration // how often a new driver is started; 0: never
}

// FindWarm lets LoadOf find out by itself when a workload has become steady.
const FindWarm time.Duration = -1

const usualOps = 5_000_000

// ErrLoad means that no load can be made of a stream.
var ErrLoad = errors.New("no workload to choose for")

// LoadOf reads a stream once and returns what it asks of its timers. What is
// armed at the first instant of the stream is the population it begins with, and
// does not count as operations. Memory is bounded by the timers that are pending
// at a time; the time is O(log of these) for each operation.
//
// The errors are those of the stream and of ctx, and ErrLoad for one that breaks the
// rules of a stream or in which nothing is armed.
func LoadOf(ctx context.Context, s workload.Stream, o LoadOptions) (*Load, error) {
	ob := newObserver(o)
	for ops, err := range workload.Blocks(ctx, s, 1024) {
		if err != nil {
			return nil, err
		}
		for i := range ops {
			if more, err := ob.observe(&ops[i]); err != nil {
				return nil, err
			} else if !more {
				return ob.load()
			}
		}
	}
	return ob.load()
}

// LoadOfSource opens a source, reads it and closes it. What lo leaves out is taken
// from the source and from o.
//
// If the delays are so long that hardly a timer fires in what is looked at, and the
// source can be scaled, it is read again: fewer timers for longer, and the load is
// made as dense as it is by laying parts of that over each other.
func LoadOfSource(ctx context.Context, src workload.Source, o workload.Options, lo LoadOptions) (*Load, error) {
	lo.Name = cmp.Or(lo.Name, src.Name)
	lo.Until = cmp.Or(lo.Until, o.For)
	l, err := readSource(ctx, src, o, lo)
	if err != nil || !src.Scalable || lo.Warm != FindWarm || !l.short() {
		return l, err
	}
	return l.longer(ctx, src, o, lo)
}

func readSource(ctx context.Context, src workload.Source, o workload.Options, lo LoadOptions) (*Load, error) {
	s, err := src.Open(o)
	if err != nil {
		return nil, err
	}
	l, err := LoadOf(ctx, s, lo)
	if err = errors.Join(err, workload.Close(s)); err != nil {
		return nil, fmt.Errorf("%s: %w", lo.Name, err)
	}
	return l, nil
}

// armings returns how many deadlines are set in a second.
func (l *Load) armings() float64 { return l.Schedules + l.Resets }
