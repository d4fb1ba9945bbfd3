package tune

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedbench/judge"
)

// Infeasible says what stands in the way of a choice.
type Infeasible struct {
	// Binds says which limit binds, or which of them together.
	Binds string
	// Nearest says for each limit how far it can be kept.
	Nearest []Nearest
	// Change are sentences that each say what change would do.
	Change []string
}

// Nearest is how far a limit can be kept.
type Nearest struct {
	// Limit is as in Margin.
	Limit string
	// Asked is the limit, and Reachable the least that it could be for something to
	// meet it and all others. If the others cannot be met together even without it,
	// Alone is true and Reachable the least without any other limit.
	Asked, Reachable float64
	Alone            bool
	// With is the configuration that reaches it.
	With Prediction
}

// obstacle works out what stands in the way. every has the configurations that are
// not allowed too.
func (ch *Choice) obstacle(every []Prediction) *Infeasible {
	in := &Infeasible{}
	possible := filter(ch.All, func(p *Prediction) bool { return p.Impossible == "" })
	if len(possible) == 0 {
		in.Binds = "no configuration that is allowed can hold the load"
		if len(ch.All) > 0 {
			in.Binds += ": for instance, " + ch.All[0].Config.String() + ": " + ch.All[0].Impossible
		}
		return in
	}
	var alone, without []string
	open := false // whether some may keep a limit that none is known to keep
	for _, one := range limits() {
		at := one.at(&ch.Requirements)
		if at == 0 {
			continue
		}
		n := nearest(possible, one, at)
		in.Nearest = append(in.Nearest, n)
		least, reachable := lowest(possible, one)
		if reachable > at {
			alone = append(alone, one.said)
			open = open || slices.ContainsFunc(possible, func(p Prediction) bool { return slices.Contains(p.Perhaps, one.name) })
		}
		switch {
		case !n.Alone:
			without = append(without, one.said)
			in.Change = append(in.Change, fmt.Sprintf("allow a %s of %s in place of %s: then %v would do",
				one.said, WriteLimit(one.name, n.Reachable), WriteLimit(one.name, at), n.With.Config))
		case reachable > at:
			in.Change = append(in.Change, fmt.Sprintf("the least %s that anything is known to keep is %s, of %v",
				one.said, WriteLimit(one.name, reachable), least.Config))
		}
	}
	in.Binds = binding(alone, open, without)
	if k := ch.Knee; k != nil && len(without) == 0 {
		in.Change = append(in.Change, fmt.Sprintf("a compromise would be %v: %v late at the %s, and %s", k.Config,
			inUnits(k.Lateness.Value), percentileName(ch.Requirements.Percentile), ofACore(k.CPU.Value)))
	}
	in.Change = append(in.Change, ch.loosen(every)...)
	return in
}

// nearest returns the least that a limit could be.
func nearest(possible []Prediction, one limit, at float64) Nearest {
	others := filter(possible, func(p *Prediction) bool {
		return !slices.ContainsFunc(p.Misses, func(m string) bool { return m != one.name })
	})
	n := Nearest{Limit: one.name, Asked: at}
	if len(others) == 0 {
		n.Alone, others = true, possible
	}
	_, least := lowest(others, one)
	near := filter(others, func(p *Prediction) bool { return one.of(p).High <= judge.Margin*least })
	n.With = slices.MinFunc(near, preferred) // and not what is a little less of an odd size
	n.Reachable = one.of(&n.With).High
	return n
}

// lowest returns the prediction with the least upper end of a figure.
func lowest(all []Prediction, one limit) (p Prediction, high float64) {
	p = slices.MinFunc(all, func(a, b Prediction) int {
		return cmp.Or(cmp.Compare(one.of(&a).High, one.of(&b).High), leaner(a, b))
	})
	return p, one.of(&p).High
}

// binding says which limits bind, of those that cannot be met even alone, or that is
// open, and those without which the others could.
func binding(alone []string, open bool, without []string) string {
	switch {
	case len(alone) > 0 && open:
		return strings.Join(alone, " and ") + ": no configuration is known to keep it, whatever else it does, and of some it cannot be told"
	case len(alone) > 0:
		return strings.Join(alone, " and ") + ": no configuration keeps it, whatever else it does"
	case len(without) == 1:
		return without[0] + ": the other limits can be kept"
	case len(without) > 1:
		return strings.Join(without, " and ") + " together: each can be kept without the others"
	}
	return "all limits together"
}

// loosen says which policies would have to be allowed.
func (ch *Choice) loosen(every []Prediction) (said []string) {
	for _, way := range []struct {
		said string
		set  func(*Requirements) bool // false: it is so already
	}{
		{"allow precise waiting", func(r *Requirements) (was bool) { was, r.NotPrecise = r.NotPrecise, false; return was }},
		{"allow a driver that sleeps until something is due", func(r *Requirements) (was bool) { was, r.MustTick = r.MustTick, false; return was }},
		{"allow a driver that ticks", func(r *Requirements) (was bool) { was, r.MustNotTick = r.MustNotTick, false; return was }},
	} {
		r := ch.Requirements
		if !way.set(&r) {
			continue
		}
		if best := r.ranked(filter(every, func(p *Prediction) bool {
			missed, _ := r.missed(p)
			return r.allows(p.Config) && p.Impossible == "" && len(missed) == 0
		})); len(best) > 0 {
			said = append(said, fmt.Sprintf("%s: then %v would do", way.said, best[0].Config))
		}
	}
	return said
}
