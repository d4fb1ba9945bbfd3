package tune

import (
	"math"
	"time"
)

// latency is how late a sleep ends: draws from the measured distribution, spread
// as evenly as can be over it, and the same ones in each run.
type latency struct {
	quantiles []time.Duration // evenly spaced from 0 to 1
	drawn     uint64
}

// golden is 2⁶⁴ divided by the golden ratio. Its multiples, modulo 2⁶⁴, are spread
// evenly however many there are.
const golden = 0x9e3779b97f4a7c15

// newLatency takes quantiles in seconds. Without any, sleeps are never late.
func newLatency(quantiles []float64) latency {
	l := latency{quantiles: make([]time.Duration, 0, max(len(quantiles), 1))}
	for _, q := range quantiles {
		l.quantiles = append(l.quantiles, max(seconds(q), 0))
	}
	if len(l.quantiles) == 0 {
		l.quantiles = append(l.quantiles, 0)
	}
	return l
}

// draw returns how late the next sleep ends.
func (l *latency) draw() time.Duration {
	l.drawn += golden
	return l.quantiles[l.drawn>>32*uint64(len(l.quantiles))>>32]
}

// at returns a quantile.
func (l *latency) at(p float64) time.Duration {
	i := int(math.Ceil(p * float64(len(l.quantiles)-1)))
	return l.quantiles[min(max(i, 0), len(l.quantiles)-1)]
}

// ticksTaken returns how many ticks go by from one wake-up of a worker that wakes
// at every tick to the next, on average: more than one if sleeps end more than a
// tick too late.
func (l *latency) ticksTaken(tick time.Duration) float64 {
	sum := 0.0
	for _, q := range l.quantiles {
		sum += float64(q/tick) + 1
	}
	return sum / float64(len(l.quantiles))
}
