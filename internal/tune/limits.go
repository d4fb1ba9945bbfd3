package tune

import (
	"maps"
	"math"
	"slices"

	"schedbench/catalog"
	"schedbench/internal/judge"
)

// Limit is a requirement.
type Limit string

// The limits.
const (
	LimitLateness Limit = "lateness"
	LimitCPU      Limit = "CPU"
	LimitMemory   Limit = "memory"
	LimitWakeups  Limit = "wake-ups"
	LimitWaking   Limit = "waking"
)

func (ch *Choice) keeps(c *Candidate) map[Limit]judge.Finding {
	r, f := ch.Requirements, c.Best()
	holds := func(ok bool) judge.Finding {
		if ok {
			return judge.Holds
		}
		return judge.Fails
	}
	found := map[Limit]judge.Finding{
		LimitLateness: r.InTime(f.Lateness.Estimate), LimitCPU: r.Cheap(f.CPU.Estimate),
		LimitMemory:  holds(r.Memory == 0 || f.Memory <= float64(r.Memory)),
		LimitWakeups: holds(r.Wakeups == 0 || f.Wakeups <= r.Wakeups),
		LimitWaking:  holds(ch.wakesAsAsked(c)),
	}
	if math.IsNaN(f.Lateness.Value) { // no timer fired: none was late
		found[LimitLateness] = holds(!r.lateBy(c.Config.Tick))
	}
	return found
}

func (ch *Choice) wakesAsAsked(c *Candidate) bool {
	r := ch.Requirements
	return !(r.MustTick && !c.ticks() || r.MustNotTick && c.ticks() || r.NotPrecise && c.Config.Waiting == catalog.Precise)
}

// Keeps returns whether a candidate keeps all limits.
func (ch *Choice) Keeps(c *Candidate) judge.Finding {
	return judge.All(slices.Collect(maps.Values(ch.keeps(c)))...)
}

// Misses returns the limits that a candidate does not keep.
func (ch *Choice) Misses(c *Candidate) []Limit { return ch.found(c, judge.Fails) }

// Unclear returns the limits of which it is unclear whether a candidate keeps them.
func (ch *Choice) Unclear(c *Candidate) []Limit { return ch.found(c, judge.Undecided) }

func (ch *Choice) found(c *Candidate, finding judge.Finding) (limits []Limit) {
	for limit, f := range ch.keeps(c) {
		if f == finding {
			limits = append(limits, limit)
		}
	}
	slices.Sort(limits)
	return limits
}

// Infeasible says why nothing keeps the requirements.
type Infeasible struct {
	// Changes are the limits of which it is enough to relax one. It is empty if several bind together.
	Changes []Change
	// Nearest is the candidate that misses the fewest limits, and Misses are those limits.
	Nearest *Candidate
	Misses  []Limit
}

// Change is a limit that binds: the least value that would do, and the candidate that then keeps all limits.
type Change struct {
	Limit     Limit
	Needed    float64 // seconds, a share of a core, bytes, wake-ups a second; 0 for waking
	Candidate *Candidate
}

func (ch *Choice) infeasible() *Infeasible {
	in := &Infeasible{}
	best := map[Limit]Change{}
	for _, c := range ch.pickable() {
		misses := ch.Misses(c)
		if in.Nearest == nil || len(misses) < len(in.Misses) {
			in.Nearest, in.Misses = c, misses
		}
		if len(misses) != 1 {
			continue
		}
		f := c.Best()
		needed := map[Limit]float64{LimitLateness: f.Lateness.Value, LimitCPU: f.CPU.Value, LimitMemory: f.Memory, LimitWakeups: f.Wakeups}[misses[0]]
		if misses[0] == LimitLateness && math.IsNaN(needed) {
			needed = ch.Requirements.Share() * c.Config.Tick.Seconds()
		}
		if have, ok := best[misses[0]]; !ok || needed < have.Needed {
			best[misses[0]] = Change{misses[0], needed, c}
		}
	}
	for _, limit := range []Limit{LimitLateness, LimitCPU, LimitMemory, LimitWakeups, LimitWaking} {
		if c, ok := best[limit]; ok {
			in.Changes = append(in.Changes, c)
		}
	}
	return in
}
