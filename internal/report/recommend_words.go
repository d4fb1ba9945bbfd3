package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/internal/judge"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// name is what the waking is called.
func (p wakingCost) name() string {
	if p.tick > 0 {
		return words.Span(float64(p.tick))
	}
	return p.waking
}

// ofTicks says what the recommended tick gives, and why the next longer one is not taken, or
// what all ticks give if none is.
func (r *Recommendation) ofTicks(fixed []wakingCost, best int, limits tune.Requirements) string {
	if best >= 0 {
		said := fmt.Sprintf("Tick for %s: %s, the longest measured that keeps the limits", r.Impl, fixed[best].name())
		return words.Sentences(append([]string{said}, allGive(fixed[best:min(best+2, len(fixed))], limits)...)...)
	}
	keeps := "keeps"
	if slices.ContainsFunc(fixed, func(p wakingCost) bool { return p.meets() == judge.Undecided }) {
		keeps = "clearly keeps"
	}
	said := fmt.Sprintf("No measured tick of %s %s the limits", r.Impl, keeps)
	return words.Sentences(append([]string{said}, allGive(fixed, limits)...)...)
}

func allGive(all []wakingCost, limits tune.Requirements) (said []string) {
	for _, p := range all {
		said = append(said, p.gives(limits))
	}
	return said
}

// ofTickless says what waiting without ticks gives, and recommends it where it keeps the limits
// and no tick does, or takes significantly less CPU than the tick.
func (r *Recommendation) ofTickless(free *wakingCost, limits tune.Requirements) string {
	if free == nil {
		return ""
	}
	said := words.Capital(free.gives(limits))
	switch {
	case free.meets() != judge.Holds:
		return said
	case r.Tick == 0:
		return said + ": take it"
	case r.TicklessBetter:
		return said + ": it takes less CPU, so take it unless something needs a tick"
	}
	return said + ": it keeps the limits too"
}

// gives says what a waking gives, and which limits it keeps.
func (p wakingCost) gives(limits tune.Requirements) string {
	var parts []string
	for _, f := range []figureOfWaking{
		{"p99", p.late, limits.Lateness.Seconds(), func(s float64) string { return words.Time(1e9 * s) }},
		{"idle CPU", p.cpu, limits.CPU, words.Share},
	} {
		if said := f.say(); said != "" {
			parts = append(parts, said)
		}
	}
	return p.name() + " gives " + strings.Join(parts, ", and ")
}

// figureOfWaking is a figure, with the most that it may be, 0 for anything.
type figureOfWaking struct {
	what  string
	of    judge.Average
	limit float64
	write words.Format
}

// say writes the figure with its interval, and whether it keeps its limit.
func (f figureOfWaking) say() string {
	if math.IsNaN(f.of.Value) {
		if f.limit > 0 {
			return f.what + " that was not measured"
		}
		return ""
	}
	e := f.of.AtLeast(0) // what is beyond the idle process may come out as less than nothing
	said, allowed := f.what+" "+words.Interval(e.Value, e.Low, e.High, f.write), judge.AtMost(f.limit)
	if f.limit <= 0 {
		return said
	}
	switch f.of.Is(allowed) {
	case judge.Holds:
		return fmt.Sprintf("%s, within the %s allowed", said, f.write(f.limit))
	case judge.Fails:
		return fmt.Sprintf("%s, more than the %s allowed", said, f.write(f.limit))
	}
	return fmt.Sprintf("%s, which may be more than the %s allowed (%s would decide)", said, f.write(f.limit), moreBlocks(f.of.More(allowed)))
}
