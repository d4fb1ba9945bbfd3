package harness

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
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
)

// jitterCells returns the cell of lateness: all contestants, all ways of
// waking.
func (p *Plan) jitterCells() []Cell {
	runners := p.runners()
	turn := p.Slice + maxDelay + 2*batchEvery
	return []Cell{{
		Experiment: Jitter,
		Name:       "jitter",
		Time:       time.Duration((len(runners)+1)*p.LiveRounds) * turn,
		run: func(s *session) (series []*Series, err error) {
			withoutGC(func() { series, err = s.jitter(runners) })
			return series, err
		},
	}}
}

// jitter runs a jitter cell.
func (s *session) jitter(runners []runner) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		series := s.jitterSeries(r.Name, r.waking)
		entrants = append(entrants, &entrant{series: series, turn: func() (int, map[string]float64, error) {
			return s.jitterTurn(r, series)
		}})
	}
	sleep := s.jitterSeries("sleep", NoWaking)
	entrants = append(entrants, &entrant{series: sleep, turn: func() (int, map[string]float64, error) {
		return s.sleepTurn(sleep)
	}})
	return interleave(s, s.plan.LiveRounds, entrants)
}

func (s *session) jitterSeries(impl, waking string) *Series {
	return &Series{
		Experiment: Jitter,
		Params:     []Param{{"impl", impl}, {"waking", waking}, {"rate", strconv.Itoa(s.plan.Rate)}},
		Late:       newHistogram(),
		Early:      newHistogram(),
	}
}

// newHistogram returns a histogram of durations up to a minute, exact to a
// thousandth.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Minute), 3)
}

// arrivals is the plan of a turn: when timers arrive and when they are due,
// from its start. All contestants get the same.
type arrivals struct{ at, deadline []time.Duration }

// arrive draws Poisson arrivals for a slice. The first comes at once, so that
// the shortest slice has one.
func (s *session) arrive(round int) arrivals {
	r := s.random(fmt.Sprint("jitter", round))
	var a arrivals
	mean := float64(time.Second) / float64(s.plan.Rate)
	for at := time.Duration(0); at < s.plan.Slice; at += time.Duration(r.ExpFloat64() * mean) {
		a.at = append(a.at, at)
		a.deadline = append(a.deadline, at+minDelay+time.Duration(r.Int64N(int64(maxDelay-minDelay))))
	}
	return a
}

// firing is what became of a timer. It is written by the task: first when it
// fired first, and then how often it has, so that a task that comes while it is
// read leaves no time half written.
type firing struct {
	at    atomic.Int64
	times atomic.Int32
}

// fire notes that the timer has fired, and reports whether for the first time.
func (f *firing) fire(at time.Duration) bool {
	f.at.CompareAndSwap(0, int64(at))
	return f.times.Add(1) == 1
}

// jitterTurn runs one slice of open-loop arrivals through a contestant.
func (s *session) jitterTurn(r runner, series *Series) (int, map[string]float64, error) {
	d, err := r.start(finestJitter, jitterHorizon)
	if err != nil {
		return 0, nil, err
	}
	after := func(delay time.Duration, f func()) error { time.AfterFunc(delay, f); return nil }
	if d != nil {
		after = func(delay time.Duration, f func()) error { _, err := d.AfterFunc(delay, f); return err }
	}
	values, n, err := s.openLoop(series, after, r.tick+patience)
	if d == nil {
		return n, values, err
	}
	if err == nil {
		values[WakeupsPerSecond] = float64(d.Stats().Wakeups) / (s.plan.Slice + maxDelay).Seconds()
	}
	return n, values, errors.Join(err, closeDriver(d))
}

// openLoop hands timers over as they arrive, waits for them, and returns what
// is to be said of their lateness.
func (s *session) openLoop(series *Series, after func(time.Duration, func()) error, wait time.Duration) (map[string]float64, int, error) {
	a := s.arrive(len(series.Iterations))
	fired := make([]firing, len(a.at))
	tasks := make([]func(), len(a.at))
	var left atomic.Int64
	left.Store(int64(len(a.at)))
	var start time.Time
	for i := range tasks {
		tasks[i] = func() {
			if fired[i].fire(time.Since(start)) {
				left.Add(-1)
			}
		}
	}
	before, metered := readUsage()
	start = time.Now()
	for i := 0; i < len(tasks); time.Sleep(batchEvery) {
		for now := time.Since(start); i < len(tasks) && a.at[i] <= now+lead; i++ {
			if err := after(a.deadline[i]-time.Since(start), tasks[i]); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", series.Name(), err)
			}
		}
	}
	for left.Load() > 0 && time.Since(start) < s.plan.Slice+maxDelay+wait {
		time.Sleep(batchEvery)
	}
	took := time.Since(start)
	values := judge(a, fired, series)
	if now, _ := readUsage(); metered {
		values[CPUPerSecond] = float64(now.cpu-before.cpu) / took.Seconds()
	}
	return values, len(a.at), nil
}

// judge counts what went wrong and records how late the timers fired.
func judge(a arrivals, fired []firing, series *Series) map[string]float64 {
	values := map[string]float64{Early: 0, Lost: 0, Doubled: 0}
	round := newHistogram()
	for i := range fired {
		switch times := fired[i].times.Load(); {
		case times == 0:
			values[Lost]++
			continue
		case times > 1:
			values[Doubled]++
		}
		values[Fired]++
		late := time.Duration(fired[i].at.Load()) - a.deadline[i]
		if late < 0 {
			values[Early]++
			record(series.Early, -late)
			continue
		}
		record(round, late)
	}
	series.Late.Merge(round)
	addLateness(values, round)
	return values
}

// record adds a duration to a histogram. One beyond its range counts as the
// highest: the maximum is never trimmed away unseen.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(min(max(int64(d), 1), h.HighestTrackableValue()))
}

func addLateness(values map[string]float64, h *hdrhistogram.Histogram) {
	for unit, p := range map[string]float64{P50Late: 50, P90Late: 90, P99Late: 99, MaxLate: 100} {
		values[unit] = float64(h.ValueAtPercentile(p))
	}
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
