package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness/blocks"
	"schedbench/judge"
	"schedbench/live"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// How long a trial is, and in how many rounds, unless told otherwise.
const (
	trialLasts  = 5 * time.Second
	trialRounds = 6
)

const (
	// warm is how much of a workload is skipped, unless its delays are shorter, so
	// that timers fire that were armed before: but at most mostWarm operations.
	warm     = 2 * time.Minute
	mostWarm = 3_000_000
)

// TrialOptions say how much of a workload is played.
type TrialOptions struct {
	// For is how long it is played, all rounds together; 0 is 5 s.
	For time.Duration
	// Rounds is how many parts that is divided into, each with drivers of its own: the
	// blocks by which all that is measured is judged. 0 is one for each 5/6 s, and at least
	// 6, so that a longer trial has more of them.
	Rounds int
}

// Trial is a workload that configurations are tried with on the real clock: a part of it
// in which it is steady, scaled down if it is too fast.
type Trial struct {
	src   workload.Source
	o     TrialOptions
	scale float64
	from  time.Duration
	notes []string

	control []*live.Outcome // what it took without timers, once that was measured
}

// NewTrial prepares a workload that a load tells about. The error is ErrTooFast
// of package live if it cannot be played.
func NewTrial(src workload.Source, load *Load, o TrialOptions) (*Trial, error) {
	o.For = cmp.Or(o.For, trialLasts)
	o.Rounds = cmp.Or(o.Rounds, max(trialRounds, int(o.For/(trialLasts/trialRounds))))
	if o.For <= 0 || o.Rounds < 1 || o.For/time.Duration(o.Rounds) < 10*time.Millisecond {
		return nil, fmt.Errorf("%d rounds of a workload that is played for %v, want at least 10ms each", o.Rounds, o.For)
	}
	t := &Trial{src: src, o: o}
	rate := load.Schedules + load.Resets + load.Cancels
	if t.scale = live.Scale(rate, float64(load.MostPending)); t.scale < 1 {
		if !src.Scalable {
			return nil, fmt.Errorf("%s: %w: %.0f operations a second on up to %d timers, want at most %d on %d",
				src.Name, live.ErrTooFast, rate, load.MostPending, live.MostRate, live.MostPending)
		}
		t.note("%.0f operations a second on up to %d timers are more than can be played beside a driver: "+
			"the proof is of the workload scaled by %.3g, and so is the prediction that it is held to", rate, load.MostPending, t.scale)
	}
	t.from = t.warmUp(load, rate*t.scale)
	return t, nil
}

// warmUp returns how much is skipped of a load with so many operations a second.
func (t *Trial) warmUp(load *Load, rate float64) time.Duration {
	from := load.Warm
	if t.src.Scalable { // and goes on for as long as one likes
		from = max(from, min(load.Horizon, warm))
	}
	if rate*from.Seconds() > mostWarm {
		from = time.Duration(mostWarm / rate * float64(time.Second))
		t.note("only %v of it are skipped to come to a steady state", from.Round(time.Millisecond))
	}
	return from
}

func (t *Trial) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// part returns what is played.
func (t *Trial) part() live.Part {
	var o workload.Options
	if t.src.Scalable {
		o.Scale, o.For = t.scale, t.from+t.o.For+time.Second
	}
	return live.Part{
		Open: func() (workload.Stream, error) { return t.src.Open(o) },
		From: t.from, Length: t.o.For / time.Duration(t.o.Rounds), Rounds: t.o.Rounds,
	}
}

// each calls f for each round. It ends early if the workload does.
func (t *Trial) each(ctx context.Context, f func(*live.Slice) error) error {
	part, rounds := t.part(), 0
	err := part.Each(ctx, func(s *live.Slice) error {
		if rounds++; rounds == 1 && s.Timers == 0 {
			return fmt.Errorf("nothing is pending or armed within %v from %v on", part.Length, part.From)
		}
		return f(s)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", t.src.Name, err)
	}
	return nil
}

// Load returns the load that is played.
func (t *Trial) Load(ctx context.Context) (l *Load, err error) {
	part := t.part()
	s, err := part.Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.src.Name, err)
	}
	defer func() { err = errors.Join(err, workload.Close(s)) }()
	return LoadOf(ctx, s, LoadOptions{Name: t.src.Name, Until: t.o.For})
}

// Measured is what a configuration did, live, under a workload.
type Measured struct {
	Config catalog.Config
	// For is how long it ran, and Fired how many timers did in that time.
	For   time.Duration
	Fired int
	// CPU is a share of one core, net of what makes the operations. Lateness, in
	// seconds, is at the percentile of the requirements. Their blocks are rounds.
	//
	// Without a timer that fired, Lateness is NaN; with too few in a round to tell it
	// by rounds, it has no blocks, and with too few for an interval its High is infinite.
	CPU, Lateness judge.Average
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
	round, order := 0, blocks.NewTurnOrder(rand.New(rand.NewPCG(1, 2)), len(runs))
	err = costs.OnClock(func(c *live.Clock) error {
		return t.each(ctx, func(s *live.Slice) error {
			if progress != nil && round%max(t.o.Rounds/trialRounds, 1) == 0 { // not so often that it fills a log
				progress("playing "+t.src.Name, round, t.o.Rounds)
			}
			for _, i := range order.Next() {
				if err := runs[i].play(ctx, c, s); err != nil {
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
		r.rounds = append(r.rounds, out)
		err = out.Check()
	}
	if err != nil && r.cfg != nil {
		err = fmt.Errorf("%v: %w", *r.cfg, err)
	}
	return err
}

// share returns the CPU share of one core in a round.
func share(o *live.Outcome) float64 { return o.CPU.Seconds() / o.Took.Seconds() }

// measured sums the rounds up.
func (r *trialRun) measured(control []*live.Outcome, req Requirements) Measured {
	m := Measured{Config: *r.cfg}
	var shares []float64 // net of the control
	var late [][]float64
	wakeups := uint64(0)
	for i, one := range r.rounds {
		m.For += one.Took
		m.Fired += len(one.Firings)
		wakeups += one.Wakeups
		shares = append(shares, share(one)-share(control[i]))
		var seconds []float64
		for _, f := range one.Firings {
			seconds = append(seconds, f.Late().Seconds())
		}
		late = append(late, seconds)
	}
	m.CPU = judge.Mean(shares)
	m.Wakeups = float64(wakeups) / m.For.Seconds()
	m.Lateness = judge.QuantileOfRounds(late, req.percentile())
	if m.Fired > 0 {
		m.Latest = slices.Max(slices.Concat(late...))
	}
	return m
}
