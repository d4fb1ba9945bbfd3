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

// Measured is what a configuration did, live, under a workload.
type Measured struct {
	Config catalog.Config
	// For is how long it ran, and Fired how many timers did in that time.
	For   time.Duration
	Fired int
	// CPU is a share of one core, net of what makes the operations. Lateness, in
	// seconds, is at the percentile of the requirements.
	//
	// Without a timer that fired, Lateness is NaN; with too few for an interval, its
	// High is infinite.
	CPU, Lateness judge.Estimate
	// Resolution is the CPU share that cannot be told from noise.
	Resolution float64
	// Latest is the greatest lateness of all, in seconds.
	Latest float64
	// Wakeups of the driver a second.
	Wakeups float64
}

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
		t.control = runs[len(configs)].rounds
	}
	for _, one := range runs[:len(configs)] {
		all = append(all, one.measured(t.control, r))
	}
	return all, nil
}

// trialRun is what a configuration, or the control, has done so far.
type trialRun struct {
	cfg    *catalog.Config
	rounds []*live.Outcome
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
		r.rounds = append(r.rounds, out)
		return nil
	case r.cfg == nil:
		return err
	}
	return fmt.Errorf("%v: %w", *r.cfg, err)
}

// share returns the CPU share of one core in a round.
func share(o *live.Outcome) float64 { return o.CPU.Seconds() / o.Took.Seconds() }

// measured sums the rounds up.
func (r *trialRun) measured(control []*live.Outcome, req Requirements) Measured {
	m := Measured{Config: *r.cfg}
	var shares, alone []float64 // net of the control, and of that
	var late [][]float64
	wakeups := uint64(0)
	for i, one := range r.rounds {
		m.For += one.Took
		m.Fired += len(one.Firings)
		wakeups += one.Wakeups
		shares = append(shares, share(one)-share(control[i]))
		alone = append(alone, share(control[i]))
		var seconds []float64
		for _, f := range one.Firings {
			seconds = append(seconds, f.Late().Seconds())
		}
		late = append(late, seconds)
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
