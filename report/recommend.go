package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
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
	// a tick if any tick meets the requirement, and tickless if only that does.
	Waking string
	// Tick is the recommended tick, 0 if there is none.
	Tick time.Duration
	// Feasible says that the recommended waking meets the requirement.
	Feasible bool
	// TicklessBetter says that waiting without ticks meets the requirement too
	// and takes less: a tick is for who needs one.
	TicklessBetter bool
	// Reason says why in plain sentences.
	Reason string
}

// wakingCost is what one waking gives.
type wakingCost struct {
	waking string
	tick   time.Duration // 0 for tickless
	// p99 is the 99th percentile of lateness in nanoseconds, cpu the share of one
	// core taken while nothing is due beyond what an idle process takes.
	p99, cpu judge.Summary
	// inTime and cheap say whether the upper ends of the intervals meet the
	// requirement.
	inTime, cheap bool
}

func (p wakingCost) feasible() bool { return p.inTime && p.cheap }

// recommend chooses the tick with the least idle CPU among those that meet the
// requirement, by the rules of package tune.
func (v *view) recommend(req Requirement) Recommendation {
	r := Recommendation{Impl: v.subject()}
	if r.Impl == "" {
		r.Reason = "No contestant was measured with a tick, so none can be recommended."
		return r
	}
	fixed, free := v.wakingCosts(r.Impl, req)
	if req == (Requirement{}) {
		r.Reason = "No requirement was given, so no tick is recommended."
		return r
	}
	best := choose(r.Impl, fixed, req)
	switch {
	case best >= 0:
		r.Waking, r.Tick, r.Feasible = fixed[best].waking, fixed[best].tick, true
		r.TicklessBetter = free != nil && free.feasible() && free.cpu.Upper() < fixed[best].cpu.Upper()
		r.Reason = words.Sentences(r.chosen(fixed, best, req), neighbours(fixed, best, req), r.free(free, req))
	case free != nil && free.feasible():
		r.Waking, r.Feasible = free.waking, true
		r.Reason = words.Sentences(r.binding(fixed, req), r.free(free, req))
	default:
		r.Reason = words.Sentences(r.binding(fixed, req), r.free(free, req))
	}
	return r
}

// wakingCosts returns what each waking of a contestant gives: its ticks, ascending,
// and the waking without one, nil if there is none.
func (v *view) wakingCosts(impl string, req Requirement) (fixed []wakingCost, free *wakingCost) {
	pending := v.idlePending()
	of := func(waking string, tick time.Duration) (wakingCost, bool) {
		p := wakingCost{
			waking: waking, tick: tick,
			p99: summary(v.jitter(impl, waking), harness.P99Late),
			cpu: v.idleShare(impl, waking, pending),
		}
		p.inTime, p.cheap = p.p99.Meets(float64(req.P99)), p.cpu.Meets(req.CPUShare)
		return p, p.p99.N > 0 || p.cpu.N > 0
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

// choose returns the tick that package tune chooses among those measured, and -1
// if none meets the requirement.
func choose(impl string, points []wakingCost, req Requirement) int {
	measured := make([]tune.Measured, len(points))
	for i, p := range points {
		c := catalog.Fit(impl, harness.Geometry{Tick: p.tick, Horizon: harness.JitterHorizon})
		c.Waking = catalog.Ticking
		c.Tick = p.tick // of a scheduler of one's own too
		measured[i] = tune.Measured{Config: c, Lateness: estimate(p.p99, 1e-9), CPU: estimate(p.cpu, 1)}
	}
	c := tune.Among(measured, tune.Requirements{Percentile: 0.99, Lateness: req.P99, CPU: req.CPUShare})
	if c.Pick == nil {
		return -1
	}
	return slices.IndexFunc(points, func(p wakingCost) bool { return p.tick == c.Pick.Config.Tick })
}

// estimate returns what a summary is judged by, in another unit.
func estimate(s judge.Summary, unit float64) judge.Estimate {
	if s.N == 0 {
		return judge.Estimate{Value: math.NaN()}
	}
	if !s.Bounded() {
		return judge.Estimate{Value: s.Median * unit, Low: s.Median * unit, High: s.Median * unit}
	}
	return judge.Estimate{Value: s.Median * unit, Low: s.Low * unit, High: s.High * unit}
}

// chosen says what the recommended tick gives.
func (r *Recommendation) chosen(points []wakingCost, best int, req Requirement) string {
	p := points[best]
	var gives []string
	if p.p99.N > 0 {
		gives = append(gives, "p99 "+figure3(p.p99, words.Nanos)+allowed(req.P99 > 0, words.Nanos(float64(req.P99))))
	}
	if p.cpu.N > 0 {
		gives = append(gives, "idle CPU "+figure3(p.cpu, words.Percent)+allowed(req.CPUShare > 0, words.Percent(req.CPUShare)))
	}
	return fmt.Sprintf("Tick for %s: %s, with %s", r.Impl, words.Span(float64(p.tick)), strings.Join(gives, " and "))
}

func allowed(limited bool, limit string) string {
	if !limited {
		return ""
	}
	return " (at most " + words.Trimmed(limit) + " allowed)"
}

// figure3 writes what a summary is judged by.
func figure3(s judge.Summary, f words.Format) string { return words.Trimmed(f(s.Upper())) }

// neighbours says what the next longer and the next shorter tick would give.
func neighbours(points []wakingCost, best int, req Requirement) string {
	var said []string
	for _, i := range []int{best + 1, best - 1} {
		if i >= 0 && i < len(points) {
			said = append(said, points[i].instead(req))
		}
	}
	return strings.Join(said, "; ")
}

// instead says what a point gives and where it misses the requirement.
func (p wakingCost) instead(req Requirement) string {
	name := p.waking
	if p.tick > 0 {
		name = words.Span(float64(p.tick))
	}
	var late, cpu string
	if p.p99.N > 0 {
		late = "p99 " + figure3(p.p99, words.Nanos)
		if !p.inTime {
			late += ", " + words.Time(p.p99.Upper()-float64(req.P99)) + " too late"
		}
	}
	if p.cpu.N > 0 {
		cpu = "idle CPU " + figure3(p.cpu, words.Percent)
		if !p.cheap {
			cpu += ", more than allowed"
		}
	}
	switch {
	case late == "":
		return name + " gives " + cpu
	case cpu == "":
		return name + " gives " + late
	}
	return name + " gives " + late + ", and " + cpu
}

// free says what waiting without ticks gives, and recommends it where it does
// all that is asked for less.
func (r *Recommendation) free(p *wakingCost, req Requirement) string {
	switch {
	case p == nil:
		return ""
	case r.TicklessBetter:
		return words.Capital(p.instead(req)) + ": it meets the requirement for less, so take it unless something needs a tick"
	case r.Feasible && r.Tick == 0:
		return words.Capital(p.instead(req)) + ": it meets the requirement, so take it"
	}
	return words.Capital(p.instead(req))
}

// binding says which requirement no tick meets, and what comes nearest.
func (r *Recommendation) binding(points []wakingCost, req Requirement) string {
	only := func(wanted func(wakingCost) bool) []wakingCost {
		return slices.DeleteFunc(slices.Clone(points), func(p wakingCost) bool { return !wanted(p) })
	}
	inTime, cheap := only(func(p wakingCost) bool { return p.inTime }), only(func(p wakingCost) bool { return p.cheap })
	timed, costed := only(func(p wakingCost) bool { return p.p99.N > 0 }), only(func(p wakingCost) bool { return p.cpu.N > 0 })
	said := []string{"No measured tick of " + r.Impl + " meets the requirement"}
	switch {
	case req.P99 > 0 && len(timed) == 0:
		said = append(said, "Lateness was not measured")
	case req.CPUShare > 0 && len(costed) == 0:
		said = append(said, "Idle CPU was not measured")
	case len(inTime) == 0:
		near := least(timed, func(p wakingCost) float64 { return p.p99.Upper() })
		said = append(said, fmt.Sprintf("The lateness binds: at most %s is asked for, and the nearest is %s at %s",
			words.Time(float64(req.P99)), figure3(near.p99, words.Nanos), words.Span(float64(near.tick))))
	case len(cheap) == 0:
		near := least(costed, func(p wakingCost) float64 { return p.cpu.Upper() })
		said = append(said, fmt.Sprintf("The idle CPU binds: at most %s is asked for, and the nearest is %s at %s",
			words.Share(req.CPUShare), figure3(near.cpu, words.Percent), words.Span(float64(near.tick))))
	default:
		late := least(inTime, func(p wakingCost) float64 { return p.cpu.Upper() })
		dear := least(cheap, func(p wakingCost) float64 { return p.p99.Upper() })
		said = append(said, "Each requirement is met, but not both at once: "+late.instead(req)+"; "+dear.instead(req))
	}
	return words.Sentences(said...)
}

// least returns the point with the least of something, which may be unknown.
func least(points []wakingCost, of func(wakingCost) float64) wakingCost {
	best := points[0]
	for _, p := range points[1:] {
		if of(p) < of(best) || math.IsNaN(of(best)) {
			best = p
		}
	}
	return best
}
