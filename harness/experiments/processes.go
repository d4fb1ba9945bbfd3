package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/live"
)

const (
	warmPairs     = 1_000_000   // before pairs are measured
	warmPlay      = 100_000     // before timers are played
	processQuiet  = time.Second // before a process is measured idle: it goes on compiling
	aroundProcess = 1500 * time.Millisecond
)

func elsewhere(s *harness.Session, c harness.Contestant, f func(harness.Process) error) error {
	p, err := c.Launch(s.Ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(p), p.Close())
}

func playElsewhere(s *harness.Session, r variant, sl *live.Slice, o live.Options) (out *live.Outcome, err error) {
	err = elsewhere(s, r.Contestant, func(p harness.Process) (err error) {
		if err := p.Warm(s.Ctx, warmPlay); err != nil {
			return err
		}
		out, err = p.Play(s.Ctx, sl, o)
		return err
	})
	return out, err
}

// idleElsewhere measures a process with n far timers, and without any first: another language's runtime works too.
func idleElsewhere(s *harness.Session, r variant, n int) (iterations int, values rundata.Values, err error) {
	err = elsewhere(s, r.Contestant, func(p harness.Process) error {
		watch := func() { time.Sleep(s.Plan.Watch) }
		time.Sleep(processQuiet)
		empty := watchUsage(p.Usage, watch)
		if err := p.Fill(s.Ctx, n, notYet, s.Random(fmt.Sprint("idle", n)).Uint64()); err != nil {
			return err
		}
		time.Sleep(processQuiet)
		values = watchUsage(p.Usage, watch)
		values[rundata.EmptyCPUPerSecond], values[rundata.EmptySwitchesPerSecond] = empty[rundata.CPUPerSecond], empty[rundata.SwitchesPerSecond]
		return nil
	})
	return 1, values, err
}

// replaced replaces ops of n timers, and returns how long that took. A wrong answer is an error.
func replaced(ctx context.Context, p harness.Process, ops, n int, seed uint64) (time.Duration, error) {
	took, wrong, err := p.Replace(ctx, ops, seed)
	return took, cmp.Or(err, check.That(wrong == 0, wrongAnswers, wrong, ops, n, n))
}

// runElsewhere takes all turns of a block in its first round.
func (t *pairsTurn) runElsewhere(round int) (ops int, values rundata.Values, err error) {
	if round%harness.RoundsApart != 0 {
		return 0, nil, nil
	}
	seed := t.s.Random(fmt.Sprint(rundata.OpLivePair, t.n, t.goroutines, round)).Uint64()
	ops = liveOps(t.s.Plan, t.r.Contestant, t.n)
	err = elsewhere(t.s, t.r.Contestant, func(p harness.Process) error {
		if err := cmp.Or(p.Warm(t.s.Ctx, warmPairs), p.Fill(t.s.Ctx, t.n, notYet, seed)); err != nil {
			return err
		}
		if _, err := replaced(t.s.Ctx, p, t.n/2, t.n, seed+1); err != nil {
			return err
		}
		if _, _, err := p.Bytes(t.s.Ctx); err != nil { // it collects garbage, as the harness does before other turns
			return err
		}
		before, metered := p.Usage()
		took, err := replaced(t.s.Ctx, p, ops, t.n, seed+2)
		if err != nil {
			return err
		}
		values = rundata.Values{rundata.NsPerOp: float64(took.Nanoseconds()) / float64(ops)}
		if metered {
			time.Sleep(presetQuiet) // work that it put off is charged too, at its next tick
			after, _ := p.Usage()
			values[rundata.CPUPerOp] = float64(after.CPU-before.CPU) / float64(ops)
		}
		return nil
	})
	return ops, values, err
}

func weighElsewhere(s *harness.Session, c harness.Contestant, n int) (iterations int, values rundata.Values, err error) {
	err = elsewhere(s, c, func(p harness.Process) error {
		empty, _, err := p.Bytes(s.Ctx)
		if err != nil {
			return err
		}
		seed := s.Random(fmt.Sprint("memory", n)).Uint64()
		if err := p.Fill(s.Ctx, n, beyond(n)/2, seed); err != nil {
			return err
		}
		time.Sleep(presetQuiet)
		filled, collection, err := p.Bytes(s.Ctx)
		if err != nil {
			return err
		}
		if _, err := replaced(s.Ctx, p, n, n, seed+1); err != nil {
			return err
		}
		time.Sleep(presetQuiet)
		churned, _, err := p.Bytes(s.Ctx)
		perTimer := func(heap float64) float64 { return (heap - empty) / float64(n) }
		values = rundata.Values{rundata.BytesPerTimer: perTimer(filled), rundata.ChurnedPerTimer: perTimer(churned), rundata.GCNs: float64(collection)}
		return err
	})
	return n, values, err
}
