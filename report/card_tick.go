package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
)

// cardTick returns what ticks give, and which is recommended; nil if no tick was measured.
func (v *view) cardTick() *CardTick {
	impl := v.subject()
	if impl == "" {
		return nil
	}
	req := v.opt.Requirement
	fixed, free := v.wakingCosts(impl, req.limits())
	if len(fixed) == 0 {
		return nil
	}
	t := &CardTick{Name: impl, P99: Figure(req.P99.Seconds()), CPU: Figure(req.CPUShare), Least: Figure(v.leastIdle())}
	if best := longest(fixed); best >= 0 && req != (Requirement{}) {
		t.Tick = fixed[best].name()
	}
	if free != nil {
		fixed = append(fixed, *free)
	}
	for _, p := range fixed {
		t.Ticks = append(t.Ticks, CardTickGives{Tick: p.name(), P99: Figure(p.late.Value), CPU: Figure(p.cpu.Value), Meets: p.meets().String()})
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

// tickWords say which tick to choose: the recommended one first, then all others.
func (c *Card) tickWords() string {
	t := c.Tick
	if t == nil {
		return ""
	}
	chosen := max(slices.IndexFunc(t.Ticks, func(g CardTickGives) bool { return g.Tick == t.Tick }), 0)
	first := t.gives(t.Ticks[chosen], true)
	var others []string
	for _, g := range slices.Delete(slices.Clone(t.Ticks), chosen, chosen+1) {
		others = append(others, t.gives(g, false))
	}
	of := " (all with " + t.Name + ")"
	switch limits := t.limits(); {
	case t.Tick != "":
		first += "; the longest that keeps the limits (" + limits + ")" + "\n"
	case limits != "":
		first = "no measured tick clearly keeps the limits (" + limits + ")\n" + first + "; "
	default:
		first += "; "
	}
	return strings.TrimRight(first+strings.Join(others, "; "), "; \n") + of
}

// limits writes the limits of a tick as flags.
func (t *CardTick) limits() string {
	var flags []string
	if t.P99 > 0 {
		flags = append(flags, "--p99 "+words.Span(float64(time.Second)*float64(t.P99)))
	}
	if t.CPU > 0 {
		flags = append(flags, "--cpu "+words.Number(100*float64(t.CPU))+"%")
	}
	return strings.Join(flags, " ")
}

// gives says what a tick gives, in full or in short.
func (t *CardTick) gives(g CardTickGives, full bool) string {
	most, late, idle := "", "", ""
	if full {
		most, late, idle = "99 % of timers at most ", " late", " of a core while idle"
	}
	var parts []string
	if g.P99.known() {
		parts = append(parts, most+words.Time(1e9*float64(g.P99))+late)
	}
	switch {
	case !g.CPU.known():
	case g.CPU < t.Least:
		parts = append(parts, "under "+words.Share(float64(t.Least))+idle)
	default:
		parts = append(parts, words.Share(float64(g.CPU))+idle)
	}
	name := g.Tick
	if name == rundata.Tickless {
		name = "without"
	}
	return fmt.Sprintf("%s: %s", name, strings.Join(parts, ", "))
}
