package report

import (
	"math"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/tune"
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
	// a tick if any tick is told to meet the requirement, and tickless if only that is.
	Waking string
	// Tick is the recommended tick, 0 if there is none.
	Tick time.Duration
	// Feasible says that the recommended waking is told to meet the requirement.
	Feasible bool
	// TicklessBetter says that waiting without ticks meets the requirement too
	// and is told to take less: a tick is for who needs one.
	TicklessBetter bool
	// Reason says why in plain sentences.
	Reason string
}

// wakingCost is what one waking gives: the lateness of the 99th percentile in seconds, and
// the share of one core taken while nothing is due beyond what an idle process takes.
type wakingCost struct {
	waking string
	tune.Measured
	// inTime and cheap say whether it meets the requirement.
	inTime, cheap judge.Finding
}

func (p wakingCost) tick() time.Duration { return p.Config.Tick }

// meets says whether it meets all that is required.
func (p wakingCost) meets() judge.Finding { return judge.All(p.inTime, p.cheap) }

func (p wakingCost) timed() bool  { return !math.IsNaN(p.Lateness.Value) }
func (p wakingCost) costed() bool { return !math.IsNaN(p.CPU.Value) }

// requirement is what is asked for, as package tune has it, and what CPU shares may
// differ by and count as the same.
type requirement struct {
	tune.Requirements
	same float64
}

// recommend chooses the tick with the least idle CPU among those that meet the
// requirement, by the rules of package tune.
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
	asked := requirement{tune.Requirements{Percentile: 0.99, Lateness: req.P99, CPU: req.CPUShare}, v.sameIdle(r.Impl)}
	fixed, free := v.wakingCosts(r.Impl, asked)
	best := pick(fixed, asked)
	switch {
	case best >= 0:
		taken := fixed[best]
		r.Waking, r.Tick, r.Feasible = taken.waking, taken.tick(), true
		if free != nil && free.meets() == judge.Holds {
			r.TicklessBetter = tune.MoreCPU(free.Measured, taken.Measured, asked.same, len(fixed)).Answer == judge.Faster
		}
		r.Reason = words.Sentences(r.chosen(taken, asked), neighbours(fixed, best, asked), beside(free, taken, len(fixed), asked))
	case free != nil && free.meets() == judge.Holds:
		r.Waking, r.Feasible = free.waking, true
		r.Reason = words.Sentences(r.binding(fixed, asked), words.Capital(free.instead(asked))+": it meets the requirement, so take it")
	case free != nil:
		r.Reason = words.Sentences(r.binding(fixed, asked), words.Capital(free.instead(asked)))
	default:
		r.Reason = r.binding(fixed, asked)
	}
	return r
}

// wakingCosts returns what each waking of a contestant gives: its ticks, ascending,
// and the waking without one, nil if there is none.
func (v *view) wakingCosts(impl string, req requirement) (fixed []wakingCost, free *wakingCost) {
	of := func(waking string, tick time.Duration) (wakingCost, bool) {
		p := wakingCost{waking: waking}
		p.Config.Tick = tick
		p.Lateness = judge.GeometricMean(inSeconds(v.jitter(impl, waking).Blocks(harness.P99Late)))
		p.CPU = judge.Mean(v.idleBlocks(impl, waking, v.idlePending()))
		p.inTime, p.cheap = req.InTime(p.Lateness.Estimate), req.Cheap(p.CPU.Estimate)
		return p, p.timed() || p.costed()
	}
	if p, ok := of(harness.Tickless, 0); ok {
		free = &p
	}
	for _, tick := range durations(v.data.Series, "waking") {
		if p, ok := of(v.waking(tick), tick); ok {
			fixed = append(fixed, p)
		}
	}
	return fixed, free
}

// inSeconds converts figures in nanoseconds.
func inSeconds(ns []float64) (seconds []float64) {
	for _, v := range ns {
		seconds = append(seconds, v/1e9)
	}
	return seconds
}

// sameIdle returns up to which difference shares of a contender are as good as each
// other: what nobody notices, or what it comes out from itself if it was measured
// twice, built separately.
func (v *view) sameIdle(impl string) float64 {
	same := judge.Imperceptible
	for _, waking := range harness.Distinct(v.data.Select(harness.Idle, "impl="+impl+harness.AgainSuffix), "waking") {
		own, twice := v.idleBlocks(impl, waking, v.idlePending()), v.idleBlocks(impl+harness.AgainSuffix, waking, v.idlePending())
		if d := judge.Differ(twice, own, same, judge.Terms{}); d.Blocks > 0 {
			same = max(same, math.Abs(d.Value))
		}
	}
	return same
}

// pick returns the tick that package tune takes of those that meet the requirement, and
// -1 if none is told to.
func pick(points []wakingCost, req requirement) int {
	var met []tune.Measured
	for _, p := range points {
		if p.meets() == judge.Holds {
			met = append(met, p.Measured)
		}
	}
	i := tune.PickTick(met, req.same)
	if i < 0 {
		return -1
	}
	return slices.IndexFunc(points, func(p wakingCost) bool { return p.tick() == met[i].Config.Tick })
}
