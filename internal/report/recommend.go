package report

import (
	"math"
	"slices"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// Requirement is what a tick has to meet. Zero means that anything will do.
type Requirement struct {
	// P99 is the most that the 99th percentile of lateness may be.
	P99 time.Duration
	// CPUShare is the most of one core that waiting may take while nothing is
	// due: 0.01 is 1 %.
	CPUShare float64
}

// Recommendation is the tick to choose, among those measured, for a contestant.
type Recommendation struct {
	// Impl is the contestant whose ticks were compared.
	Impl string
	// Waking is the recommended waking as the data name it, "" for none. It is
	// a tick if any tick keeps the limits, and tickless if only that does.
	Waking string
	// Tick is the recommended tick, 0 if there is none.
	Tick time.Duration
	// Feasible says that the recommended waking keeps the limits with its whole 95 % interval.
	Feasible bool
	// TicklessBetter says that waiting without ticks keeps the limits too, and takes
	// significantly less CPU.
	TicklessBetter bool
	// Reason says why in plain sentences.
	Reason string
}

// wakingCost is what one waking gives.
type wakingCost struct {
	waking string
	tick   time.Duration // 0 without one
	// late is the 99th percentile of lateness, in seconds, and cpu the share of one core
	// taken while nothing is due, beyond what an idle process takes.
	late, cpu judge.Average
	// inTime and cheap say whether they keep the limits.
	inTime, cheap judge.Finding
}

// meets says whether it keeps all limits.
func (p wakingCost) meets() judge.Finding { return judge.All(p.inTime, p.cheap) }

func (p wakingCost) timed() bool  { return !math.IsNaN(p.late.Value) }
func (p wakingCost) costed() bool { return !math.IsNaN(p.cpu.Value) }

// limits are those of a requirement, as package tune has them.
func (r Requirement) limits() tune.Requirements {
	return tune.Requirements{Percentile: 0.99, Lateness: r.P99, CPU: r.CPUShare}
}

// recommend chooses the longest tick that keeps the limits.
func (v *view) recommend(req Requirement) Recommendation {
	r := Recommendation{Impl: v.subject()}
	if r.Impl == "" {
		r.Reason = "No contestant was measured with a tick, so none can be recommended."
		return r
	}
	if req == (Requirement{}) {
		r.Reason = "No requirement was given, so no tick is recommended."
		return r
	}
	limits := req.limits()
	fixed, free := v.wakingCosts(r.Impl, limits)
	best := longest(fixed)
	ticklessMeets := free != nil && free.meets() == judge.Holds
	switch {
	case best >= 0:
		r.Waking, r.Tick, r.Feasible = fixed[best].waking, fixed[best].tick, true
		r.TicklessBetter = ticklessMeets && judge.Differ(free.cpu.Blocks, fixed[best].cpu.Blocks, v.sameIdle(r.Impl), judge.Terms{}).Answer == judge.Faster
	case ticklessMeets:
		r.Waking, r.Feasible = free.waking, true
	}
	r.Reason = words.Sentences(r.ofTicks(fixed, best, limits), r.ofTickless(free, limits))
	return r
}

// longest returns the longest tick that keeps the limits, and -1 if none does.
func longest(fixed []wakingCost) int {
	for i, p := range slices.Backward(fixed) {
		if p.meets() == judge.Holds {
			return i
		}
	}
	return -1
}

// wakingCosts returns what each waking of a contestant gives: its ticks, ascending,
// and the waking without one, nil if there is none. CPU never grows with the tick.
func (v *view) wakingCosts(impl string, limits tune.Requirements) (fixed []wakingCost, free *wakingCost) {
	fixed = v.ticks(impl)
	falling(fixed)
	if p := v.wakingCost(impl, rundata.Tickless, 0); p.timed() || p.costed() {
		free = &p
		free.judge(limits)
	}
	for i := range fixed {
		fixed[i].judge(limits)
	}
	return fixed, free
}

func (p *wakingCost) judge(limits tune.Requirements) {
	p.inTime, p.cheap = limits.InTime(p.late.Estimate), limits.Cheap(p.cpu.Estimate)
}

// ticks returns what each tick gives as it was measured, ascending.
func (v *view) ticks(impl string) (fixed []wakingCost) {
	for _, tick := range durations(v.data.Series, "waking") {
		if p := v.wakingCost(impl, v.waking(tick), tick); p.timed() || p.costed() {
			fixed = append(fixed, p)
		}
	}
	return fixed
}

func (v *view) wakingCost(impl, waking string, tick time.Duration) wakingCost {
	return wakingCost{
		waking: waking, tick: tick,
		late: judge.GeometricMean(inSeconds(v.jitter(impl, waking).Blocks(rundata.P99Late))),
		cpu:  judge.Mean(v.idleBlocks(impl, waking, v.idlePending())),
	}
}

// inSeconds converts figures in nanoseconds.
func inSeconds(ns []float64) (seconds []float64) {
	for _, v := range ns {
		seconds = append(seconds, v/1e9)
	}
	return seconds
}

// sameIdle returns the largest difference of CPU shares of a contestant that counts as none:
// what counts as none, or what its A/A series differ by.
func (v *view) sameIdle(impl string) float64 {
	same := judge.Imperceptible
	for _, waking := range rundata.Distinct(v.data.Select(rundata.Idle, "impl="+impl+rundata.AASuffix), "waking") {
		own, twice := v.idleBlocks(impl, waking, v.idlePending()), v.idleBlocks(impl+rundata.AASuffix, waking, v.idlePending())
		if d := judge.Differ(twice, own, same, judge.Terms{}); d.Blocks > 0 {
			same = max(same, math.Abs(d.Value))
		}
	}
	return same
}
