package workload

import (
	"math"
	"slices"
)

// points is into how many parts of equal probability a law is cut where there
// is no closed form. What they are used for is smooth; errors are about 1/points².
const points = 1024

// spread returns values that stand for a law, with weights that add up to one.
func spread(l law) (values, weights []float64) {
	if a, ok := l.(atomic); ok {
		return a.atoms()
	}
	for i := range points {
		values = append(values, l.quantile((float64(i)+0.5)/points))
		weights = append(weights, 1.0/points)
	}
	return values, weights
}

// shareLife is the mean time that an arming lasts whose outcome is drawn first:
// what is cancelled or reset ends as ending.after says, before its deadline. What
// lasts longer than until counts as until.
func (p *Population) shareLife(o outcome, delay law, until float64) float64 {
	life := o.expire() * meanUpTo(delay, until)
	if o.cancel == 0 && o.reset == 0 {
		return life
	}
	values, weights := spread(delay)
	for i, d := range values {
		if o.cancel > 0 {
			life += weights[i] * o.cancel * p.cancel.after.meanBelow(d, until)
		}
		if o.reset > 0 {
			life += weights[i] * o.reset * p.reset.after.meanBelow(d, until)
		}
	}
	return life
}

// race is the step of a timer whose cancel, reset and deadline are drawn
// independently and of which the earliest happens. Integrated over the instants
// at which one of the three has a quantile and those a nanosecond before, so
// that laws of single values are exact; of what falls together the deadline
// comes first, then the cancel. What lasts longer than until counts as until.
func (p *Population) race(resets bool, until float64) step {
	cancel, reset, delay := p.cancel.racer(), law(constant(math.Inf(1))), p.delay.law
	if resets {
		reset = p.reset.racer()
	}
	var s step
	last := -1.0
	for _, at := range instants(until, delay, cancel, reset) {
		due, cancelled, moved := (last+at)/2, (last+at)/2, (last+at)/2
		if at-last <= 1 {
			due, cancelled, moved = at, at, last
		}
		s.cancel += (cancel.cdf(at) - cancel.cdf(last)) * (1 - delay.cdf(due)) * (1 - reset.cdf(moved))
		s.reset += (reset.cdf(at) - reset.cdf(last)) * (1 - delay.cdf(due)) * (1 - cancel.cdf(cancelled))
		mid := (last + at) / 2
		s.life += (min(at, until) - min(max(last, 0), until)) * (1 - delay.cdf(mid)) * (1 - cancel.cdf(mid)) * (1 - reset.cdf(mid))
		last = at
	}
	return s
}

// racer is the law of an ending in a race; one that is not there is never.
func (e ending) racer() law {
	if !e.present {
		return constant(math.Inf(1))
	}
	return e.after.law
}

// instants returns, in order, the quantiles of laws and the nanosecond before
// each, and until, up to the greatest of the first law.
func instants(until float64, laws ...law) (at []float64) {
	end := greatest(laws[0])
	for _, l := range laws {
		values, _ := spread(l)
		for _, v := range append([]float64{least(l), greatest(l)}, values...) {
			at = append(at, v-1, v)
		}
	}
	at = append(at, end, until)
	slices.Sort(at)
	at = slices.Compact(at)
	first, _ := slices.BinarySearch(at, 0)
	past, _ := slices.BinarySearch(at, end+1)
	return at[first:past]
}
