package report

import (
	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/judge"
	"schedbench/tune"
)

// required is what is required of a tick, with what its CPU shares may differ by.
func (v *view) required(impl string) requirement {
	req := v.opt.Requirement
	return requirement{tune.Requirements{Percentile: 0.99, Lateness: req.P99, CPU: req.CPUShare}, v.sameIdle(impl)}
}

// cardTick returns what ticks give, and which is recommended; nil if no tick was measured.
func (v *view) cardTick() *CardTick {
	impl := v.subject()
	if impl == "" {
		return nil
	}
	asked := v.required(impl)
	fixed, free := v.wakingCosts(impl, asked)
	if len(fixed) == 0 {
		return nil
	}
	t := &CardTick{Name: impl, P99: Figure(asked.Lateness.Seconds()), CPU: Figure(asked.CPU)}
	if v.opt.Requirement != (Requirement{}) {
		if best := pick(fixed, asked); best >= 0 {
			t.Tick = fixed[best].name()
		}
	}
	for _, p := range fixed {
		t.Ticks = append(t.Ticks, p.facts())
	}
	if free != nil {
		t.Ticks = append(t.Ticks, free.facts())
	}
	return t
}

// facts returns what a waking gives.
func (p wakingCost) facts() CardTickGives {
	gives := CardTickGives{Tick: p.name(), P99: Figure(p.Lateness.Value), CPU: Figure(p.CPU.Value), Meets: p.meets().String()}
	if p.CPU.Low <= 0 {
		gives.CPUAtMost = Figure(p.CPU.High)
	}
	return gives
}

// ticklessMeets reports whether a choice is told to meet what is required without ticks:
// which a scheduler without ticks has not to be asked.
func (v *view) ticklessMeets(impl string) bool {
	if v.opt.Requirement == (Requirement{}) || impl == catalog.RuntimeTimer {
		return false
	}
	_, free := v.wakingCosts(impl, v.required(impl))
	return free != nil && free.waking == harness.Tickless && free.timed() && free.costed() && free.meets() == judge.Holds
}
