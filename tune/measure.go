package tune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/live"
	"schedbench/tune/costs"
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
func MeasureAll(ctx context.Context, t *Trial, configs []catalog.Config, r Requirements, progress costs.Progress) (all []Measured, err error) {
	runs := make([]trialRun, len(configs), len(configs)+1)
	for i := range configs {
		runs[i].cfg = &configs[i]
	}
	if len(t.control) == 0 {
		runs = append(runs, trialRun{})
	}
	round := 0
	err = costs.OnClock(func(c *live.Clock) error {
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

// trialRun is what a configuration, or the control, has done so far.
type trialRun struct {
	cfg      *catalog.Config
	readings []reading
}

// play plays a slice with a driver of the configuration, or as a control with none.
func (r *trialRun) play(ctx context.Context, c *live.Clock, s *live.Slice) error {
	var start func(time.Duration) (live.Target, error)
	var o live.Options
	if r.cfg != nil {
		o = live.Options{Sorted: r.cfg.Scheduler == catalog.List, Patience: r.cfg.Tick}
		start = r.cfg.Play(s.Timers)
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
func (r *trialRun) measured(control []reading, req Requirements) Measured {
	m := Measured{Config: *r.cfg}
	var shares, alone []float64 // net of the control, and of that
	var late [][]float64
	wakeups := uint64(0)
	for i, one := range r.readings {
		m.For += one.length
		m.Fired += len(one.late)
		wakeups += one.wakeups
		shares = append(shares, one.share()-control[i].share())
		alone = append(alone, control[i].share())
		late = append(late, one.late)
	}
	m.CPU = judge.TrimmedMean(shares)
	m.Wakeups = float64(wakeups) / m.For.Seconds()
	m.Lateness = judge.QuantileOfRounds(late, req.percentile())
	if m.Fired > 0 {
		m.Latest = slices.Max(slices.Concat(late...))
	}
	m.Resolution = max(leastResolution, judge.Indistinct(alone, shares))
	return m
}

// leastResolution is the CPU share that a measurement of some seconds cannot tell
// from nothing: half a millisecond a second.
const leastResolution = 0.0005
