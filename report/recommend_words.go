package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/tune"
)

// name is what the waking is called.
func (p wakingCost) name() string {
	if p.tick() > 0 {
		return words.Span(float64(p.tick()))
	}
	return p.waking
}

// late and cpu write what was measured, with how far the blocks leave it open.
func (p wakingCost) late() string {
	e := p.Lateness
	return "p99 " + words.Interval(e.Value, e.Low, e.High, func(s float64) string { return words.Time(1e9 * s) })
}

func (p wakingCost) cpu() string {
	return "idle CPU " + words.Interval(p.CPU.Value, p.CPU.Low, p.CPU.High, words.Share)
}

// chosen says what the recommended tick gives.
func (r *Recommendation) chosen(p wakingCost, req requirement) string {
	var gives []string
	if p.timed() {
		gives = append(gives, p.late()+allowed(req.Lateness > 0, words.Time(float64(req.Lateness))))
	}
	if p.costed() {
		gives = append(gives, p.cpu()+allowed(req.CPU > 0, words.Share(req.CPU)))
	}
	return fmt.Sprintf("Tick for %s: %s, with %s", r.Impl, p.name(), strings.Join(gives, " and "))
}

func allowed(limited bool, limit string) string {
	if !limited {
		return ""
	}
	return " (at most " + limit + " allowed)"
}

// neighbours says what the next longer and the next shorter tick would give, and how
// those that meet the requirement compare with the one that is taken.
func neighbours(points []wakingCost, best int, req requirement) string {
	met := slices.DeleteFunc(slices.Clone(points), func(p wakingCost) bool { return p.meets() != judge.Holds })
	var said []string
	for _, i := range []int{best + 1, best - 1} {
		if i < 0 || i >= len(points) {
			continue
		}
		said = append(said, points[i].instead(req)+passedOver(points[i], points[best], met, req))
	}
	return strings.Join(said, "; ")
}

// passedOver says why a tick that meets the requirement was not taken: it is longer and
// not told to take less, or another is told to.
func passedOver(p, taken wakingCost, met []wakingCost, req requirement) string {
	d := req.more(p, taken, len(met))
	if p.meets() != judge.Holds || d.Blocks == 0 {
		return ""
	}
	said := ", " + req.compared(d, taken.name())
	switch {
	case d.Answer == judge.Slower:
	case p.tick() > taken.tick():
		said += ", so the shorter is taken"
	default:
		for _, other := range met {
			if d := req.more(p, other, len(met)); d.Answer == judge.Slower {
				return said + ", but " + req.compared(d, other.name())
			}
		}
	}
	return said
}

// more compares how much more CPU one takes than another, of so many.
func (r requirement) more(a, b wakingCost, of int) judge.Difference {
	return tune.MoreCPU(a.Measured, b.Measured, r.same, max(of*(of-1)/2, 1))
}

// compared says how much more CPU something takes than another, and whether that is told.
func (r requirement) compared(d judge.Difference, other string) string {
	return tune.SayMoreCPU(d, r.same, "it", other, "block")
}

// instead says what a waking gives and where it misses the requirement, or may.
func (p wakingCost) instead(req requirement) string {
	var gives []string
	if p.timed() {
		late := p.late()
		switch p.inTime {
		case judge.Fails:
			late += ", " + words.Time(1e9*(p.Lateness.Value-req.Lateness.Seconds())) + " too late"
		case judge.Undecided:
			late += mayBe("too late", p.Lateness, req.Lateness.Seconds())
		}
		gives = append(gives, late)
	}
	if p.costed() {
		cpu := p.cpu()
		switch p.cheap {
		case judge.Fails:
			cpu += ", more than allowed"
		case judge.Undecided:
			cpu += mayBe("more than allowed", p.CPU, req.CPU)
		}
		gives = append(gives, cpu)
	}
	return p.name() + " gives " + strings.Join(gives, ", and ")
}

// mayBe says that a limit may be broken, and what would tell.
func mayBe(what string, a judge.Average, limit float64) string {
	return fmt.Sprintf(", which may be %s (%s would tell)", what, moreBlocks(a.More(judge.AtMost(limit))))
}

// beside says what waiting without ticks gives beside the tick that is taken of so many,
// and recommends it where it does all that is asked for and is told to take less.
func beside(free *wakingCost, taken wakingCost, of int, req requirement) string {
	if free == nil {
		return ""
	}
	said := words.Capital(free.instead(req))
	if free.meets() != judge.Holds {
		return said
	}
	switch d := tune.MoreCPU(free.Measured, taken.Measured, req.same, of); {
	case d.Blocks == 0:
		return said + ": it meets the requirement too"
	case d.Answer == judge.Faster:
		return fmt.Sprintf("%s: it meets the requirement for less, by %s of a core (%s to %s), so take it unless something needs a tick",
			said, words.Share(-d.Value), words.Share(-d.High), words.Share(-d.Low))
	default:
		return said + ": it meets the requirement too, and " + req.compared(d, "the tick")
	}
}

// binding says which requirement no tick is told to meet, and what comes nearest.
func (r *Recommendation) binding(points []wakingCost, req requirement) string {
	only := func(wanted func(wakingCost) bool) []wakingCost {
		return slices.DeleteFunc(slices.Clone(points), func(p wakingCost) bool { return !wanted(p) })
	}
	open := only(func(p wakingCost) bool { return p.meets() == judge.Undecided })
	inTime, cheap := only(func(p wakingCost) bool { return p.inTime != judge.Fails }), only(func(p wakingCost) bool { return p.cheap != judge.Fails })
	timed, costed := only(wakingCost.timed), only(wakingCost.costed)
	none := "No measured tick of " + r.Impl + " meets the requirement"
	lateness := func(p wakingCost) float64 { return p.Lateness.Value }
	cpu := func(p wakingCost) float64 { return p.CPU.Value }
	switch {
	case req.Lateness > 0 && len(timed) == 0:
		return words.Sentences(none, "Lateness was not measured")
	case req.CPU > 0 && len(costed) == 0:
		return words.Sentences(none, "Idle CPU was not measured")
	case len(open) > 0:
		said := []string{"No measured tick of " + r.Impl + " is told to meet the requirement"}
		for _, p := range open {
			said = append(said, p.instead(req))
		}
		return words.Sentences(said...)
	case len(inTime) == 0:
		near := least(timed, lateness)
		return words.Sentences(none, fmt.Sprintf("The lateness binds: at most %s is asked for, and the nearest is %s at %s",
			words.Time(float64(req.Lateness)), near.late(), near.name()))
	case len(cheap) == 0:
		near := least(costed, cpu)
		return words.Sentences(none, fmt.Sprintf("The idle CPU binds: at most %s is asked for, and the nearest is %s at %s",
			words.Share(req.CPU), near.cpu(), near.name()))
	}
	return words.Sentences(none, "Each requirement can be met, but not both at once: "+
		least(inTime, cpu).instead(req)+"; "+least(cheap, lateness).instead(req))
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
