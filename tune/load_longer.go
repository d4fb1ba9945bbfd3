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
	// fewFires is how many timers have to fire in what is looked at of a load.
	fewFires = 200
	// steadyAfter is how much longer than the longest delay a load is looked at, and
	// mostLooking how long at most.
	steadyAfter = 1.5
	mostLooking = 5 * time.Minute
	// thinOps is about how many operations are looked at then.
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
	o.For = l.Warm + min(seconds(steadyAfter*l.Horizon.Seconds()), mostLooking)
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

// denser makes a load of so many that are independent of each other.
func (l *Load) denser(times float64) {
	if times <= 1 {
		return
	}
	for _, rate := range []*float64{&l.Schedules, &l.Resets, &l.Cancels, &l.Fires, &l.Pending, &l.Held, &l.stale, &l.instants, &l.nearby} {
		*rate *= times
	}
	l.MostPending = int(float64(l.MostPending) * times)
	l.eager, l.lazy = overlay(l.eager, times), overlay(l.lazy, times)
	for i := range l.lives {
		l.lives[i].weight *= times
	}
	l.allLives = false
}

// overlay lays films over each other: so many, rounded, each cut out of another part
// of them. The first deadline of all is the first of any.
func overlay(films []film, times float64) []film {
	films = joined(films)
	total := time.Duration(0)
	for _, f := range films {
		total += f.to - f.from
	}
	n := int(times + 0.5)
	for length := total / time.Duration(n); length > 0; length -= length/16 + 1 { // what is left of a film is lost
		if all := pieces(films, length); len(all) >= n {
			return divided(merge(all[:n], length))
		}
	}
	return nil
}

// divided cuts a film into as many as are played with ticks that begin at other times.
func divided(f film) (all []film) {
	for i, piece := range pieces([]film{f}, f.to/fewFilms) {
		begin := time.Duration(i) * (f.to / fewFilms)
		for j := range piece {
			piece[j].at += begin
			if piece[j].top != never {
				piece[j].top += begin
			}
		}
		all = append(all, film{begin, begin + f.to/fewFilms, piece})
	}
	return all
}

// joined makes one film of those that follow each other without a gap.
func joined(films []film) (all []film) {
	for _, f := range films {
		if n := len(all); n > 0 && all[n-1].to == f.from {
			all[n-1].to = f.to
			all[n-1].changes = append(all[n-1].changes, f.changes...)
		} else {
			all = append(all, film{f.from, f.to, slices.Clone(f.changes)})
		}
	}
	return all
}

// pieces cuts films into pieces of a length, whose times count from their beginnings.
// What is left at the end of a film is lost.
func pieces(films []film, length time.Duration) (all [][]change) {
	for _, f := range films {
		top, i := never, 0
		for from := f.from; from+length <= f.to; from += length {
			piece := []change{{at: 0, top: after(top, from)}}
			for ; i < len(f.changes) && f.changes[i].at < from+length; i++ {
				c := f.changes[i]
				top = c.top
				piece = append(piece, change{c.at - from, after(c.top, from), c.fired})
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
func merge(all [][]change, length time.Duration) film {
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
	f, first := film{to: length}, never
	for _, s := range steps {
		tops[s.piece] = s.top
		if now := slices.Min(tops); now != first || s.fired > 0 {
			first = now
			f.changes = append(f.changes, change{s.at, first, s.fired})
		}
	}
	return f
}
