package tune

import (
	"math"
	"time"

	"schedbench/catalog"
)

// latency is how late a sleep ends: draws from the measured distribution, spread
// as evenly as can be over it, and the same ones in each run.
//
// Where the system counts sleeps in granules, as the Go runtime does on Linux with
// milliseconds, a sleep takes whole granules from its beginning. So it ends late by
// what is missing to the next one, which goes by its length, and by what is drawn:
//
//	asleep   ├─────────┼─────────┼─────┬───┤┄┄┄┄┄┤ awake
//	           granule   granule     until   drawn
type latency struct {
	all     []time.Duration // quantiles of lateness, evenly spaced from 0 to 1
	rest    []time.Duration // and without what is missing to a granule
	brief   []time.Duration // of sleeps shorter than briefSleep
	granule time.Duration   // 0: none
	drawn   uint64
}

// golden is 2⁶⁴ divided by the golden ratio. Its multiples, modulo 2⁶⁴, are spread
// evenly however many there are.
const golden = 0x9e3779b97f4a7c15

// runtimeGranule is that of the Go runtime, which on Linux sleeps in epoll_wait.
const runtimeGranule = time.Millisecond

// newLatency takes quantiles in seconds. Without any, sleeps are never late.
func newLatency(quantiles []float64) latency {
	all := durations(quantiles)
	if len(all) == 0 {
		all = []time.Duration{0}
	}
	return latency{all: all, rest: all, brief: all}
}

// durations returns quantiles in seconds as durations.
func durations(quantiles []float64) (all []time.Duration) {
	for _, q := range quantiles {
		all = append(all, max(seconds(q), 0))
	}
	return all
}

// briefSleep is how long a precise sleep is, at most, whose end the thread that waits
// meets before it has fallen asleep itself. On Linux half of these end 23 us late, and
// half of those that are only somewhat longer 38 us.
const briefSleep = 20 * time.Microsecond

// latencyOf returns the latency of a way of waiting. That of the runtime is one with
// granules if it looks so: if half of the sleeps that were measured, which were of
// any length, lie within about half a granule.
func latencyOf(c *Calibration, waiting catalog.Waiting) latency {
	l := newLatency(c.Latency[waiting.String()])
	if brief := durations(c.Latency[PreciseBrief]); waiting == catalog.Precise && len(brief) > 0 {
		l.brief = brief
	}
	half := l.at(0.75) - l.at(0.25)
	if waiting != catalog.Runtime || half < runtimeGranule*3/10 || half > runtimeGranule*7/10 {
		return l
	}
	l.granule = runtimeGranule
	l.rest = make([]time.Duration, len(l.all))
	for i, q := range l.all {
		l.rest[i] = max(q-l.granule*time.Duration(i)/time.Duration(len(l.all)), 0)
	}
	return l
}

// soon is how long it takes the Go runtime from the moment at which the length of a
// sleep is settled to a look at its timers, before it goes to sleep in the system: a
// sleep that is over by then takes no granule. It is a few microseconds on any machine,
// and matters only where timers are due every few microseconds.
const soon = 4 * time.Microsecond

// after returns how late a sleep of a length ends.
func (l *latency) after(sleep time.Duration) time.Duration {
	late := l.draw()
	switch {
	case l.granule == 0 && sleep < briefSleep:
		return l.brief[l.drawn>>32*uint64(len(l.brief))>>32]
	case l.granule == 0:
		return late
	case sleep < soon:
		return soon - sleep
	}
	return l.granule - sleep%l.granule + late
}

// draw returns how late a sleep ends that is not brief, but for its length.
func (l *latency) draw() time.Duration {
	l.drawn += golden
	return l.rest[l.drawn>>32*uint64(len(l.rest))>>32]
}

// at returns a quantile, of sleeps of any length.
func (l *latency) at(p float64) time.Duration {
	i := int(math.Ceil(p * float64(len(l.all)-1)))
	return l.all[min(max(i, 0), len(l.all)-1)]
}
