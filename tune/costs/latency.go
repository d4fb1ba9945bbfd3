package costs

import (
	"maps"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/live"
)

// latencies measures how late a sleep ends, of a driver without ticks whose
// timers come one by one. Each quantile is the median of those of the rounds, so
// that what disturbs one of them does not count. Precise sleeps that are brief are
// measured apart: while it lasts the thread that waits has not yet fallen asleep.
func (b *calibrator) latencies() error {
	usual := func() time.Duration {
		return 200*time.Microsecond + time.Duration(b.random.ExpFloat64()*float64(800*time.Microsecond))
	}
	brief := func() time.Duration { return time.Duration(1 + b.random.Int64N(2*int64(BriefSleep))) }
	late := map[string][][]float64{}
	var turns []func() error
	for _, kind := range []struct {
		name    string
		waiting catalog.Waiting
		n       int
		gap     func() time.Duration
		longest time.Duration // 0: any
	}{
		{catalog.Runtime.String(), catalog.Runtime, 500, usual, 0}, {catalog.Precise.String(), catalog.Precise, 500, usual, 0},
		{PreciseBrief, catalog.Precise, 2000, brief, BriefSleep},
	} {
		turns = append(turns, func() error {
			some, err := b.lateness(kind.waiting, b.count(kind.n), kind.gap, kind.longest)
			if len(some) > 0 {
				late[kind.name] = append(late[kind.name], judge.Quantiles(some, latencyQuantiles))
			}
			return err
		})
	}
	if err := b.inTurns(turns); err != nil {
		return err
	}
	b.latency = map[string][]float64{}
	for _, name := range slices.Sorted(maps.Keys(late)) {
		rounds := late[name]
		for i := range latencyQuantiles {
			var of []float64
			for _, q := range rounds {
				of = append(of, q[i])
			}
			b.latency[name] = append(b.latency[name], judge.Median(of).Value)
		}
		for _, q := range rounds {
			b.ledger.note(Term{Name: TermLatency, Of: name}, judge.Quantile(q, 0.5))
		}
	}
	return nil
}

// latencyQuantiles is how many quantiles of a latency are kept.
const latencyQuantiles = 1001

// BriefSleep is how long a precise sleep is, at most, whose end the thread that waits
// meets before it has fallen asleep itself. On Linux half of these end 23 us late, and
// half of those that are only somewhat longer 38 us.
const BriefSleep = 20 * time.Microsecond

// lateness returns how late n timers of a driver fire, which are due one after
// another; if there is a longest, of those for which the worker went to sleep, and for
// less than that.
func (b *calibrator) lateness(waiting catalog.Waiting, n int, gap func() time.Duration, longest time.Duration) (late []float64, err error) {
	due, at := make([]time.Duration, n), time.Duration(0)
	for i := range due {
		at += gap()
		due[i] = at
	}
	slice := live.Pending(due)
	out, err := live.Play(b.ctx, b.Clock, slice, catalog.Config{Scheduler: catalog.Heap, Waiting: waiting}.Play(n), live.Options{})
	if err != nil {
		return nil, err
	}
	ran := due[0] // the last task
	for _, f := range out.Firings {
		if slept := f.Deadline - ran; longest == 0 || 0 < slept && slept < longest {
			late = append(late, f.Late().Seconds())
		}
		ran = f.At
	}
	return late, out.Check()
}
