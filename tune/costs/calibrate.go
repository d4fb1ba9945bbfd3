package costs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/judge"
	"schedbench/live"
)

// Progress is told what is being measured, and how much of it is done. It may be
// nil.
type Progress func(step string, done, total int)

// effort says how thoroughly a machine is calibrated.
type effort struct {
	// rounds is how many samples are taken of each cost. Six are the fewest that
	// give an interval at 95 %.
	rounds int
	// pending are the counts at which operations are measured.
	pending []int
	// share is how much of the usual number of operations a sample has.
	share float64
}

// count returns how many operations a sample has that usually has n.
func (e effort) count(n int) int { return max(int(float64(n)*e.share), 1) }

// length returns how long a sample takes that usually takes d.
func (e effort) length(d time.Duration) time.Duration {
	return max(time.Duration(float64(d)*e.share), 10*time.Millisecond)
}

// Calibrate measures what things cost on this machine, in about a minute. Each cost
// is measured in six rounds, in which all that are compared take turns, each with drivers
// and schedulers that are filled afresh; the term is the mean of all but the least and
// the greatest, with a distribution-free interval of the median. It is to be left alone meanwhile: whatever else the process does is
// measured too.
//
// The errors are ErrNoCPUTime, that of the context, and those of drivers.
func Calibrate(ctx context.Context, progress Progress) (*Calibration, error) {
	return calibrate(ctx, effort{rounds: 6, pending: []int{500, 20_000, 1_000_000}, share: 1}, progress)
}

func calibrate(ctx context.Context, e effort, progress Progress) (c *Calibration, err error) {
	env, busy := environment(), live.WatchOthers()
	err = OnClock(func(clock *live.Clock) error {
		b := &calibrator{ctx: ctx, Clock: clock, effort: e, progress: progress, random: rand.New(rand.NewPCG(1, 2))}
		c, err = b.calibrate()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("calibration: %w", err)
	}
	c.Env, c.Busy = env, busy.Share()
	return c, nil
}

// calibrator is a calibration under way.
type calibrator struct {
	effort
	*live.Clock
	ctx      context.Context
	progress Progress
	random   *rand.Rand
	ledger   ledger
	latency  map[string][]float64
}

// calibrate takes one step after another. Those that come later subtract what
// earlier ones have found.
func (b *calibrator) calibrate() (*Calibration, error) {
	steps := []struct {
		name string
		do   func() error
	}{
		{"wake-ups", b.wakeups},
		{"wake-up latency", b.latencies},
		{"kicks", b.kicks},
		{"ticks, visits and cascades", b.structures},
		{"operations", b.operations},
	}
	for i, s := range steps {
		if b.progress != nil {
			b.progress(s.name, i, len(steps))
		}
		if err := s.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	terms := b.ledger.terms()
	rising(terms)
	return &Calibration{Made: time.Now().UTC(), Terms: terms, Latency: maps.Clone(b.latency)}, nil
}

// environment returns what a calibration depends on, and by which commit it was made. Each
// build is not another machine.
func environment() map[string]string {
	env := rundata.Conditions(rundata.Environment())
	delete(env, "build")
	return env
}

// inTurns lets all that is measured take turns for some rounds, in orders that favour
// none.
func (b *calibrator) inTurns(turns []func() error) error {
	order := blocks.NewTurnOrder(b.random, len(turns))
	for range b.rounds {
		for _, i := range order.Next() {
			if err := b.ctx.Err(); err != nil {
				return err
			}
			if err := turns[i](); err != nil {
				return err
			}
		}
	}
	return nil
}

// rest sleeps for a while, and wakes up every so often, as a program does that is at
// work; 0 is never.
func (b *calibrator) rest(d, every time.Duration) {
	for end := b.Now() + d; b.Now() < end; {
		b.SleepUntil(min(b.Now()+cmp.Or(every, d), end))
	}
}

const (
	// busyEvery is how often a program is awake that is at work.
	busyEvery = 5 * time.Millisecond
	// batchEvery is how often the program is awake whose workload is played (see
	// package live).
	batchEvery = time.Millisecond
)

// ErrNoCPUTime means that the system does not tell how much CPU time a thread
// has used, so that nothing can be measured.
var ErrNoCPUTime = errors.New("the system does not tell the CPU time of a thread")

// OnClock runs f on a thread of its own, without garbage collections: what one costs
// is not asked for.
func OnClock(f func(*live.Clock) error) (err error) {
	if _, ok := live.ReadUsage(); !ok {
		return ErrNoCPUTime
	}
	live.WithoutGC(func() { err = live.OnThread(f) })
	return err
}

// mostBusy is the share of the machine that others may take while something is
// measured, before it is worth a word.
const mostBusy = 0.1

// SayBusy returns what is to be said if others have taken so much of the machine
// while something was done, and "" if it is little.
func SayBusy(share float64, while string) string {
	if share <= mostBusy {
		return ""
	}
	return fmt.Sprintf("other processes took %.0f %% of the machine %s: its figures are of a busy machine, "+
		"and what is late may be so because of them", 100*share, while)
}

// ledger collects samples of terms, in seconds: note takes up one of the term that has
// this name, scheduler and so on.
type ledger struct {
	order   []Term // in which they were first noted
	samples map[Term][]float64
}

func (l *ledger) note(of Term, value float64) {
	if l.samples == nil {
		l.samples = map[Term][]float64{}
	}
	if l.samples[of] == nil {
		l.order = append(l.order, of)
	}
	l.samples[of] = append(l.samples[of], value)
}

// terms returns the fitted terms: by what costs, then by scheduler or way of waiting, and
// else in the order of their first samples.
func (l *ledger) terms() (terms []Term) {
	of := append(catalog.Schedulers(), catalog.Runtime.String(), catalog.Precise.String(), PreciseBrief, catalog.RuntimeTimer)
	slices.SortStableFunc(l.order, func(a, b Term) int {
		return cmp.Or(cmp.Compare(slices.Index(termNames, a.Name), slices.Index(termNames, b.Name)),
			cmp.Compare(slices.Index(of, a.Of), slices.Index(of, b.Of)))
	})
	for _, of := range l.order {
		terms = append(terms, l.fit(of))
	}
	return terms
}

// fit returns the term with the mean of the middle of its samples, an interval that
// holds their true median with 95 % whatever the distribution, and as the residual
// their scatter. Noise may make a small difference negative, which no cost is.
func (l *ledger) fit(t Term) Term {
	samples := l.samples[t]
	if samples == nil {
		return t
	}
	t.Seconds = judge.TrimmedMean(samples).AtLeast(0)
	if median := judge.Median(samples).Value; median > 0 {
		t.Residual = judge.Scatter(samples) / median
	}
	return t
}
