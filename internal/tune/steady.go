package tune

import (
	"context"
	"errors"
	"math"
	"time"

	"schedbench/workload"
)

// FromSteady returns a workload of a harness.Plan, with the instant from which it is Steady. It has at least so many operations
// after that, unless o.For gives its length. A workload that is not scalable, such as a trace, stays as it is. known has
// steady instants found before, by the name of the workload.
func FromSteady(open func(workload.Options) (workload.Source, error), o workload.Options, least int, known map[string]time.Duration) (workload.Source, error) {
	s, err := open(o)
	if err != nil || !s.Scalable {
		return s, err
	}
	steady, ok := known[s.Name]
	if !ok {
		steady, err = steadyFrom(s)
	}
	if err != nil {
		return s, err
	}
	if o.For == 0 {
		if o.For = longEnough(s, steady, least); o.For > 0 {
			if s, err = open(o); err != nil {
				return s, err
			}
		}
	}
	s.Steady = steady
	return s, nil
}

// longEnough returns the length of a workload with the least operations after it is steady, or 0 if it is long enough.
func longEnough(s workload.Source, steady time.Duration, least int) time.Duration {
	rate := float64(s.Ops) / s.Length.Seconds()
	if least == 0 || rate == 0 {
		return 0
	}
	if length := steady + time.Duration(float64(least)/rate*float64(time.Second)); length > s.Length {
		return length
	}
	return 0
}

const (
	// steadyOps is about how many operations steadyFrom looks at, and steadyTimers the fewest pending timers.
	steadyOps    = 50_000
	steadyTimers = 500
)

// steadyFrom returns when a workload is steady: when the numbers of pending timers, operations and firings are. It looks
// at a smaller scale of a large workload, which leaves times as they are.
func steadyFrom(s workload.Source) (time.Duration, error) {
	var o workload.Options
	if s.Ops > steadyOps {
		o.Scale = min(1, max(steadyOps/float64(s.Ops), steadyTimers/max(float64(s.Pending), 1)))
	}
	stream, err := s.Open(o)
	if err != nil {
		return 0, err
	}
	width := max(s.Length/stretches, 1)
	pending, done, fired, err := stretchesOf(stream, width)
	skip := max(toSkip(pending), toSkip(done), toSkip(fired))
	return time.Duration(skip) * width, errors.Join(err, workload.Close(stream))
}

// stretches is the number of stretches of time that steadyFrom divides a workload into.
const stretches = 64

// stretchesOf returns, for each stretch of a stream, the timers pending when it began, its operations and its firings. A
// timer fires at its deadline, unless another operation on it comes first.
func stretchesOf(stream workload.Stream, width time.Duration) (pending, done, fired []float64, err error) {
	var deadlines []time.Duration // by timer
	var made, ops, fires [stretches + 1]float64
	var first float64 // pending from the beginning on
	var last time.Duration
	of := func(at time.Duration) int { return int(min(at/width, stretches)) }
	for block, err := range workload.Blocks(context.Background(), stream, 1024) {
		if err != nil {
			return nil, nil, nil, err
		}
		for _, op := range block {
			if more := int(op.Timer) + 1 - len(deadlines); more > 0 {
				deadlines = append(deadlines, make([]time.Duration, more)...)
			}
			now, change := of(op.At), 0.0
			if d := deadlines[op.Timer]; d > op.At {
				change--
				fires[of(d-1)]--
			}
			deadlines[op.Timer] = 0
			if op.Kind != workload.Cancel {
				d := op.At + min(op.Delay, math.MaxInt64-op.At)
				deadlines[op.Timer] = d
				change++
				fires[max(now, of(d-1))]++
			}
			if op.At == 0 {
				first += change
			} else {
				made[now] += change
				ops[now]++
			}
			last = op.At
		}
	}
	pending = append(pending, first)
	for i, more := range made[:of(last)] {
		pending = append(pending, pending[i]+more-fires[i])
	}
	return pending, ops[:of(last)], fires[:of(last)], nil
}

// steadier is how much smaller the error of a mean must become to leave out the beginning. Noise alone makes it a few
// percent smaller.
const steadier = 0.6

// toSkip returns how many of the first values to leave out for the mean of the others to be known best: the marginal
// standard error rule of K. P. White ("An Effective Truncation Heuristic for Bias Reduction in Simulation Output",
// Simulation 1997), which leaves out half of them at most. It leaves out none if that would help little. O(n).
func toSkip(list []float64) (skip int) {
	var n, sum, squares float64
	all, best := 0.0, math.Inf(1)
	for i := len(list) - 1; i >= 0; i-- {
		v := list[i]
		n, sum, squares = n+1, sum+v, squares+v*v
		all = max(squares-sum*sum/n, 0) / (n * n)
		if i <= len(list)/2 && all <= best {
			best, skip = all, i
		}
	}
	if best >= all*steadier {
		return 0
	}
	return skip
}
