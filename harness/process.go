package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"schedbench/live"
)

// Process is a process of its own that has timers: another language's, say. Each turn
// launches one, so that it is a block as any population. Its own clock says when its timers
// fired; what it uses is read from outside.
type Process interface {
	// Warm does so many operations on timers of the kind, and has some fire, so that what is
	// measured then is compiled and has come to its pace. It leaves nothing behind.
	Warm(ctx context.Context, ops int) error
	// Play plays a slice, and judges the answers. Of the options it minds Patience and
	// ToTheLast, and collects garbage once what is pending at the beginning is armed if Armed
	// is not nil.
	Play(context.Context, *live.Slice, live.Options) (*live.Outcome, error)
	// Fill arms n timers, with deadlines from further on and for an hour.
	Fill(ctx context.Context, n int, further time.Duration, seed uint64) error
	// Replace stops so many of them, drawn at random, and arms others in their place. It
	// returns how long the process took for that by its clock, and how many answers were wrong.
	Replace(ctx context.Context, ops int, seed uint64) (took time.Duration, wrong int, err error)
	// Flood arms and stops so many timers, one after another, that are due ahead, and then arms
	// one with a delay. It returns how late that fired, and how long the others took.
	Flood(ctx context.Context, ops int, ahead, delay time.Duration) (late, took time.Duration, err error)
	// Bytes collects garbage, and returns what is left on the heap, but for what the process
	// keeps to name timers, and how long that took.
	Bytes(context.Context) (heap float64, collection time.Duration, err error)
	// Usage returns what the process has used up to now. ok is false where the system does
	// not tell.
	Usage() (u live.Usage, ok bool)
	// Close ends the process.
	Close() error
}

const (
	// warmPairs is how many pairs a process does before it is measured at them, and warmPlay
	// before timers are played, which are fewer.
	warmPairs, warmPlay = 1_000_000, 100_000
	// processQuiet is how long a process is left alone before it is measured at rest: what runs
	// it goes on compiling for a while.
	processQuiet = time.Second
	// aroundProcess is what it takes to launch a process and have it warm.
	aroundProcess = 1500 * time.Millisecond
)

// launching returns how long it takes until the process of a runner can be measured, if it
// has one.
func (r runner) launching() time.Duration {
	if r.Launch == nil {
		return 0
	}
	return aroundProcess
}

// launching returns the cell with the time that it takes to launch processes in each block.
func (c Cell) launching(runners []runner) Cell {
	for _, r := range runners {
		c.Time += r.launching()
	}
	return c
}

// elsewhere launches the process of a contestant, has f use it, and ends it.
func (s *session) elsewhere(c Contestant, f func(Process) error) error {
	p, err := c.Launch(s.ctx)
	if err == nil {
		err = errors.Join(f(p), p.Close())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}

// playElsewhere plays a slice in the process of a runner.
func (s *session) playElsewhere(r runner, sl *live.Slice, o live.Options) (out *live.Outcome, err error) {
	err = s.elsewhere(r.Contestant, func(p Process) (err error) {
		if err := p.Warm(s.ctx, warmPlay); err != nil {
			return err
		}
		out, err = p.Play(s.ctx, sl, o)
		return err
	})
	return out, err
}

// idleElsewhere measures a process with n timers that are far away, and before without
// any: another language's runtime has work of its own.
func (s *session) idleElsewhere(r runner, n int) (iterations int, values sample, err error) {
	err = s.elsewhere(r.Contestant, func(p Process) error {
		time.Sleep(processQuiet)
		empty := watchUsage(p.Usage, s.plan.Watch)
		if err := p.Fill(s.ctx, n, notYet, s.random(fmt.Sprint("idle", n)).Uint64()); err != nil {
			return err
		}
		time.Sleep(processQuiet)
		values = watchUsage(p.Usage, s.plan.Watch)
		values[EmptyCPUPerSecond], values[EmptySwitchesPerSecond] = empty[CPUPerSecond], empty[SwitchesPerSecond]
		return nil
	})
	return 1, values, err
}

// runElsewhere is run for a process.
func (t *pairsTurn) runElsewhere(round int) (ops int, values sample, err error) {
	seed := t.s.random(fmt.Sprint(OpLivePair, t.n, t.goroutines, round)).Uint64()
	ops = t.s.plan.pairOps(t.r.Contestant, t.n)
	err = t.s.elsewhere(t.r.Contestant, func(p Process) error {
		if err := cmp.Or(p.Warm(t.s.ctx, warmPairs), p.Fill(t.s.ctx, t.n, notYet, seed)); err != nil {
			return err
		}
		if _, wrong, err := p.Replace(t.s.ctx, t.n/2, seed+1); err != nil || wrong > 0 {
			return errors.Join(err, unless(wrong == 0, wrongAnswers, wrong, t.n/2, t.n, t.n))
		}
		if _, _, err := p.Bytes(t.s.ctx); err != nil { // as garbage is collected before others' turns
			return err
		}
		before, metered := p.Usage()
		took, wrong, err := p.Replace(t.s.ctx, ops, seed+2)
		if err != nil {
			return err
		}
		values = sample{NsPerOp: float64(took.Nanoseconds()) / float64(ops)}
		if metered {
			time.Sleep(presetQuiet) // what it has put off is charged too, at its next tick
			after, _ := p.Usage()
			values[CPUPerOp] = float64(after.CPU-before.CPU) / float64(ops)
		}
		return unless(wrong == 0, wrongAnswers, wrong, ops, t.n, t.n)
	})
	if err == nil && t.weighed != nil && !t.s.knows(round/roundsApart) {
		n, weighed, err := t.s.weighElsewhere(t.r.Contestant, t.n)
		if err != nil {
			return 0, nil, err
		}
		t.weighed.add(round/roundsApart, n, weighed)
	}
	return ops, values, err
}

// weighElsewhere weighs n timers of a process.
func (s *session) weighElsewhere(c Contestant, n int) (iterations int, values sample, err error) {
	err = s.elsewhere(c, func(p Process) error {
		empty, _, err := p.Bytes(s.ctx)
		if err != nil {
			return err
		}
		seed := s.random(fmt.Sprint("memory", n)).Uint64()
		if err := p.Fill(s.ctx, n, beyond(n)/2, seed); err != nil {
			return err
		}
		time.Sleep(presetQuiet)
		filled, collection, err := p.Bytes(s.ctx)
		if err != nil {
			return err
		}
		if _, wrong, err := p.Replace(s.ctx, n, seed+1); err != nil || wrong > 0 {
			return errors.Join(err, unless(wrong == 0, wrongAnswers, wrong, n, n, n))
		}
		time.Sleep(presetQuiet)
		churned, _, err := p.Bytes(s.ctx)
		perTimer := func(heap float64) float64 { return (heap - empty) / float64(n) }
		values = sample{BytesPerTimer: perTimer(filled), ChurnedPerTimer: perTimer(churned), GCNs: float64(collection)}
		return err
	})
	return n, values, err
}
