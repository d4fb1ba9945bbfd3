package card

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
)

// tickWords say which tick to choose: the recommended one first, then no tick, then all others.
func (c *Card) tickWords() string {
	t := c.Tick
	if t == nil {
		return ""
	}
	rank := func(g TickGives) int {
		return slices.Index([]string{rundata.Tickless, cmp.Or(t.Tick, t.Ticks[0].Tick)}, g.Tick) // -1 of all others
	}
	var said []string
	of := " (" + t.Name + ", waking at each tick)"
	for i, g := range slices.SortedStableFunc(slices.Values(t.Ticks), func(a, b TickGives) int { return rank(b) - rank(a) }) {
		name := "sleeping until due"
		if g.Tick != rundata.Tickless {
			name, of = g.Tick+of, "" // the first names the scheduler
		}
		said = append(said, t.gives(g, name, i == 0))
	}
	first, others := said[0], said[1:]
	switch limits := t.limits(); {
	case t.Tick != "":
		first += "; the longest measured tick that keeps " + limits + "\n"
	case limits != "":
		first = "no measured tick clearly keeps the limits (" + limits + ")\n" + first + "; "
	default:
		first += "; "
	}
	return strings.TrimRight(first+strings.Join(others, "; "), "; \n")
}

func (t *Tick) limits() string {
	var flags []string
	if t.P99 > 0 {
		flags = append(flags, "--p99 "+words.Span(float64(time.Second)*float64(t.P99)))
	}
	if t.CPU > 0 {
		flags = append(flags, "--cpu "+words.Number(100*float64(t.CPU))+"%")
	}
	return strings.Join(flags, " ")
}

func (t *Tick) gives(g TickGives, name string, full bool) string {
	most, late, idle := "", "", ""
	if full {
		most, late, idle = "99 % of timers at most ", " late", " of a core while idle"
	}
	var parts []string
	if g.P99.Known() {
		parts = append(parts, most+words.Time(1e9*float64(g.P99))+late)
	}
	switch {
	case !g.CPU.Known():
	case g.CPU < t.Least:
		parts = append(parts, "under "+words.Share(float64(t.Least))+idle)
	default:
		parts = append(parts, words.Share(float64(g.CPU))+idle)
	}
	return fmt.Sprintf("%s: %s", name, strings.Join(parts, ", "))
}
