package report

import (
	"math"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/report/card"
)

// cardTick returns what ticks give, and which is recommended; nil if no tick was measured.
func (v *view) cardTick() *card.Tick {
	impl := v.subject()
	if impl == "" {
		return nil
	}
	req := v.opt.Requirement
	fixed, free := v.wakingCosts(impl, req.limits())
	if len(fixed) == 0 {
		return nil
	}
	t := &card.Tick{Name: impl, P99: card.Figure(req.P99.Seconds()), CPU: card.Figure(req.CPUShare), Least: card.Figure(v.leastIdle())}
	if best := longest(fixed); best >= 0 && req != (Requirement{}) {
		t.Tick = fixed[best].name()
	}
	if free != nil {
		fixed = append(fixed, *free)
	}
	for _, p := range fixed {
		t.Ticks = append(t.Ticks, card.TickGives{Tick: p.name(), P99: card.Figure(p.late.Value), CPU: card.Figure(p.cpu.Value), Meets: p.meets().String()})
	}
	return t
}

// leastShare is the least share of a core that any run can measure.
const leastShare = 0.0005

// leastIdle is the least share of a core that the run can measure: it knows what the idle
// process takes no better.
func (v *view) leastIdle() float64 {
	process := judge.Mean(share(v.process(v.idlePending())))
	if reach := process.High - process.Value; reach > leastShare && !math.IsInf(reach, 1) {
		return reach
	}
	return leastShare
}

// ticklessMeets reports whether a choice keeps the limits without ticks. A contestant that has
// no ticks is not asked.
func (v *view) ticklessMeets(impl string) bool {
	if v.opt.Requirement == (Requirement{}) || impl == catalog.RuntimeTimer {
		return false
	}
	_, free := v.wakingCosts(impl, v.opt.Requirement.limits())
	return free != nil && free.timed() && free.costed() && free.meets() == judge.Holds
}
