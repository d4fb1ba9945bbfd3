package costs

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/live"
)

// wakeupTicks are the ticks at which wake-ups are measured, in a program that does
// something every so often. The Go runtime's timers cannot keep one that is shorter
// than a millisecond; a longer one takes two sleeps of them. Those that come rarely can
// be told from noise only in a program that sleeps.
func wakeupTicks(of string, program time.Duration) []time.Duration {
	ticks := []time.Duration{time.Millisecond, 2 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond}
	if of == catalog.Precise.String() {
		ticks[0] = 200 * time.Microsecond
	}
	if program > 0 {
		return ticks[:3]
	}
	return ticks
}

const (
	leaveAlone = 5 * time.Millisecond // of a driver, before it is measured
	far        = 1000 * time.Hour     // that never comes
)

// window is how long a driver with a tick is watched: the longer, the less often it
// wakes.
func (b *calibrator) window(tick time.Duration) time.Duration {
	usual := 100 * time.Millisecond
	switch {
	case tick >= 100*time.Millisecond:
		usual = 500 * time.Millisecond
	case tick >= 5*time.Millisecond:
		usual = 280 * time.Millisecond
	}
	return max(b.length(usual), 2*tick)
}

// wakeups measures what a wake-up of a driver costs that finds nothing to do, in
// programs that do something now and then, and in one that sleeps. What such a
// program uses without a driver is taken off.
func (b *calibrator) wakeups() error {
	var all []*idleRun
	for _, program := range []time.Duration{0, busyEvery, batchEvery} {
		idle := &idleRun{program: program, length: b.window(busyEvery)}
		for _, of := range wakers() {
			for _, tick := range wakeupTicks(of, program) {
				all = append(all, &idleRun{program: program, length: b.window(tick), of: of, tick: tick, idle: idle})
			}
		}
	}
	return b.watchAll(all)
}

// wakers returns what wakes up: drivers by their ways of waiting, and a timer of the Go
// runtime, whose wake-up is all that it takes to fire it, and arming it again.
func wakers() (of []string) {
	for _, w := range catalog.Waitings() {
		of = append(of, w.String())
	}
	return append(of, catalog.RuntimeTimer)
}

// watchAll watches drivers, and what they are compared with, in turns, and notes what
// their wake-ups cost.
func (b *calibrator) watchAll(all []*idleRun) error {
	var turns []func() error
	seen := map[*idleRun]bool{}
	for _, w := range all {
		if !seen[w.idle] {
			seen[w.idle] = true
			turns = append(turns, func() error { return b.watch(w.idle) })
		}
		turns = append(turns, func() error { return b.watch(w) })
	}
	if err := b.inTurns(turns); err != nil {
		return err
	}
	for _, w := range all {
		w.noteCosts(&b.ledger)
	}
	return nil
}

// rising makes the costs of wake-ups rise with the time from one to the next, as
// they do, since all that is in the caches then gets colder, and with the sleeps the
// Go runtime needs: where noise has them fall, neighbours are given their mean, by
// how many wake-ups they rest on (the pool of adjacent violators). Rare wake-ups,
// which are measured worst, thus never come out cheaper than frequent ones.
func rising(terms []Term) {
	groups := map[Term][]int{}
	for i, t := range terms {
		if t.Name == TermWakeup {
			key := Term{Of: t.Of, Program: t.Program}
			groups[key] = append(groups[key], i)
		}
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b int) int { return cmp.Compare(terms[a].Every, terms[b].Every) })
		for _, part := range []func(*judge.Estimate) *float64{
			func(e *judge.Estimate) *float64 { return &e.Value },
			func(e *judge.Estimate) *float64 { return &e.Low },
			func(e *judge.Estimate) *float64 { return &e.High },
		} {
			pool(terms, group, part)
		}
	}
}

// pool makes one figure of some terms rise from one to the next.
func pool(terms []Term, group []int, part func(*judge.Estimate) *float64) {
	type block struct{ sum, weight, n float64 }
	var blocks []block
	for _, i := range group {
		weight := 1 / terms[i].Every.Seconds()
		blocks = append(blocks, block{*part(&terms[i].Seconds) * weight, weight, 1})
		for n := len(blocks); n > 1 && blocks[n-2].sum/blocks[n-2].weight > blocks[n-1].sum/blocks[n-1].weight; n-- {
			a, b := blocks[n-2], blocks[n-1]
			blocks = append(blocks[:n-2], block{a.sum + b.sum, a.weight + b.weight, a.n + b.n})
		}
	}
	for _, b := range blocks {
		for range int(b.n) {
			*part(&terms[group[0]].Seconds) = b.sum / b.weight
			group = group[1:]
		}
	}
}

// idleRun is a state of the process that is watched once a round: with a driver
// that ticks, or without one.
type idleRun struct {
	program time.Duration // how often it does something; 0 is never
	length  time.Duration
	of      string // what wakes up
	tick    time.Duration
	idle    *idleRun // the same without a driver; nil: there is none

	shares []float64 // of CPU time
	rates  []float64 // of wake-ups
}

// watch lets time pass, with a driver if there is to be one.
func (b *calibrator) watch(w *idleRun) error {
	wakeups, stop, err := w.start()
	if err != nil {
		return err
	}
	b.rest(leaveAlone, w.program)
	before, began, used := wakeups(), b.Now(), b.OthersCPU()
	b.rest(w.length, w.program)
	took, cpu := (b.Now() - began).Seconds(), (b.OthersCPU() - used).Seconds()
	w.shares = append(w.shares, cpu/took)
	w.rates = append(w.rates, float64(wakeups()-before)/took)
	return stop()
}

// start starts what is watched, and returns what counts its wake-ups, and what stops it.
func (w *idleRun) start() (wakeups func() uint64, stop func() error, err error) {
	switch {
	case w.idle == nil:
		return func() uint64 { return 0 }, func() error { return nil }, nil
	case w.of == catalog.RuntimeTimer:
		wakeups, stop = everyTick(w.tick)
		return wakeups, stop, nil
	}
	cfg := catalog.Config{Scheduler: catalog.Hier, Tick: w.tick, Slots: 256, Waking: catalog.Ticking}
	if w.of == catalog.Precise.String() {
		cfg.Waiting = catalog.Precise
	}
	d, err := cfg.Start()
	if err != nil {
		return nil, nil, err
	}
	_, err = d.AfterFunc(far, nothing)
	return func() uint64 { return d.Stats().Wakeups }, live.On(d, 0).Close, err
}

// noteCosts notes what a wake-up costs, once all rounds are over.
func (w *idleRun) noteCosts(l *ledger) {
	of := Term{Name: TermWakeup, Of: w.of, Every: w.tick, Program: w.program}
	idle := judge.TrimmedMean(w.idle.shares).Value
	for i, share := range w.shares {
		if w.rates[i] > 0 {
			l.note(of, (share-idle)/w.rates[i])
		}
	}
}

// kicks measures what it costs to cut a sleep short.
func (b *calibrator) kicks() error {
	var turns []func() error
	for _, waiting := range catalog.Waitings() {
		turns = append(turns, func() error { return b.kick(waiting) })
	}
	turns = append(turns, b.kickRuntime)
	return b.inTurns(turns)
}

// kick arms timers each of which is due before all earlier ones, and takes off
// what arming costs without that.
func (b *calibrator) kick(waiting catalog.Waiting) error {
	d, err := catalog.Config{Scheduler: catalog.Heap, Waiting: waiting}.Start()
	if err != nil {
		return err
	}
	if _, err := d.AfterFunc(far, func() {}); err != nil {
		return err
	}
	b.rest(leaveAlone, busyEvery)
	more, err := b.earlier(&filledDriver{d: d})
	if err != nil {
		return err
	}
	if kicks := d.Stats().Kicks; kicks > 0 {
		b.ledger.note(Term{Name: TermKick, Of: waiting.String()}, more.Seconds()/float64(kicks))
	}
	return live.On(d, 0).Close()
}

// earlier returns how much more CPU time it takes to arm timers each of which is due
// before all others than as many each of which is due after the one before.
func (b *calibrator) earlier(c *filledDriver) (time.Duration, error) {
	n := b.count(kicksInARow)
	earlier, err := b.armings(c, n, -time.Minute)
	later, wrong := b.armings(c, n, time.Second)
	return earlier - later, cmp.Or(err, wrong)
}

// kicksInARow is how many timers in a row are armed to be the first.
const kicksInARow = 40

// armings arms n timers, each by step later than the one before, and returns the
// CPU time that all took, without what the thread used for its sleeps.
func (b *calibrator) armings(c *filledDriver, n int, step time.Duration) (cpu time.Duration, err error) {
	used := b.OthersCPU()
	at := far / 2
	for range n {
		before := b.OwnCPU()
		t, err := c.arm(at, nothing)
		cpu += b.OwnCPU() - before
		if err != nil {
			return 0, err
		}
		c.timers = append(c.timers, t)
		at += step
		b.SleepUntil(b.Now() + 2*time.Millisecond)
	}
	return cpu + b.OthersCPU() - used, nil
}

// driftTick is the tick at which wake-ups are measured again: one with which they are
// many.
const driftTick = time.Millisecond

// Drift measures again, within two seconds, what a wake-up costs, by way of waiting,
// and returns it as a multiple of what it was when the machine was calibrated, as far
// as both are known. It tells a wrong model from a machine that is busier, or otherwise
// not what it was.
//
// The errors are those of Calibrate.
func Drift(ctx context.Context, cal *Calibration) (map[string]judge.Estimate, error) {
	drift := map[string]judge.Estimate{}
	err := OnClock(func(clock *live.Clock) error {
		b := &calibrator{ctx: ctx, Clock: clock, effort: effort{rounds: 6, share: 1}, random: rand.New(rand.NewPCG(1, 2))}
		idle := &idleRun{program: busyEvery, length: b.window(driftTick)}
		var all []*idleRun
		for _, waiting := range catalog.Waitings() {
			all = append(all, &idleRun{program: busyEvery, length: idle.length, of: waiting.String(), tick: driftTick, idle: idle})
		}
		if err := b.watchAll(all); err != nil {
			return err
		}
		for _, w := range all {
			now := judge.Mean(b.ledger.samples[Term{Name: TermWakeup, Of: w.of, Every: driftTick, Program: busyEvery}])
			if then := cal.Wakeup(w.of, driftTick, busyEvery); then.Value > 0 {
				drift[w.of] = multiple(now.AtLeast(0), then)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("drift: %w", err)
	}
	return drift, nil
}

// multiple returns how many times something is what it was, both of which are not
// negative.
func multiple(now, then judge.Estimate) judge.Estimate {
	return judge.Estimate{Value: now.Value / then.Value, Low: now.Low / then.High, High: now.High / then.Low}
}
