package tune

import (
	"math"

	"schedbench/judge"
)

// Among returns the choice among configurations that were measured: by the rules of
// Choose, which apply to what is known of each. It assumes no limit where none is
// given, and has no Load, no Optima, and of what stands in the way only Infeasible.
// What was not measured, and is NaN, meets no limit. O(n log n).
func Among(measured []Measured, r Requirements) *Choice {
	known := make([]Prediction, len(measured))
	for i, m := range measured {
		known[i] = Prediction{Config: m.Config, CPU: m.CPU, Lateness: m.Lateness, Wakeups: m.Wakeups}
		known[i].assumeUnmeasured(r)
	}
	ch := &Choice{Asked: r, Requirements: r}
	ch.Requirements.Percentile = r.percentile()
	ch.All = filter(known, func(p *Prediction) bool { return r.allows(p.Config) })
	ch.rank()
	ch.Knee = knee(ch.All)
	if len(ch.Ranked) == 0 {
		ch.Infeasible = ch.obstacle(known)
		return ch
	}
	ch.pickBest()
	return ch
}

// unmeasured is the CPU that a tick of a second is taken to cost where it was not
// measured: more than any can.
const unmeasured = 1e6

// assumeUnmeasured fills in what is not known: a lateness without end, and a CPU
// that a longer tick has less of, so that ticks can be compared all the same.
func (p *Prediction) assumeUnmeasured(r Requirements) {
	if math.IsNaN(p.Lateness.Value) {
		p.Lateness = judge.Estimate{Value: math.Inf(1), Low: math.Inf(1), High: math.Inf(1)}
	}
	if math.IsNaN(p.CPU.Value) {
		cost := unmeasured / p.Config.Tick.Seconds()
		p.CPU = judge.Estimate{Value: cost, Low: cost, High: cost}
		if r.CPU > 0 {
			p.CPU.High = math.Inf(1)
		}
	}
}
