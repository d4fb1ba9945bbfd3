package workload

import (
	"math"
	"slices"

	"schedbench/internal/lists"
)

// Mix has the operations per second of virtual time, and the number of pending timers, once as many timers end as begin.
// It is computed from the profile. If delays are longer than the profile, that never comes, but the shares hold.
type Mix struct {
	Schedules float64 // timers made, or armed again after their deadline
	Resets    float64
	Cancels   float64
	Fires     float64 // deadlines reached
	Pending   float64
}

// Operations is the number of operations per second: schedules, resets and cancels.
func (m Mix) Operations() float64 { return m.Schedules + m.Resets + m.Cancels }

// Armings is how often per second a timer gets a deadline. An arming ends by a reset, a cancel or its deadline.
func (m Mix) Armings() float64 { return m.Schedules + m.Resets }

// ResetShare is the share of the armings that end by a reset.
func (m Mix) ResetShare() float64 { return share(m.Resets, m.Armings()) }

// CancelShare is the share of the armings that end by a cancel.
func (m Mix) CancelShare() float64 { return share(m.Cancels, m.Armings()) }

// FireShare is the share of the armings that reach their deadline.
func (m Mix) FireShare() float64 { return share(m.Fires, m.Armings()) }

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// plus adds another mix so many times.
func (m Mix) plus(times float64, o Mix) Mix {
	return Mix{m.Schedules + times*o.Schedules, m.Resets + times*o.Resets, m.Cancels + times*o.Cancels,
		m.Fires + times*o.Fires, m.Pending + times*o.Pending}
}

// step is a state of a timer: how often it was reset, where that is limited, or how far it has backed off.
type step struct {
	outcome
	life   float64 // mean nanoseconds that an arming lasts
	visits float64 // armings in this state for each time that the first is entered
}

// chain returns the steps of a timer. A step leads to the next, to the first, or to the end: the visits are a product
// along the chain. The last step of a back-off leads to itself. An arming that lasts longer than until counts as until.
func (p *Population) chain(until float64) []step {
	var steps []step
	switch {
	case p.backoff.delays != nil:
		for level, d := range p.backoff.delays {
			o := p.backedOff(level)
			steps = append(steps, step{outcome: o, life: p.shareLife(o, constant(d), until)})
		}
	case p.times > 0:
		free, last := p.arming(true, until), p.arming(false, until)
		steps = append(slices.Repeat([]step{free}, p.times), last)
	default:
		steps = []step{p.arming(p.reset.present, until)}
	}
	visits := 1.0
	for i := range steps {
		steps[i].visits = visits
		visits *= p.onward(steps[i].outcome)
	}
	if n := len(steps) - 1; p.backoff.delays != nil {
		steps[n].visits /= 1 - p.onward(steps[n].outcome)
	}
	return steps
}

// onward returns the probability of the next step: by a deadline that backs off, or by a reset that is counted.
func (p *Population) onward(o outcome) float64 {
	switch {
	case p.backoff.delays != nil:
		return o.expire()
	case p.times > 0:
		return o.reset
	}
	return 0
}

// backedOff returns how armings end at a level of the back-off. Cancels and resets keep their proportion.
func (p *Population) backedOff(level int) outcome {
	o := outcome{p.cancel.share, p.reset.share}
	if level > 0 {
		factor := (1 - p.backoff.again) / (o.cancel + o.reset)
		o.cancel *= factor
		o.reset *= factor
	}
	return o
}

// arming returns a step with or without resets. Without them, their share runs to the deadline.
func (p *Population) arming(resets bool, until float64) step {
	if p.cancel.shared || p.reset.shared || !p.cancel.present && !p.reset.present {
		o := outcome{cancel: p.cancel.share}
		if resets {
			o.reset = p.reset.share
		}
		return step{outcome: o, life: p.shareLife(o, p.delay.law, until)}
	}
	return p.race(resets, until)
}

// mixOf returns the mix of steps at the rate of the population's arrivals.
func (p *Population) mixOf(steps []step) Mix {
	var m Mix
	for _, s := range steps {
		m = m.plus(s.visits, Mix{Schedules: 1, Resets: s.reset, Cancels: s.cancel, Fires: s.expire(), Pending: s.life / 1e9})
	}
	m.Schedules -= m.Resets
	ends := m.Cancels // of timers
	if p.backoff.delays == nil {
		ends += m.Fires
	}
	times := p.arrivals.perSecond() / ends // the first step is entered, per second
	if p.arrivals.kind == fixed {
		times = float64(p.arrivals.count) / m.Pending
	}
	return Mix{}.plus(times, m)
}

func (p *Population) computeMix() Mix {
	if !p.periodic {
		return p.mixOf(p.chain(math.Inf(1)))
	}
	rate := float64(p.arrivals.count) * 1e9 / math.Max(mean(p.periods()), 1e-9)
	return Mix{Schedules: rate, Fires: rate, Pending: float64(p.arrivals.count)}
}

// pendingAfter returns the mean number of pending timers after a while; a little high if it is short and timers are reset.
func (p *Population) pendingAfter(while float64) float64 {
	if p.arrivals.kind == fixed {
		return p.mix.Pending
	}
	part := p.mixOf(p.chain(while)).Pending
	return part + float64(p.initial)*(1-share(part, p.mix.Pending))
}

// points is the number of parts of equal probability of an integral. The integrands are smooth: errors are about 1/points².
const points = 1024

// spread returns values that stand for a law, with weights that add up to one.
func spread(l law) (values, weights []float64) {
	switch l := l.(type) {
	case constant:
		return []float64{float64(l)}, []float64{1}
	case *mixture:
		if !slices.ContainsFunc(l.parts, func(p law) bool { _, single := p.(constant); return !single }) {
			return lists.Each(l.parts, least), l.weights
		}
	}
	for i := range points {
		values = append(values, l.quantile((float64(i)+0.5)/points))
		weights = append(weights, 1.0/points)
	}
	return values, weights
}

// shareLife returns the mean length of an arming whose outcome is drawn first. A length above until counts as until.
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

// race returns the step of a timer whose cancel, reset and deadline are drawn independently. The earliest happens; at one
// instant the deadline comes first, then the cancel. race integrates over instants, which makes laws of single values
// exact. A length above until counts as until.
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

// racer returns the law of an ending in a race. An ending that the profile does not have is never.
func (e ending) racer() law {
	if !e.present {
		return constant(math.Inf(1))
	}
	return e.after.law
}

// instants returns the quantiles of laws, the nanosecond before each, and until, in order, up to the end of the first law.
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
