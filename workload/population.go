package workload

import (
	"math"
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

// backoff makes the delay of a timer that ran to its deadline longer.
type backoff struct {
	delays []time.Duration // first, first*factor ... greatest; nil without
	again  float64         // share of the armings after a deadline that run to theirs
}

// newBackoff returns the delays from first on, the last one limit.
func newBackoff(first, limit time.Duration, factor, again float64) backoff {
	b := backoff{again: again}
	for d := float64(first); d < float64(limit); d *= factor {
		b.delays = append(b.delays, nanoseconds(d))
	}
	b.delays = append(b.delays, limit)
	return b
}

// Name returns the name of the population within its profile.
func (p *Population) Name() string { return p.name }

// Arrivals returns how its timers are made, as the profile has it.
func (p *Population) Arrivals() string { return p.arrivals.text }

// Initial returns how many of its timers are pending at the start.
func (p *Population) Initial() int { return p.initial }

// Periodic reports whether its timers are armed again at each deadline with the
// same delay.
func (p *Population) Periodic() bool { return p.periodic }

// Mix returns what the population asks for in the long run.
func (p *Population) Mix() Mix { return p.mix }

// Delay returns the distribution of the delays with which its timers are armed,
// by Schedule or by Reset: with a back-off, that of all steps as often as they
// are taken, and with periods, each as often as it comes round.
func (p *Population) Delay() Distribution {
	switch {
	case p.backoff.delays != nil:
		return Distribution{law: newLevels(p.backoff.levels(p.chain(math.Inf(1)))), text: p.delay.text + " and back-off"}
	case p.periodic:
		return Distribution{law: p.periods(), text: p.delay.text}
	}
	return p.delay
}

// horizon is the longest delay.
func (p *Population) horizon() time.Duration {
	if n := len(p.backoff.delays); n > 0 {
		return p.backoff.delays[n-1]
	}
	return p.delay.Max()
}

// period is that of timer i of n: the periods are spread evenly over the
// quantiles of their distribution, from the least to the greatest.
func (p *Population) period(i, n int) time.Duration {
	if n == 1 {
		return p.delay.Quantile(0.5)
	}
	return p.delay.Quantile(float64(i) / float64(n-1))
}

// periods is the law of the delays that periodic timers are armed with, taken
// from at most 4096 of them.
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

// outcome is how likely an arming is to end in each way.
type outcome struct{ cancel, reset float64 }

func (o outcome) expire() float64 { return math.Max(0, 1-o.cancel-o.reset) }
