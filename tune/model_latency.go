package tune

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/catalog"
	"schedbench/internal/quantile"
	"schedbench/tune/costs"
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
	all := make([]time.Duration, max(len(quantiles), 1))
	for i, q := range quantiles {
		all[i] = max(seconds(q), 0)
	}
	return latency{all: all, rest: all, brief: all}
}

// latencyOf returns the latency of a way of waiting. That of the runtime is one with
// granules if it looks so: if half of the sleeps that were measured, which were of
// any length, lie within about half a granule.
func latencyOf(c *costs.Calibration, waiting catalog.Waiting) latency {
	l := newLatency(c.Latency[waiting.String()])
	if brief := c.Latency[costs.PreciseBrief]; waiting == catalog.Precise && len(brief) > 0 {
		l.brief = newLatency(brief).all
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
// sleep is decided to the check of its timers, before it goes to sleep in the system: a
// sleep that is over by then takes no granule. It is a few microseconds on any machine,
// and matters only where timers are due every few microseconds.
const soon = 4 * time.Microsecond

// after returns how late a sleep of a length ends.
func (l *latency) after(sleep time.Duration) time.Duration {
	late := l.draw()
	switch {
	case l.granule == 0 && sleep < costs.BriefSleep:
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

// histogram is a distribution of lateness.
type histogram struct{ *hdrhistogram.Histogram }

// mostLate is the greatest lateness that is told from longer ones.
const mostLate = 24 * time.Hour

// newHistogram returns one of three significant figures.
func newHistogram() *histogram { return &histogram{hdrhistogram.New(1, int64(mostLate), 3)} }

// add notes n durations. One out of range counts as the nearest that is not.
func (h *histogram) add(d time.Duration, n int64) {
	_ = h.RecordValues(min(max(int64(d), 0), h.HighestTrackableValue()), n) // it is in range
}

// quantile returns the duration that a share p of all does not exceed, in seconds.
// Without any durations it is 0.
func (h *histogram) quantile(p float64) float64 {
	return time.Duration(quantile.Of(h.Histogram, p)).Seconds()
}
