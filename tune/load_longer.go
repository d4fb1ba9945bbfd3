package tune

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"schedbench/workload"
)

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
	for _, rate := range []*float64{&l.Schedules, &l.Resets, &l.Cancels, &l.Fires, &l.Pending, &l.Held, &l.stale, &l.instants, &l.workingSet} {
		*rate *= times
	}
	l.MostPending = int(float64(l.MostPending) * times)
	l.eager, l.lazy = overlay(l.eager, times), overlay(l.lazy, times)
	for i := range l.lifetimes {
		l.lifetimes[i].weight *= times
	}
	l.allLifetimes = false
}

// overlay merges so many timelines, rounded, each cut out of another part of those given:
// at any time the first deadline is the first of any.
func overlay(timelines []timeline, times float64) []timeline {
	timelines = joined(timelines)
	total := time.Duration(0)
	for _, f := range timelines {
		total += f.to - f.from
	}
	n := int(times + 0.5)
	for length := total / time.Duration(n); length > 0; length -= length/16 + 1 { // what is left of a timeline is lost
		if all := pieces(timelines, length); len(all) >= n {
			return divided(merge(all[:n], length))
		}
	}
	return nil
}

// divided cuts a timeline into as many as are simulated with ticks that begin at other times.
func divided(f timeline) (all []timeline) {
	for i, piece := range pieces([]timeline{f}, f.to/fewTimelines) {
		begin := time.Duration(i) * (f.to / fewTimelines)
		for j := range piece {
			piece[j].at += begin
			if piece[j].first != never {
				piece[j].first += begin
			}
		}
		all = append(all, timeline{begin, begin + f.to/fewTimelines, piece})
	}
	return all
}

// joined makes one timeline of those that follow each other without a gap.
func joined(timelines []timeline) (all []timeline) {
	for _, f := range timelines {
		if n := len(all); n > 0 && all[n-1].to == f.from {
			all[n-1].to = f.to
			all[n-1].changes = append(all[n-1].changes, f.changes...)
		} else {
			all = append(all, timeline{f.from, f.to, slices.Clone(f.changes)})
		}
	}
	return all
}

// pieces cuts timelines into pieces of a length, whose times count from their beginnings.
// What is left at the end of a timeline is lost.
func pieces(timelines []timeline, length time.Duration) (all [][]change) {
	for _, f := range timelines {
		top, i := never, 0
		for from := f.from; from+length <= f.to; from += length {
			piece := []change{{at: 0, first: after(top, from)}}
			for ; i < len(f.changes) && f.changes[i].at < from+length; i++ {
				c := f.changes[i]
				top = c.first
				piece = append(piece, change{c.at - from, after(c.first, from), c.fired})
			}
			all = append(all, piece)
		}
	}
	return all
}

// after returns the time from an instant to a deadline, which may be never.
func after(deadline, from time.Duration) time.Duration {
	if deadline == never {
		return never
	}
	return deadline - from
}

// merge returns what is first of all pieces together. O(changes · pieces).
func merge(all [][]change, length time.Duration) timeline {
	type step struct {
		change
		piece int
	}
	var steps []step
	for p, piece := range all {
		for _, c := range piece {
			steps = append(steps, step{c, p})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	tops := make([]time.Duration, len(all))
	for i := range tops {
		tops[i] = never
	}
	f, first := timeline{to: length}, never
	for _, s := range steps {
		tops[s.piece] = s.first
		if now := slices.Min(tops); now != first || s.fired > 0 {
			first = now
			f.changes = append(f.changes, change{s.at, first, s.fired})
		}
	}
	return f
}
