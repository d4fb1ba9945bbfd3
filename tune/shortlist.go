package tune

import (
	"cmp"
	"math"
	"slices"

	"schedbench/catalog"
)

// nearby is how far beyond the limit the assumed lateness of a candidate may be for it to be played all
// the same: it is an assumption.
const nearby = 1.5

// ShortList returns the candidates that the final plays: time.AfterFunc; the simplest driver; and of each kind, by
// what the heat showed, the tick of the least CPU. Those that the heat leaves in doubt are among them.
func (ch *Choice) ShortList() (short []*Candidate) {
	r := ch.Requirements
	add := func(c *Candidate) {
		if c != nil && len(short) < shortest && !slices.Contains(short, c) {
			short = append(short, c)
		}
	}
	for _, c := range ch.Candidates {
		if c.Config.Scheduler == catalog.RuntimeTimer || c.Name != "" {
			add(c)
		}
	}
	open := ch.kinds(func(c *Candidate) bool {
		return c.Ruled == "" && (r.CPU == 0 || c.Heat.CPU.Low <= r.CPU) && ch.reach(c) <= nearby &&
			(r.Memory == 0 || c.Heat.Memory <= float64(r.Memory)) && (r.Wakeups == 0 || c.Heat.Wakeups <= r.Wakeups)
	})
	if len(open) > 0 {
		add(slices.MinFunc(open, func(a, b *Candidate) int { return a.rank() - b.rank() }))
	}
	for _, c := range open {
		add(c)
	}
	// Where little is open, what comes nearest shows what a limit costs.
	rest := ch.kinds(func(c *Candidate) bool { return c.Ruled == "" })
	for _, c := range append(rest, ch.kinds(func(c *Candidate) bool { return ch.reach(c) <= 2*nearby })...) {
		add(c)
	}
	for _, c := range ch.kinds(func(c *Candidate) bool { return true }) {
		add(c)
	}
	return short
}

// reach is the assumed lateness as a multiple of the limit.
func (ch *Choice) reach(c *Candidate) float64 {
	if ch.Requirements.Lateness == 0 {
		return 0
	}
	return float64(ch.Requirements.assumed(c.Config)) / float64(ch.Requirements.Lateness)
}

// kinds returns the best of each kind of candidates that suit: its tick of the least CPU, and, where that is in
// doubt, the best that is not. Wheels are one kind: of those that are within --worth of each other it is the
// simplest. Kinds of the least CPU come first.
func (ch *Choice) kinds(suits func(*Candidate) bool) (best []*Candidate) {
	type kind struct {
		waking    catalog.Waking
		waiting   catalog.Waiting
		scheduler string
		sure      bool
	}
	worth := ch.Requirements.Worthwhile()
	steps := func(c *Candidate) float64 { return math.Round(c.Heat.CPU.Value / worth) }
	found := map[kind]int{}
	for _, c := range ch.Candidates {
		if c.Heat == nil || c.Note != "" || c.Name != "" || c.Config.Scheduler == catalog.RuntimeTimer || !suits(c) {
			continue
		}
		k := kind{c.Config.Waking, c.Config.Waiting, c.Config.Scheduler, ch.reach(c) <= 1}
		if c.Config.Wheel() {
			k.scheduler = ""
		}
		if at, ok := found[k]; !ok {
			found[k] = len(best)
			best = append(best, c)
		} else if steps(c) < steps(best[at]) {
			best[at] = c
		}
	}
	slices.SortStableFunc(best, func(a, b *Candidate) int { return cmp.Or(cmp.Compare(steps(a), steps(b)), a.rank()-b.rank()) })
	return best
}
