package tune

import (
	"cmp"
	"slices"
	"time"
)

// firstChange is a change of what the first deadline is.
type firstChange struct {
	at    time.Duration
	first time.Duration // the first deadline from then on, or never
	fired int32         // timers that were due at this instant, and fired
}

// firstChanges are the first changes of a bin.
type firstChanges struct {
	changes []firstChange
	full    bool // later changes of the bin are missing
}

func (r *firstChanges) add(c firstChange) {
	if len(r.changes) == mostChanges {
		r.full = true
	}
	if !r.full {
		r.changes = append(r.changes, c)
	}
}

// join appends what came in the next bin.
func (r *firstChanges) join(later *firstChanges) {
	if r.full {
		return
	}
	n := min(len(later.changes), mostChanges-len(r.changes))
	r.changes = append(r.changes, later.changes[:n]...)
	r.full = later.full || n < len(later.changes)
}

// timeline is a stretch of time in which all changes of the first deadline are known.
type timeline struct {
	from, to time.Duration
	changes  []firstChange
}

// fewTimelines is how many parts a load is cut into at least. Each is simulated with ticks
// that begin at another time: when they really do is not known, and timers that are
// armed again and again after the same delay would keep to one place in a tick.
const fewTimelines = 8

// timelinesOf puts the changes of bins together, those that follow each other without a
// gap into one, up to a length.
func timelinesOf(list []bin, start, width time.Duration) (all []timeline) {
	known := false // whether all is up to the present bin
	for i := range list {
		r := &list[i].firsts
		from, to := start+time.Duration(i)*width, start+time.Duration(i+1)*width
		if r.full {
			to = r.changes[len(r.changes)-1].at
		}
		switch {
		case known && from-all[len(all)-1].from < time.Duration(len(list)/fewTimelines)*width:
		case known:
			before := all[len(all)-1].changes
			all = append(all, timeline{from: from, changes: []firstChange{{at: from, first: before[len(before)-1].first}}})
		case len(r.changes) > 0:
			all = append(all, timeline{from: from})
		default:
			continue
		}
		last := &all[len(all)-1]
		last.changes, last.to = append(last.changes, r.changes...), to
		known = !r.full
	}
	return all
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
func pieces(timelines []timeline, length time.Duration) (all [][]firstChange) {
	for _, f := range timelines {
		top, i := never, 0
		for from := f.from; from+length <= f.to; from += length {
			piece := []firstChange{{at: 0, first: after(top, from)}}
			for ; i < len(f.changes) && f.changes[i].at < from+length; i++ {
				c := f.changes[i]
				top = c.first
				piece = append(piece, firstChange{c.at - from, after(c.first, from), c.fired})
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
func merge(all [][]firstChange, length time.Duration) timeline {
	type step struct {
		firstChange
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
			f.changes = append(f.changes, firstChange{s.at, first, s.fired})
		}
	}
	return f
}
