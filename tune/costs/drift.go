package costs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"schedbench/catalog"
	"schedbench/live"
)

// driftTick is the tick at which wake-ups are measured again: one with which they are
// many.
const driftTick = time.Millisecond

// Drift measures again, within two seconds, what a wake-up costs, by way of waiting,
// and returns it as a multiple of what it was when the machine was calibrated. It
// tells a wrong model from a machine that is busier, or otherwise not what it was.
//
// The errors are those of Calibrate.
func Drift(ctx context.Context, cal *Calibration) (map[string]float64, error) {
	now := map[string]float64{}
	err := OnClock(func(clock *live.Clock) error {
		b := &calibrator{ctx: ctx, Clock: clock, effort: effort{rounds: 6, share: 1}, random: rand.New(rand.NewPCG(1, 2))}
		idle := &idleRun{program: busyEvery, length: b.window(driftTick)}
		var all []*idleRun
		for _, waiting := range catalog.Waitings() {
			all = append(all, &idleRun{program: busyEvery, length: idle.length, waiting: waiting, tick: driftTick, idle: idle})
		}
		if err := b.watchAll(all); err != nil {
			return err
		}
		for _, w := range all {
			now[w.waiting.String()] = b.ledger.term(Term{Name: TermWakeup, Of: w.waiting.String(), Every: driftTick, Program: busyEvery}).Value
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("drift: %w", err)
	}
	for _, waiting := range catalog.Waitings() {
		if then := cal.Wakeup(waiting, driftTick, busyEvery).Value; then > 0 {
			now[waiting.String()] /= then
		} else {
			delete(now, waiting.String())
		}
	}
	return now, nil
}
