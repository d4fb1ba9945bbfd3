package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"schedbench/workload"
)

// Load is what a workload asks of its timers in a second, once it is steady.
type Load struct {
	// Name says which workload it is.
	Name string
	// Span is how much time of the workload the figures are of, after Warm, which
	// was left out because the workload was not steady yet.
	Span, Warm time.Duration
	// Schedules, Resets, Cancels and Fires count operations a second.
	Schedules, Resets, Cancels, Fires float64
	// Pending is how many timers are pending on average, and MostPending at most.
	Pending     float64
	MostPending int
	// Horizon is the longest delay.
	Horizon time.Duration
	// MeanDelay is the mean of all delays, and Delays a sample of them, in order.
	MeanDelay time.Duration
	Delays    []time.Duration
	// Residuals are what is left of the delays of those that are pending, in order,
	// at one instant: all of them, or a sample.
	Residuals []time.Duration
	// Notes say what one has to know about these figures.
	Notes []string

	// firsts is the first deadline over time.
	firsts []timeline
	// lifetimes are a sample of the timers there were between two instants, or all of
	// them.
	lifetimes                  []lifetime
	lifetimesFrom, lifetimesTo time.Duration
	allLifetimes               bool
	// instants is at how many instants in a second the program does something.
	instants float64
	// workingSet is how many timers the program works on at a time. Programs tend to reset
	// or cancel timers of about the same age one after the other: these lie close to
	// each other in memory, and so are in the caches already. 0: all that are pending.
	workingSet float64
}

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

	scale float64 // of the stream; 0: 1
}

// FindWarm lets LoadOf find out by itself when a workload has become steady.
const FindWarm time.Duration = -1

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

const (
	// fewFires is how many timers have to fire in what is seen of a load.
	fewFires = 200
	// steadyAfter is how much longer than the longest delay a load is observed, and
	// longestObserved how long at most.
	steadyAfter     = 1.5
	longestObserved = 5 * time.Minute
	// thinOps is about how many operations are read then.
	thinOps = 2_000_000
)

// short reports whether a load is too short to tell what fires: timers that are armed
// when it begins are still pending at its end.
func (l *Load) short() bool {
	return l.Fires*l.Span.Seconds() < fewFires && l.Horizon > l.Warm+l.Span && l.armings() > 0
}

// longer reads a source for longer, with so many timers fewer that it takes no more
// time.
func (l *Load) longer(ctx context.Context, src workload.Source, o workload.Options, lo LoadOptions) (*Load, error) {
	asked := cmp.Or(o.Scale, 1)
	o.For = l.Warm + min(seconds(steadyAfter*l.Horizon.Seconds()), longestObserved)
	operations := (l.armings() + l.Cancels) * o.For.Seconds()
	thin := min(1, thinOps/operations)
	o.Scale = asked * thin
	lo.Until, lo.scale = o.For, thin
	less, err := readSource(ctx, src, o, lo)
	if err != nil {
		return nil, err
	}
	less.denser(1 / thin)
	if thin < 1 {
		less.Notes = append(less.Notes, fmt.Sprintf("to see timers fire it was looked at for %v, with %.3g of its timers, and made %.3g times as dense",
			o.For.Round(time.Millisecond), thin, 1/thin))
	}
	return less, nil
}

// denser multiplies a load, as if so many that are independent of each other ran at once.
func (l *Load) denser(times float64) {
	if times <= 1 {
		return
	}
	for _, rate := range []*float64{&l.Schedules, &l.Resets, &l.Cancels, &l.Fires, &l.Pending, &l.instants, &l.workingSet} {
		*rate *= times
	}
	l.MostPending = int(float64(l.MostPending) * times)
	l.firsts = overlay(l.firsts, times)
	for i := range l.lifetimes {
		l.lifetimes[i].weight *= times
	}
	l.allLifetimes = false
}

// armings returns how many deadlines are set in a second.
func (l *Load) armings() float64 { return l.Schedules + l.Resets }
