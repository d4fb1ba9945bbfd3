package harness

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// arrivals is the plan of a turn: when timers arrive and when they are due,
// from its start. All contestants get the same.
type arrivals struct {
	at, deadline []time.Duration
	// slow marks the timers whose tasks take long, by calling hold; how late they
	// are themselves is not recorded. Nil: none.
	slow []bool
	hold func()
}

// arrive draws Poisson arrivals for a slice.
func (s *session) arrive(round int) arrivals {
	return s.arriveBetween(fmt.Sprint("jitter", round), minDelay, maxDelay)
}

// arriveBetween draws Poisson arrivals for a slice, with delays from least to
// most. The first comes at once, so that the shortest slice has one.
func (s *session) arriveBetween(name string, least, most time.Duration) (a arrivals) {
	r := s.random(name)
	mean := float64(time.Second) / float64(s.plan.Rate)
	for at := time.Duration(0); at < s.plan.Slice; at += time.Duration(r.ExpFloat64() * mean) {
		a.at = append(a.at, at)
		a.deadline = append(a.deadline, at+least+time.Duration(r.Int64N(int64(most-least))))
	}
	return a
}

// end returns the last deadline.
func (a arrivals) end() time.Duration { return slices.Max(a.deadline) }

// isSlow reports whether the task of a timer takes long.
func (a arrivals) isSlow(i int) bool { return a.slow != nil && a.slow[i] }

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

// starter starts a timer.
type starter func(delay time.Duration, f func()) error

// openLoop hands over the timers of the round that a series has come to, and
// returns what is to be said of their lateness.
func (s *session) openLoop(series *Series, after starter, wait time.Duration) (map[string]float64, int, error) {
	return s.play(s.arrive(len(series.Iterations)), series, after, wait)
}

// play hands timers over as they arrive, waits for them, and returns what is to
// be said of their lateness.
func (s *session) play(a arrivals, series *Series, after starter, wait time.Duration) (map[string]float64, int, error) {
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
			if a.isSlow(i) {
				a.hold()
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
	for end := a.end() + wait; left.Load() > 0 && time.Since(start) < end; {
		if err := s.ctx.Err(); err != nil {
			return nil, 0, err
		}
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
		switch {
		case late < 0:
			values[Early]++
			record(series.Early, -late)
		case !a.isSlow(i):
			record(round, late)
		}
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
