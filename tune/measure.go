package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/live"
)

// MeasureAll plays a workload with each of some configurations and returns what
// they did, in the same order. They and a control without timers take turns, round
// by round. CPU is net of the control, that is, what the timers add to a program
// that does the same things at the same times without them, and is otherwise
// asleep. The control is played once for a trial: those that are measured with it
// later are held to the same. Garbage is not collected meanwhile. Nothing else must go
// on in the process.
//
// The errors are ErrNoCPUTime, ErrBehind and ErrWrong of package live, and those of
// the context, the stream and drivers.
func MeasureAll(ctx context.Context, t *Trial, configs []catalog.Config, r Requirements, progress Progress) (all []Measured, err error) {
	runs := make([]run, len(configs), len(configs)+1)
	for i := range configs {
		runs[i].cfg = &configs[i]
	}
	if len(t.control) == 0 {
		runs = append(runs, run{})
	}
	round := 0
	err = onClock(func(c *live.Clock) error {
		return t.each(ctx, func(s *live.Slice) error {
			if progress != nil {
				progress("playing "+t.src.Name, round, t.o.Rounds)
			}
			for i := range runs {
				if err := runs[(i+round)%len(runs)].play(ctx, c, s); err != nil {
					return err
				}
			}
			round++
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if len(runs) > len(configs) {
		t.control = runs[len(configs)].readings
	}
	for _, one := range runs[:len(configs)] {
		all = append(all, one.measured(t.control, r))
	}
	return all, nil
}

// run is what a configuration, or the control, has done so far.
type run struct {
	cfg      *catalog.Config
	readings []reading
}

// play plays a slice with a driver of the configuration, or as a control with none.
func (r *run) play(ctx context.Context, c *live.Clock, s *live.Slice) error {
	var start func(time.Duration) (live.Target, error)
	var o live.Options
	if r.cfg != nil {
		o = live.Options{Sorted: r.cfg.Scheduler == catalog.List, Patience: r.cfg.Tick}
		start = driverOf(*r.cfg, s)
	}
	out, err := live.Play(ctx, c, s, start, o)
	if err == nil {
		err = out.Check()
	}
	switch {
	case err == nil:
		r.readings = append(r.readings, readingOf(out))
		return nil
	case r.cfg == nil:
		return err
	}
	return fmt.Errorf("%v: %w", *r.cfg, err)
}

// reading is what was measured in a round.
type reading struct {
	length  time.Duration
	cpu     time.Duration
	wakeups uint64
	late    []float64 // of the timers due within the round, in seconds
}

// readingOf returns what was measured while a slice was played.
func readingOf(o *live.Outcome) reading {
	r := reading{length: o.Took, cpu: o.CPU, wakeups: o.Wakeups}
	for _, f := range o.Firings {
		r.late = append(r.late, f.Late().Seconds())
	}
	return r
}

// share returns the CPU share of one core.
func (r reading) share() float64 { return r.cpu.Seconds() / r.length.Seconds() }

// measured sums the readings up.
func (r *run) measured(control []reading, req Requirements) Measured {
	m := Measured{Config: *r.cfg}
	var shares []float64
	var late [][]float64
	wakeups := uint64(0)
	for i, one := range r.readings {
		m.For += one.length
		m.Fired += len(one.late)
		wakeups += one.wakeups
		shares = append(shares, one.share()-control[i].share())
		late = append(late, one.late)
	}
	m.CPU = summary(shares)
	m.CPU.Value = middle(shares)
	m.CPU = m.CPU.around()
	m.Wakeups = float64(wakeups) / m.For.Seconds()
	m.Lateness = latenessOf(late, req.percentile())
	if m.Fired > 0 {
		m.Latest = slices.Max(slices.Concat(late...))
	}
	m.Resolution = resolution(control, shares)
	return m
}

// resolution returns the CPU share that cannot be told from noise: twice the median
// distance of rounds from their median, of the control or of what is net of it.
func resolution(control []reading, net []float64) float64 {
	var shares []float64
	for _, one := range control {
		shares = append(shares, one.share())
	}
	return max(leastResolution, 2*scatter(shares), 2*scatter(net))
}

// scatter returns the median distance of samples from their median.
func scatter(samples []float64) float64 {
	var distances []float64
	median := summary(samples).Value
	for _, v := range samples {
		distances = append(distances, math.Abs(v-median))
	}
	return summary(distances).Value
}

// leastResolution is the CPU share that a measurement of some seconds cannot tell
// from nothing: half a millisecond a second.
const leastResolution = 0.0005

// summary returns the median of samples with its interval, or with their range if
// they are too few for one.
func summary(samples []float64) Estimate {
	s := judge.Summarize(samples, judge.Confidence)
	e := Estimate{s.Median, s.Low, s.High}
	if !s.Bounded() && len(samples) > 0 {
		e.Low, e.High = slices.Min(samples), slices.Max(samples)
	}
	return e
}

// enough is how many samples a round must have beyond a quantile, for that to be
// looked at round by round.
const enough = 5

// latenessOf returns a quantile of lateness. If each round tells it, it is the
// median of the rounds with its interval, as all else that is measured, so that what
// disturbs one of them does not count. If not, it is that of all samples.
func latenessOf(rounds [][]float64, share float64) Estimate {
	var each []float64
	for _, late := range rounds {
		if float64(len(late))*(1-share) < enough {
			return lateness(slices.Concat(rounds...), share)
		}
		each = append(each, quantile(slices.Sorted(slices.Values(late)), share))
	}
	return summary(each)
}

// lateness returns a quantile of samples and a distribution-free interval of it
// at 95 %, by the normal approximation of the binomial ranks. Where too few
// samples lie beyond the quantile for that, High is infinite; without any all is
// NaN.
func lateness(late []float64, share float64) Estimate {
	n := float64(len(late))
	if n == 0 {
		return Estimate{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(late))
	const z = 1.96
	reach := z * math.Sqrt(n*share*(1-share))
	e := Estimate{quantile(sorted, share), sorted[0], math.Inf(1)}
	if rank := math.Floor(n*share - reach); rank >= 1 {
		e.Low = sorted[int(rank)-1]
	}
	if rank := math.Ceil(n*share+reach) + 1; rank <= n {
		e.High = sorted[int(rank)-1]
	}
	return e
}
