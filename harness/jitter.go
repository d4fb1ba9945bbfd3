package harness

import (
	"fmt"
	"time"

	"schedbench/live"
)

// Jitter asks how late timers fire that arrive at random.
const Jitter = "Jitter"

// JitterHorizon is for how far ahead a scheduler is made of which lateness is
// measured.
const JitterHorizon = slackOfClock

const (
	// Jitter cells ask for delays from minDelay to maxDelay, or from leastPrecise where
	// ways of sleeping are compared.
	minDelay     = time.Millisecond
	maxDelay     = 100 * time.Millisecond
	leastPrecise = 200 * time.Microsecond

	// finestTick is the tick of wheels that run tickless: short enough that
	// rounding up to it does not show.
	finestTick = 20 * time.Microsecond

	// latenessAbreast is how many participants are played at the same time, each in a process of
	// its own, where lateness is measured: so few that their lateness is what it is alone. See
	// docs/decisions/0033.
	latenessAbreast = 14

	// aroundPlay is what a turn on the clock takes besides what is played.
	aroundPlay = 20 * time.Millisecond
)

// jitterCells returns the cell of lateness, of all contestants and all ways of
// waking, that of short delays, and those by way of sleeping.
func (p *Plan) jitterCells() []Cell {
	runners := p.runners()
	turn := p.Slice + maxDelay + aroundPlay
	cells := []Cell{turnsCell(Jitter, "jitter", len(runners)+1, turn, func(s *session) []*competitor {
		list := each(runners, func(r runner) *competitor {
			series := newLateSeries(Jitter, "impl", r.Name, "waking", r.waking, "rate", p.Rate)
			return s.jitterCompetitor(r, series, "jitter", minDelay)
		})
		sleep := newLateSeries(Jitter, "impl", SleepControl, "waking", NoWaking, "rate", p.Rate)
		return append(list, &competitor{series: sleep, turn: func(round int) (int, sample, error) {
			return s.sleepTurn(sleep, round)
		}})
	}).launching(runners).withoutGC().sideBySide(p, latenessAbreast)}
	cells = append(cells, p.shortCells()...)
	if !p.compareWaiting() {
		return cells
	}
	for _, others := range p.others() {
		turn := turn + time.Duration(others)*400
		name := fmt.Sprintf("jitter-waiting-%d", others)
		cells = append(cells, runnersCell(Jitter, name, p.waitingRunners(), turn, func(s *session, r runner) *competitor {
			r.others = others
			series := newLateSeries(Jitter, "impl", r.Name, "waking", r.waking, "waiting", r.name, "rate", p.Rate, "pending", others)
			return s.jitterCompetitor(r, series, "waiting", leastPrecise)
		}).withoutGC().sideBySide(p, latenessAbreast))
	}
	return cells
}

// jitterCompetitor has a runner fire arrivals with delays from least on, different ones
// in each round.
func (s *session) jitterCompetitor(r runner, series *Series, arrivals string, least time.Duration) *competitor {
	return &competitor{series: series, turn: func(round int) (int, sample, error) {
		return s.jitterTurn(r, series, s.arrive(fmt.Sprint(arrivals, round), s.plan.Slice, s.plan.Rate, least), nil)
	}}
}

// arrive draws Poisson arrivals for a while, so many a second, with delays from least to
// maxDelay. All contestants get the same.
func (s *session) arrive(name string, length time.Duration, rate int, least time.Duration) *live.Slice {
	return live.Arrivals(s.arrivals(name, length, rate, least, maxDelay))
}

// arrivals draws when timers arrive, and their deadlines. The first comes at once, so that
// the shortest while has one.
func (s *session) arrivals(name string, length time.Duration, rate int, least, most time.Duration) (arrivals, deadlines []time.Duration) {
	r := s.random(name)
	mean := float64(time.Second) / float64(rate)
	for at := time.Duration(0); at < length; at += time.Duration(r.ExpFloat64() * mean) {
		arrivals = append(arrivals, at)
		deadlines = append(deadlines, at+least+time.Duration(r.Int64N(int64(most-least))))
	}
	return arrivals, deadlines
}

// jitterTurn has a runner fire arrivals. The tasks of those that are slow hold whatever
// runs them up; how late these are themselves does not count.
func (s *session) jitterTurn(r runner, series *Series, arrivals *live.Slice, slow *slowTasks) (int, sample, error) {
	o := live.Options{Patience: r.patience()}
	var counts func(int32) bool
	if slow != nil {
		o.Task = func(i int32) {
			if slow.is[i] {
				slow.hold()
			}
		}
		counts = func(i int32) bool { return !slow.is[i] }
	}
	out, values, err := s.play(r, series, arrivals, s.amidOthers(r, arrivals.Timers), o, counts)
	if err != nil {
		return 0, nil, err
	}
	r.addRates(values, out)
	addArming(values, out)
	return arrivals.Timers, values, nil
}

// amidOthers returns what makes n timers of a runner's, amid others that are pending.
func (s *session) amidOthers(r runner, n int) starter {
	return func(time.Duration) (live.Target, error) {
		horizon := JitterHorizon
		if r.others > 0 {
			horizon += notYet + longest
		}
		timers, err := r.start(finestTick, horizon)
		if err != nil {
			return nil, err
		}
		others := timers.population(notYet)
		if err := others.fill(s.ctx, r.others, (&splitMix{s.plan.Seed}).delay); err != nil {
			others.close()
			return nil, err
		}
		if r.Runtime {
			return amid{timers.target(n), others}, nil
		}
		return timers.target(n), nil // which ends with its driver
	}
}

// amid are timers of the runtime with others beside them, which end with them.
type amid struct {
	live.Target
	others population
}

// Close implements live.Target.
func (a amid) Close() error {
	a.others.close()
	return a.Target.Close()
}

// sleepTurn is the control: one goroutine that sleeps, and notes how late it
// wakes up.
func (s *session) sleepTurn(series *Series, round int) (int, sample, error) {
	r := s.random(fmt.Sprint("sleep", round))
	late := newHistogram()
	before, metered := live.ReadUsage()
	start := time.Now()
	for time.Since(start) < s.plan.Slice {
		planned := time.Since(start) + minDelay + time.Duration(r.Int64N(int64(4*minDelay)))
		time.Sleep(planned - time.Since(start))
		record(late, time.Since(start)-planned)
	}
	took := time.Since(start)
	values := sample{Fired: float64(late.TotalCount()), Early: 0, Lost: 0, Doubled: 0}
	series.Late.Merge(late)
	addLateness(values, late)
	if now, _ := live.ReadUsage(); metered {
		values[CPUPerSecond] = float64(now.CPU-before.CPU) / took.Seconds()
	}
	return int(late.TotalCount()), values, nil
}
