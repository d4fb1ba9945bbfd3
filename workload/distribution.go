package workload

import (
	"math"
	"math/rand/v2"
	"time"
)

// Distribution is an exact distribution of durations. The zero value is not usable.
type Distribution struct {
	law      law // of nanoseconds; of parts of the delay when relative
	text     string
	relative bool // values are parts of the delay that they belong to
}

// Sample draws a duration. It allocates nothing.
func (d Distribution) Sample(r *rand.Rand) time.Duration { return nanoseconds(d.law.sample(r)) }

// Quantile returns the least duration that a share p of all, from 0 to 1, does not exceed.
func (d Distribution) Quantile(p float64) time.Duration {
	return nanoseconds(d.law.quantile(clamp(p, 0, 1)))
}

// Mean returns the mean duration.
func (d Distribution) Mean() time.Duration { return nanoseconds(mean(d.law)) }

// Min returns the shortest duration.
func (d Distribution) Min() time.Duration { return d.Quantile(0) }

// Max returns the longest duration.
func (d Distribution) Max() time.Duration { return d.Quantile(1) }

// String returns the distribution as a profile has it.
func (d Distribution) String() string { return d.text }

// nanoseconds rounds. Laws end at 100 years, which fits.
func nanoseconds(x float64) time.Duration { return time.Duration(x + 0.5) }

// scale returns how many nanoseconds a value of 1 stands for in an arming with a delay.
func (d *Distribution) scale(delay float64) float64 {
	if d.relative {
		return delay
	}
	return 1
}

// drawBelow draws when an arming ends, given that it ends before its delay; ok is false if the delay is too short for that.
func (d *Distribution) drawBelow(r *rand.Rand, delay int64) (after int64, ok bool) {
	if delay <= 0 {
		return 0, false
	}
	scale := d.scale(float64(delay))
	const tries = 16
	for range tries {
		if after = int64(nanoseconds(d.law.sample(r) * scale)); after < delay {
			return after, true
		}
	}
	within := d.law.cdf(float64(delay-1) / scale)
	after = int64(nanoseconds(d.law.quantile(r.Float64()*within) * scale))
	return min(after, delay-1), true
}

// meanBelow returns the mean of drawBelow. A draw above until counts as until.
func (d Distribution) meanBelow(delay, until float64) float64 {
	scale := d.scale(delay)
	before := math.Nextafter(delay/scale, 0)
	within := d.law.cdf(before)
	if within == 0 {
		return min(delay, until)
	}
	cut := min(until/scale, before)
	return (d.law.partial(cut) + cut*(within-d.law.cdf(cut))) / within * scale
}

// meanUpTo returns the mean of a law. A value above until counts as until.
func meanUpTo(l law, until float64) float64 {
	if until >= greatest(l) {
		return mean(l)
	}
	return l.partial(until) + until*(1-l.cdf(until))
}
