package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/quantile"
	"schedbench/live"
)

const (
	minDelay     = time.Millisecond // of jitter cells
	maxDelay     = 100 * time.Millisecond
	leastPrecise = 200 * time.Microsecond // in place of minDelay where ways of sleeping are compared
	mostShort    = 5 * time.Millisecond   // the longest of the short delays, which begin at 0

	finestTick = 20 * time.Microsecond // of tickless wheels: rounding up to it does not show
	aroundPlay = 20 * time.Millisecond // of a turn besides the slice that it plays

	// latenessAbreast is how many processes of a lateness cell play at once: none makes another late. See docs/decisions/0033.
	latenessAbreast = 14
)

func init() {
	register(harness.Experiment{Name: rundata.Jitter, Cells: jitterCells, Reads: "cpu p99 pending ticks"})
}

// jitterCells returns the cells of all ways of waking, of short delays if the plan has them, and of ways of sleeping.
func jitterCells(p *harness.Plan) []harness.Cell {
	sleep := variant{Contestant: harness.Contestant{Name: rundata.SleepControl}, waking: rundata.NoWaking}
	cells := arrivingIn(p, "jitter", p.Slice, minDelay).cell(rundata.Jitter, "jitter", 0, append(variants(p), sleep), func(r variant) []any {
		return []any{"waking", r.waking, "rate", p.Rate}
	}).cells(p)
	if p.Short {
		cells = append(cells, arrivingShortly(p).cell(rundata.Jitter, "jitter-short", weightToExplain, withAA(tickless(p)), func(r variant) []any {
			return []any{"waking", r.waking, "rate", p.Rate, "delays", rundata.ShortDelays}
		}).cells(p)...)
	}
	if !compareWaiting(p) {
		return cells
	}
	for _, others := range others(p) {
		waiting := waitingVariants(p)
		for i := range waiting {
			waiting[i].others = others
		}
		cell := arrivingIn(p, "waiting", p.Slice, leastPrecise).cell(rundata.Jitter, fmt.Sprintf("jitter-waiting-%d", others), weightToExplain, waiting, func(r variant) []any {
			return []any{"waking", r.waking, "waiting", r.name, "rate", p.Rate, "pending", others}
		})
		cell.turn += time.Duration(others) * 400
		cells = append(cells, cell.cells(p)...)
	}
	return cells
}

// arriving is how the timers of a lateness cell arrive: others in each round, and the same for all contestants.
type arriving struct {
	name        string // of the random numbers
	length      time.Duration
	rate        int
	least, most time.Duration
	punctual    bool   // they arrive as planned, and not ahead of it
	slow        string // what slow tasks do; "" if there are none
}

// arrivingIn returns how timers of a plan arrive, ahead of their planned arrivals.
func arrivingIn(p *harness.Plan, name string, length, least time.Duration) arriving {
	return arriving{name: name, length: length, rate: p.Rate, least: least, most: maxDelay}
}

// arrivingShortly has short delays: timers that come first kick the worker. Lateness hardly depends on the scheduler.
func arrivingShortly(p *harness.Plan) arriving {
	return arriving{name: "short", length: p.Slice / 2, rate: p.Rate, most: mostShort, punctual: true}
}

func (a arriving) cell(experiment, name string, weight float64, variants []variant, params func(variant) []any) shared {
	cell := harness.Cell{Experiment: experiment, Name: name, NoGC: true, Abreast: latenessAbreast, Weight: weight}
	return shared{cell, variants, a.length + a.most + aroundPlay, played(experiment, params, a.turn)}
}

// draw draws Poisson arrivals. The first comes at once: even the shortest slice has one.
func (a arriving) draw(s *harness.Session, round int) *live.Slice {
	var arrivals, deadlines []time.Duration
	r := s.Random(fmt.Sprint(a.name, round))
	mean := float64(time.Second) / float64(a.rate)
	for at := time.Duration(0); at < a.length; at += time.Duration(r.ExpFloat64() * mean) {
		arrivals = append(arrivals, at)
		deadlines = append(deadlines, at+a.least+time.Duration(r.Int64N(int64(a.most-a.least))))
	}
	if a.punctual {
		return live.PunctualArrivals(arrivals, deadlines)
	}
	return live.Arrivals(arrivals, deadlines)
}

// turn plays arrivals with a variant. Slow tasks delay the others; their own lateness does not count.
func (a arriving) turn(s *harness.Session, r variant, series *rundata.Series, round int) (int, rundata.Values, error) {
	if r.Name == rundata.SleepControl {
		return sleepTurn(s, r, series, round)
	}
	arrivals, o := a.draw(s, round), live.Options{Patience: r.patience()}
	var counts func(int32) bool
	if a.slow != "" {
		slow, hold := slowOf(arrivals), holdOf(a.slow)
		o.Task = func(i int32) {
			if slow[i] {
				hold()
			}
		}
		counts = func(i int32) bool { return !slow[i] }
	}
	out, values, err := play(s, r, series, arrivals, amidOthers(s, r, arrivals.Timers), o, counts)
	if err != nil {
		return 0, nil, err
	}
	r.addRates(values, out)
	addArming(values, out)
	return arrivals.Timers, values, nil
}

// amidOthers returns a starter of n timers of a variant, among r.others timers that stay pending.
func amidOthers(s *harness.Session, r variant, n int) starter {
	return func(time.Duration) (live.Target, error) {
		horizon := slackOfClock
		if r.others > 0 {
			horizon += notYet + longest
		}
		target, err := r.target(finestTick, horizon, n+r.others)
		if err != nil {
			return nil, err
		}
		err = fill(look(s, r.others), r.others, (&splitMix{s.Plan.Seed}).delay, func(i int, d time.Duration) error {
			return target.Arm(int32(n+i), notYet+d, nothing)
		})
		if err != nil {
			return nil, errors.Join(err, target.Close())
		}
		return target, nil
	}
}

// sleepTurn is the control: a goroutine sleeps, and notes how late it wakes.
func sleepTurn(s *harness.Session, r variant, series *rundata.Series, round int) (int, rundata.Values, error) {
	random := s.Random(fmt.Sprint("sleep", round))
	out := &live.Outcome{Began: live.SystemClock()}
	before, metered := live.ReadUsage()
	start := time.Now()
	for time.Since(start) < s.Plan.Slice {
		planned := time.Since(start) + minDelay + time.Duration(random.Int64N(int64(4*minDelay)))
		time.Sleep(planned - time.Since(start))
		out.Firings = append(out.Firings, live.Firing{At: time.Since(start), Deadline: planned})
	}
	after, _ := live.ReadUsage()
	out.Fired, out.Took, out.CPU, out.Metered = len(out.Firings), time.Since(start), after.CPU-before.CPU, metered
	values, err := s.AddOutcome(series, out, nil)
	if err != nil {
		return 0, nil, err
	}
	r.addRates(values, out)
	return out.Fired, values, nil
}

// addArming adds how late timers were armed after their planned arrival, which may make them fire late, and the CPU time.
func addArming(values rundata.Values, out *live.Outcome) {
	if len(out.HandedLate) == 0 {
		return
	}
	late := rundata.NewHistogram()
	for _, l := range out.HandedLate {
		rundata.Record(late, l)
	}
	values[rundata.ArmedP50Late], values[rundata.ArmedP99Late] = float64(quantile.Of(late, 0.5)), float64(quantile.Of(late, 0.99))
	if out.Metered {
		values[rundata.ArmingCPU] = float64(out.PlayerCPU) / out.Took.Seconds()
	}
}

const (
	slowEvery = 100 * time.Millisecond // one task in each such time
	slowFor   = 10 * time.Millisecond  // takes so long

	slowSlice = 4 * slowEvery

	poolWorkers = 4
	poolQueue   = 1024
)

func runnings(harness.Contestant) []policy {
	return []policy{
		{rundata.RunInline, []driver.Option{driver.WithRunning(driver.Inline{})}},
		{rundata.RunGoroutine, []driver.Option{driver.WithRunning(driver.Goroutine{})}},
		{rundata.RunPool, []driver.Option{driver.WithRunning(driver.Pool{Workers: poolWorkers, Queue: poolQueue})}},
	}
}

func init() { register(harness.Experiment{Name: rundata.Slow, Cells: slowCells}) }

func slowCells(p *harness.Plan) (cells []harness.Cell) {
	variants := withAA(variantsOf(append(representatives(p), asTheyAre(p)...), runnings))
	for _, kind := range inFull(p, rundata.SlowSleeps, rundata.SlowBurns) {
		arrivals := arrivingIn(p, "jitter", slowSlice, minDelay)
		arrivals.slow = kind
		cells = append(cells, arrivals.cell(rundata.Slow, "slow-"+kind, weightToExplain, variants, func(r variant) []any {
			return []any{"running", r.name, "task", kind, "rate", p.Rate}
		}).cells(p)...)
	}
	return cells
}

// slowOf returns, by timer, whether its task is slow: the first due in the middle of each slowEvery is.
func slowOf(arrivals *live.Slice) []bool {
	slow, next := make([]bool, arrivals.Timers), slowEvery/2
	byDeadline := slices.SortedStableFunc(slices.Values(arrivals.Ops), func(a, b live.Op) int {
		return cmp.Compare(a.Deadline, b.Deadline)
	})
	for _, op := range byDeadline {
		if op.Deadline >= next {
			slow[op.Timer] = true
			next += (op.Deadline-next)/slowEvery*slowEvery + slowEvery
		}
	}
	return slow
}

func holdOf(kind string) func() {
	if kind == rundata.SlowSleeps {
		return func() { time.Sleep(slowFor) }
	}
	return func() {
		var sink uint64
		for start := time.Now(); time.Since(start) < slowFor; {
			sink += spin(1_000)
		}
	}
}
