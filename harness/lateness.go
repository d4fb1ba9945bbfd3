package harness

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/live"
)

// newLateSeries returns a series with histograms of lateness.
func newLateSeries(experiment string, params ...any) *Series {
	s := newSeries(experiment, params...)
	s.Late, s.Early = newHistogram(), newHistogram()
	return s
}

// newHistogram returns a histogram of durations up to a minute, exact to a
// thousandth.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Minute), 3)
}

// record adds a duration to a histogram. One beyond its range counts as the
// highest: the maximum is never trimmed away unseen.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(min(max(int64(d), 1), h.HighestTrackableValue()))
}

func addLateness(values sample, h *hdrhistogram.Histogram) {
	for unit, p := range map[string]float64{P50Late: 50, P90Late: 90, P99Late: 99, MaxLate: 100} {
		values[unit] = float64(h.ValueAtPercentile(p))
	}
}

// play plays a slice on the real clock, on the timers that start makes. It returns what
// there is to say of the timers, and adds to the series how late those were that count:
// all if counts is nil.
func (s *session) play(series *Series, sl *live.Slice, start starter, o live.Options, counts func(timer int32) bool) (out *live.Outcome, values sample, err error) {
	err = live.OnThread(func(c *live.Clock) error {
		out, err = live.Play(s.ctx, c, sl, start, o)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return out, series.addOutcome(out, counts), nil
}

// starter makes timers with delays up to a horizon.
type starter func(horizon time.Duration) (live.Target, error)

// timers returns what makes n timers of the runner's, on a wheel that runs tickless with
// a tick of finest.
func (r runner) timers(finest time.Duration, n int) starter {
	return func(horizon time.Duration) (live.Target, error) {
		d, err := r.start(finest, horizon+slackOfClock)
		return live.On(d, n), err
	}
}

// addOutcome returns what is to be said of the timers of a round, and adds how late they
// were to the series: those that count, or all if counts is nil.
func (s *Series) addOutcome(out *live.Outcome, counts func(timer int32) bool) sample {
	values := sample{
		Fired: float64(out.Fired), Early: float64(out.Early), Lost: float64(out.Lost), Doubled: float64(out.Doubled),
	}
	round := newHistogram()
	for _, f := range out.Firings {
		switch late := f.Late(); {
		case late < 0:
			record(s.Early, -late)
		case counts == nil || counts(f.Timer):
			record(round, late)
		}
	}
	s.Late.Merge(round)
	addLateness(values, round)
	return values
}

// addRates adds what was used for each second that was played. Without a driver there are
// no wake-ups.
func (r runner) addRates(values sample, out *live.Outcome) {
	if out.Metered {
		values[CPUPerSecond] = float64(out.CPU) / out.Took.Seconds()
	}
	if !r.Runtime {
		values[WakeupsPerSecond] = float64(out.Wakeups) / out.Took.Seconds()
	}
}
