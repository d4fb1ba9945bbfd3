package tune

import (
	"cmp"
	"slices"

	"schedbench/catalog"
)

// nearby is how far beyond the limit the assumed lateness of a candidate may be: it is only an assumption, so the
// candidate plays.
const nearby = 1.5

// shortList returns the candidates for the final, at most so many: time.AfterFunc; the simplest driver; the best of each
// way of waking and waiting; one that may be too late; the best of each scheduler, the least CPU first. If few candidates
// keep the limits, those that nearly do show what a limit costs. The heat is noisy: it decides only who plays.
func (ch *Choice) shortList(most int) (short []*Candidate) {
	r := ch.Requirements
	add := func(some ...*Candidate) {
		for _, c := range some {
			if len(short) < most && !slices.Contains(short, c) {
				short = append(short, c)
			}
		}
	}
	var all, open, doubtful []*Candidate
	for _, c := range ch.Candidates {
		if c.Config.Scheduler == catalog.RuntimeTimer || c.Name != "" {
			add(c)
			continue
		}
		if c.Heat == nil || c.Note != "" || !ch.wakesAsAsked(c) {
			continue
		}
		all = append(all, c)
		switch {
		case c.Ruled != "" || r.CPU > 0 && c.Heat.CPU.Low > r.CPU || r.Memory > 0 && c.Heat.Memory > float64(r.Memory) || r.Wakeups > 0 && c.Heat.Wakeups > r.Wakeups:
		case ch.reach(c) <= 1:
			open = append(open, c)
		case ch.reach(c) <= nearby:
			doubtful = append(doubtful, c)
		}
	}
	byWaking := func(c *Candidate) catalog.Config {
		return catalog.Config{Waking: c.Config.Waking, Waiting: c.Config.Waiting}
	}
	byScheduler := func(c *Candidate) catalog.Config {
		return catalog.Config{Scheduler: c.Config.Scheduler, Waking: c.Config.Waking, Waiting: c.Config.Waiting}
	}
	add(open[:min(len(open), 1)]...) // the simplest
	add(ch.bests(open, byWaking)...)
	more := ch.bests(doubtful, byWaking)
	add(more[:min(len(more), 1)]...)
	add(ch.bests(open, byScheduler)...)
	add(more...)
	if len(open) < most {
		add(ch.bests(all, byWaking)...)
	}
	return short
}

// reach returns the assumed lateness as a multiple of the limit.
func (ch *Choice) reach(c *Candidate) float64 {
	return float64(ch.Requirements.assumed(c.Config)) / float64(ch.Requirements.Lateness)
}

// bests returns the best of each kind, the least CPU first. of returns the kind of a candidate.
func (ch *Choice) bests(all []*Candidate, of func(*Candidate) catalog.Config) (best []*Candidate) {
	kinds := map[catalog.Config][]*Candidate{}
	for _, c := range all {
		kinds[of(c)] = append(kinds[of(c)], c)
	}
	for _, some := range kinds {
		best = append(best, ch.simplest(some))
	}
	slices.SortFunc(best, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(a.Heat.CPU.Value, b.Heat.CPU.Value), bySimplicity(a, b))
	})
	return best
}
