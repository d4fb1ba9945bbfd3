package costs

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"schedbench/harness"
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

// usualEffort takes about a minute.
func usualEffort() effort {
	return effort{rounds: 6, pending: []int{500, 20_000, 1_000_000}, share: 1}
}

// count returns how many operations a sample has that usually has n.
func (e effort) count(n int) int { return max(int(float64(n)*e.share), 1) }

// length returns how long a sample takes that usually takes d.
func (e effort) length(d time.Duration) time.Duration {
	return max(time.Duration(float64(d)*e.share), 10*time.Millisecond)
}

// Calibrate measures what things cost on this machine, in about a minute. Each cost
// is measured in six rounds, in which all that are compared take turns; the term is
// the mean of all but the least and the greatest, with a distribution-free interval of
// the median. It is to be left alone meanwhile: whatever else the process does is
// measured too.
//
// The errors are ErrNoCPUTime, that of the context, and those of drivers.
func Calibrate(ctx context.Context, progress Progress) (*Calibration, error) {
	return calibrate(ctx, usualEffort(), progress)
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

// environment returns what a calibration depends on.
func environment() map[string]string {
	env := map[string]string{}
	for _, p := range harness.Environment() {
		if p.Key != "date" {
			env[p.Key] = p.Value
		}
	}
	return env
}

// measurement is something that is measured once a round.
type measurement func() error

// inTurns lets all take turns for some rounds. Who begins changes from round to
// round, so that none is favoured by when its turn comes.
func (b *calibrator) inTurns(turns []measurement) error {
	for round := range b.rounds {
		for i := range turns {
			if err := b.ctx.Err(); err != nil {
				return err
			}
			if err := turns[(i+round)%len(turns)](); err != nil {
				return err
			}
		}
	}
	return nil
}

// rest sleeps for a while, and wakes up every few milliseconds as a program does
// that is at work.
func (b *calibrator) rest(d time.Duration) { b.restBy(d, busyEvery) }

// restBy sleeps for a while, and wakes up every so often.
func (b *calibrator) restBy(d, every time.Duration) {
	for end := b.Now() + d; b.Now() < end; {
		b.SleepUntil(min(b.Now()+every, end))
	}
}

const (
	// busyEvery is how often a program is awake that is at work.
	busyEvery = 5 * time.Millisecond
	// batchEvery is how often the program is awake whose workload is played (see
	// package live).
	batchEvery = time.Millisecond
)
