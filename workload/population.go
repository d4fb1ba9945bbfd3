package workload

import (
	"math"
	"math/rand/v2"
	"time"
)

// Population is one kind of timer in a profile.
type Population struct {
	name     string
	arrivals arrivals
	delay    Distribution // of a timer that is armed; its period if it is periodic
	periodic bool
	cancel   ending
	reset    ending
	times    int // how often a timer is reset; 0 means without limit
	backoff  backoff
	initial  int // pending at the start
	mix      Mix
}

// ending is a way for an arming of a timer to end before its deadline.
type ending struct {
	present bool
	shared  bool         // share is given; otherwise the earliest ending wins
	share   float64      // of the armings
	after   Distribution // time since the arming
}

// backoff gives a timer a longer delay after each deadline.
type backoff struct {
	delays []time.Duration // first, first*factor ... greatest; nil without
	again  float64         // share of the armings after a deadline that run to their deadline
}

// Arrivals returns how its timers are made, as the profile has it.
func (p *Population) Arrivals() string { return p.arrivals.text }

// Delay returns the distribution of the delays of all armings, by Schedule or by Reset.
func (p *Population) Delay() Distribution {
	switch {
	case p.backoff.delays != nil:
		var values, visits []float64
		for i, s := range p.chain(math.Inf(1)) {
			values, visits = append(values, float64(p.backoff.delays[i])), append(visits, s.visits)
		}
		return Distribution{law: newLevels(values, visits), text: p.delay.text + " and back-off"}
	case p.periodic:
		return Distribution{law: p.periods(), text: p.delay.text}
	}
	return p.delay
}

func (p *Population) horizon() time.Duration {
	if n := len(p.backoff.delays); n > 0 {
		return p.backoff.delays[n-1]
	}
	return p.delay.Max()
}

// period returns that of timer i of n. Periods are spread evenly over the quantiles of their distribution.
func (p *Population) period(i, n int) time.Duration {
	if n == 1 {
		return p.delay.Quantile(0.5)
	}
	return p.delay.Quantile(float64(i) / float64(n-1))
}

// periods returns the law of the delays that periodic timers are armed with, taken from at most 4096 of them.
func (p *Population) periods() law {
	if c, ok := p.delay.law.(constant); ok {
		return c
	}
	n := min(p.arrivals.count, 4096)
	values, weights := make([]float64, n), make([]float64, n)
	for i := range n {
		values[i] = float64(max(p.period(i, n), 1))
		weights[i] = 1 / values[i]
	}
	return newLevels(values, weights)
}

// outcome has the probabilities of the ends of an arming.
type outcome struct{ cancel, reset float64 }

func (o outcome) expire() float64 { return math.Max(0, 1-o.cancel-o.reset) }

// arming is what is drawn for a timer that is given a deadline.
type arming struct {
	delay int64
	life  int64 // until it ends, at most delay
	tag   tag
}

// populationState draws the armings of a population.
type populationState struct {
	*Population
	pop      uint8
	rand     *rand.Rand
	arriver  *arriver
	fixed    bool // a timer that ends is followed by another
	rearmed  bool // a timer is armed anew at its deadline
	initial  int  // left to make at the start
	shared   bool
	outcomes []outcome // the probabilities by the count of an arming: of steps of the back-off, or else of resets left
	pending  sampler   // delays of the timers pending at the start
	periods  []int64   // those of periodic timers, by timer number, if they differ
	started  int       // of the periodic timers
}

func newPopulationState(p *Population, index uint8, o Options) populationState {
	a := p.arrivals.scaled(o.Scale)
	use := 2 * int(index)
	l := populationState{
		Population: p, pop: index, rand: random(o.Seed, use),
		arriver: newArriver(a, random(o.Seed, use+1), int64(o.For)),
		fixed:   a.kind == fixed, rearmed: a.kind == fixed || p.backoff.delays != nil,
		shared: p.cancel.shared || p.reset.shared,
	}
	if p.initial > 0 {
		l.initial = max(1, int(float64(p.initial)*o.Scale+0.5))
		l.pending = lengthBiased(p.delay.law)
	}
	l.outcomes = []outcome{{p.cancel.share, p.reset.share}}
	for level := 1; level < len(p.backoff.delays); level++ {
		l.outcomes = append(l.outcomes, p.backedOff(level))
	}
	return l
}

func (l *populationState) first(timer uint32) arming {
	if l.periodic {
		l.setPeriod(timer)
		return l.period(timer)
	}
	return l.arm(0)
}

// afterReset draws the arming by a reset. A back-off begins anew.
func (l *populationState) afterReset(e event) arming {
	if l.backoff.delays != nil {
		return l.arm(0)
	}
	return l.arm(e.tag.count() + 1)
}

// afterDeadline draws the arming of a timer that has reached its deadline.
func (l *populationState) afterDeadline(e event) arming {
	switch {
	case l.periodic:
		return l.period(e.timer)
	case l.backoff.delays != nil:
		return l.arm(e.tag.count() + 1)
	}
	return l.arm(0)
}

func (l *populationState) setPeriod(timer uint32) {
	if _, same := l.delay.law.(constant); same {
		return
	}
	l.periods = append(l.periods, make([]int64, max(0, int(timer)+1-len(l.periods)))...)
	l.periods[timer] = int64(max(l.Population.period(l.started, l.arriver.count), 1))
	l.started++
}

func (l *populationState) period(timer uint32) arming {
	d := int64(l.delay.Max())
	if l.periods != nil {
		d = l.periods[timer]
	}
	return arming{delay: d, life: d, tag: newTag(expires, l.pop, 0)}
}

// arm draws an arming. count is that of the resets, or of the steps of the back-off.
func (l *populationState) arm(count uint16) arming {
	if delays := l.backoff.delays; delays != nil {
		count = min(count, uint16(len(delays)-1))
		return l.drawn(int64(delays[count]), count)
	}
	return l.drawn(int64(l.delay.Sample(l.rand)), count)
}

func (l *populationState) drawn(delay int64, count uint16) arming {
	life, end := delay, expires
	if l.shared {
		life, end = l.share(delay, count)
	} else if l.cancel.present || l.reset.present {
		life, end = l.race(delay, count)
	}
	return arming{delay, life, newTag(end, l.pop, count)}
}

// share draws the outcome first, and then its time.
func (l *populationState) share(delay int64, count uint16) (int64, end) {
	o := &l.outcomes[0]
	if l.backoff.delays != nil {
		o = &l.outcomes[count]
	}
	var u float64
	if o.cancel < 1 {
		u = l.rand.Float64()
	}
	switch {
	case u < o.cancel:
		if after, ok := l.cancel.after.drawBelow(l.rand, delay); ok {
			return after, cancelled
		}
	case u < o.cancel+o.reset && l.mayReset(count):
		if after, ok := l.reset.after.drawBelow(l.rand, delay); ok {
			return after, moved
		}
	}
	return delay, expires
}

func (l *populationState) mayReset(count uint16) bool { return l.times == 0 || int(count) < l.times }

// race draws a time for each outcome. The earliest happens.
func (l *populationState) race(delay int64, count uint16) (life int64, how end) {
	life = delay
	if l.cancel.present {
		if at := int64(l.cancel.after.Sample(l.rand)); at < life {
			life, how = at, cancelled
		}
	}
	if l.reset.present && l.mayReset(count) {
		if at := int64(l.reset.after.Sample(l.rand)); at < life {
			life, how = at, moved
		}
	}
	return life, how
}

// residual draws a timer that was armed before the start and is still pending: the delay of a pending timer, and a
// uniform age. If the timer would have ended before that age, residual draws another.
func (l *populationState) residual() arming {
	for {
		delay := int64(nanoseconds(l.pending(l.rand)))
		a := l.drawn(delay, 0)
		age := int64(l.rand.Float64() * float64(delay))
		if age < a.life {
			a.delay -= age
			a.life -= age
			return a
		}
	}
}
