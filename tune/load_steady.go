package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// mostResiduals is how many of the pending are counted one by one.
	mostResiduals = 1 << 18
	// steadier is how much smaller the error of a mean has to become for leaving out
	// the beginning. Noise alone makes it smaller by a few percent.
	steadier = 0.6
	// mostGrowth is the share by which what is pending may grow or shrink in a workload
	// that is called steady.
	mostGrowth = 0.1
)

// load returns what was seen, without what came before it was steady.
func (ob *observer) load() (*Load, error) {
	end := ob.end()
	if !ob.begun || end <= ob.first {
		return nil, fmt.Errorf("%w: %s has nothing but timers that are armed at the first instant", ErrLoad, ob.name())
	}
	if end > ob.now {
		ob.advance(end)
	}
	list := ob.whole(end)
	skip := ob.warm(list)
	width := ob.bins.width
	if len(list) == 1 {
		width = min(width, end-ob.bins.start)
	}
	start := ob.bins.start + time.Duration(skip)*width
	l := &Load{
		Name: ob.name(),
		Span: time.Duration(len(list)-skip) * width,
		Warm: time.Duration(skip) * width,
	}
	l.tally(ob, list[skip:])
	l.delays(ob)
	l.workingSet = workingSetOf(ob.distances.kept)
	ob.sampleOpen()
	if l.Residuals = ob.left; l.Residuals == nil || ob.o.Until > 0 {
		l.Residuals = ob.residuals()
	}
	slices.Sort(l.Residuals)
	l.firsts = timelinesOf(list[skip:], start, width)
	l.lifetimesFrom, l.lifetimesTo = start, start+l.Span
	l.lifetimes, l.allLifetimes = ob.lifetimes.between(l.lifetimesFrom, l.lifetimesTo), ob.lifetimes.all()
	l.note(ob, list[skip:])
	return l, nil
}

func (ob *observer) name() string { return cmp.Or(ob.o.Name, "the workload") }

// end returns the instant up to which the stream counts.
func (ob *observer) end() time.Duration {
	switch {
	case ob.cut:
		return ob.now
	case ob.o.Until > 0:
		return ob.o.Until
	}
	return ob.lastArm
}

// whole returns the bins that have ended by an instant, or if there is none the
// first.
func (ob *observer) whole(end time.Duration) []bin {
	n := int((end - ob.bins.start) / ob.bins.width)
	return ob.bins.list[:max(1, min(n, len(ob.bins.list)))]
}

// warm returns how many bins to leave out.
func (ob *observer) warm(list []bin) int {
	if ob.o.Warm >= 0 {
		n := int((ob.o.Warm + ob.bins.width - 1) / ob.bins.width)
		return min(n, len(list)-1)
	}
	return max(
		toSkip(list, func(b *bin) float64 { return b.pending }),
		toSkip(list, func(b *bin) float64 { return b.schedules + b.resets + b.cancels }),
		toSkip(list, func(b *bin) float64 { return b.fires }))
}

// toSkip returns how many of the first values to leave out so that the mean of
// the others is known best: the marginal standard error rule of K. P. White ("An
// Effective Truncation Heuristic for Bias Reduction in Simulation Output",
// Simulation 1997), which leaves out half of them at most. It leaves out none if
// that would help little. O(n).
func toSkip(list []bin, of func(*bin) float64) (skip int) {
	var n, sum, squares float64
	all, best := 0.0, math.Inf(1)
	for i := len(list) - 1; i >= 0; i-- {
		v := of(&list[i])
		n, sum, squares = n+1, sum+v, squares+v*v
		all = max(squares-sum*sum/n, 0) / (n * n)
		if i <= len(list)/2 && all <= best {
			best, skip = all, i
		}
	}
	if best >= all*steadier {
		return 0
	}
	return skip
}

// tally takes the rates from bins.
func (l *Load) tally(ob *observer, list []bin) {
	var all bin
	for _, b := range list {
		all = all.plus(b)
	}
	s := l.Span.Seconds()
	l.Schedules, l.Resets, l.Cancels, l.Fires = all.schedules/s, all.resets/s, all.cancels/s, all.fires/s
	l.Pending, l.MostPending, l.instants = all.pending/s, all.most, all.instants/s
	if n := all.schedules + all.resets; n > 0 {
		l.MeanDelay = seconds(all.delays / n)
	}
}

// fewDistances is how many resets and cancellations it takes to see whether timers with
// neighbouring numbers have their turn together.
const fewDistances = 64

// workingSetOf returns how many timers a program works on at a time, from the distances
// between the numbers of those that it resets or cancels one after the other. If it
// picked each of n timers with the same chance, half of the distances would be more than
// n·(1 - sqrt(1/2)): so n follows from their median.
func workingSetOf(apart []uint32) float64 {
	if len(apart) < fewDistances {
		return 0
	}
	sorted := slices.Sorted(slices.Values(apart))
	return float64(sorted[len(sorted)/2]) / (1 - math.Sqrt2/2)
}

// delays takes what is known of the delays.
func (l *Load) delays(ob *observer) {
	l.Horizon = ob.longest
	l.Delays = ob.delays.kept
	if len(l.Delays) == 0 {
		l.Delays = ob.initial.kept
	}
	slices.Sort(l.Delays)
	if l.MeanDelay == 0 && len(l.Delays) > 0 {
		sum := 0.0
		for _, d := range l.Delays {
			sum += d.Seconds()
		}
		l.MeanDelay = seconds(sum / float64(len(l.Delays)))
	}
}

// residuals returns what is left of the delays of those that are pending, in any
// order. O(n) for so many.
func (ob *observer) residuals() []time.Duration {
	stride := ob.pending.Len()/mostResiduals + 1
	left := make([]time.Duration, 0, ob.pending.Len()/stride+1)
	i := 0
	for _, timer := range ob.pending.All() {
		if i++; i%stride == 0 {
			left = append(left, ob.timers[timer].deadline-ob.now)
		}
	}
	return left
}

// sampleOpen takes those that are still pending into the sample of lifetimes.
func (ob *observer) sampleOpen() {
	for _, timer := range ob.pending.All() {
		t := &ob.timers[timer]
		ob.lifetimes.open.offer(lifetime{at: t.at, deadline: t.deadline, end: never})
	}
}

// note says what is to be known of the load.
func (l *Load) note(ob *observer, list []bin) {
	if ob.cut {
		l.Notes = append(l.Notes, fmt.Sprintf("only the first %d operations were looked at, up to %v", ob.ops, ob.now))
	}
	if l.Fires == 0 {
		l.Notes = append(l.Notes, "no timer fires in what was looked at: lateness is that of a timer at any time")
	}
	half := len(list) / 2
	if half == 0 {
		return
	}
	before, after := 0.0, 0.0
	for i := range half {
		before += list[i].pending
		after += list[len(list)-1-i].pending
	}
	if math.Abs(after-before) > mostGrowth*max(after, before) {
		per := float64(half) * ob.bins.width.Seconds()
		l.Notes = append(l.Notes, fmt.Sprintf("not steady: %.3g timers are pending in the first half of what was looked at, and %.3g in the second",
			before/per, after/per))
	}
}

// seconds returns a duration of so many seconds, as far as there is one.
func seconds(s float64) time.Duration {
	if ns := s * 1e9; ns < float64(never) {
		return time.Duration(ns)
	}
	return never
}
