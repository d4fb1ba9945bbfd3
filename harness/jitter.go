package harness

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/driver"
)

const (
	// Jitter cells ask for delays from minDelay to maxDelay.
	minDelay = time.Millisecond
	maxDelay = 100 * time.Millisecond

	// Timers are handed over in batches, each lead ahead of their arrivals, so
	// that neither the sleep of the one who hands them over makes one late nor
	// his waking up helps the others' to be early.
	batchEvery = 10 * time.Millisecond
	lead       = 2 * batchEvery

	// finestJitter is the tick of wheels that run tickless: short enough that
	// rounding up to it does not show.
	finestJitter = 20 * time.Microsecond

	// jitterHorizon leaves room for a clock that lags by a tick or a stall.
	jitterHorizon = 2 * time.Second

	// patience is how long after its tick a timer is waited for before it
	// counts as lost.
	patience = time.Second
	// presetTick is the longest tick that a preset is taken to have.
	presetTick = time.Second
)

// jitterCells returns the cell of lateness, of all contestants and all ways of
// waking, and those by way of sleeping.
func (p *Plan) jitterCells() []Cell {
	runners := p.runners()
	turn := p.Slice + maxDelay + 2*batchEvery
	cell := Cell{
		Experiment: Jitter,
		Name:       "jitter",
		Time:       time.Duration((len(runners)+1)*p.LiveRounds) * turn,
		run: func(s *session) (series []*Series, err error) {
			withoutGC(func() { series, err = s.jitter(runners) })
			return series, err
		},
	}
	return append([]Cell{cell}, p.waitingJitterCells()...)
}

// jitter runs a jitter cell.
func (s *session) jitter(runners []runner) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		series := s.jitterSeries(r.Name, r.waking)
		entrants = append(entrants, &entrant{series: series, turn: func() (int, map[string]float64, error) {
			return s.jitterTurn(r, s.arrive(len(series.Iterations)), series)
		}})
	}
	sleep := s.jitterSeries(SleepControl, NoWaking)
	entrants = append(entrants, &entrant{series: sleep, turn: func() (int, map[string]float64, error) {
		return s.sleepTurn(sleep)
	}})
	return interleave(s, s.plan.LiveRounds, entrants)
}

func (s *session) jitterSeries(impl, waking string) *Series {
	return newLateSeries(Jitter, Param{"impl", impl}, Param{"waking", waking}, Param{"rate", strconv.Itoa(s.plan.Rate)})
}

// newLateSeries returns a series with histograms of lateness.
func newLateSeries(experiment string, params ...Param) *Series {
	return &Series{Experiment: experiment, Params: params, Late: newHistogram(), Early: newHistogram()}
}

// newHistogram returns a histogram of durations up to a minute, exact to a
// thousandth.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Minute), 3)
}

// jitterTurn runs arrivals through a contestant.
func (s *session) jitterTurn(r runner, a arrivals, series *Series) (int, map[string]float64, error) {
	horizon := jitterHorizon
	if r.others > 0 {
		horizon += notYet + longest
	}
	d, err := r.start(finestJitter, horizon)
	if err != nil {
		return 0, nil, err
	}
	others := newLiveTimers(d)
	if err := others.fill(s.ctx, s.othersDelays(r.others)); err != nil {
		others.close()
		return 0, nil, fmt.Errorf("%s: %w", series.Name(), err)
	}
	defer others.close()
	woken := wakeupsOf(d)
	values, n, err := s.play(a, series, starterOf(d), r.patience())
	if d == nil {
		return n, values, err
	}
	if err == nil {
		values[WakeupsPerSecond] = (wakeupsOf(d) - woken) / a.end().Seconds()
	}
	return n, values, errors.Join(err, closeDriver(d))
}

// othersDelays returns delays of timers that are pending beside those measured.
func (s *session) othersDelays(n int) []time.Duration {
	f, delays := &flow{s.plan.Seed}, make([]time.Duration, n)
	for i := range delays {
		_, delays[i] = f.next(1)
	}
	return delays
}

// wakeupsOf returns how often the worker of a driver has woken; without a driver
// never.
func wakeupsOf(d *driver.Driver) float64 {
	if d == nil {
		return 0
	}
	return float64(d.Stats().Wakeups)
}

// starterOf returns what starts a timer of a driver, or of the runtime.
func starterOf(d *driver.Driver) starter {
	if d == nil {
		return func(delay time.Duration, f func()) error { time.AfterFunc(delay, f); return nil }
	}
	return func(delay time.Duration, f func()) error { _, err := d.AfterFunc(delay, f); return err }
}

// sleepTurn is the control: one goroutine that sleeps, and notes how late it
// wakes up.
func (s *session) sleepTurn(series *Series) (int, map[string]float64, error) {
	r := s.random(fmt.Sprint("sleep", len(series.Iterations)))
	round := newHistogram()
	before, metered := readUsage()
	start := time.Now()
	for time.Since(start) < s.plan.Slice {
		planned := time.Since(start) + minDelay + time.Duration(r.Int64N(int64(4*minDelay)))
		time.Sleep(planned - time.Since(start))
		record(round, time.Since(start)-planned)
	}
	took := time.Since(start)
	values := map[string]float64{Fired: float64(round.TotalCount()), Early: 0, Lost: 0, Doubled: 0}
	series.Late.Merge(round)
	addLateness(values, round)
	if now, _ := readUsage(); metered {
		values[CPUPerSecond] = float64(now.cpu-before.cpu) / took.Seconds()
	}
	return int(round.TotalCount()), values, nil
}
