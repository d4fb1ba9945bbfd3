package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
)

// choosable returns the contestants to choose from: no baselines, no known systems, no timers without a scheduler.
func (v *Report) choosable() []string {
	return lists.Only(v.names, func(name string) bool { return !baseline(name) && !preset(name) && !v.noScheduler(name) })
}

func preset(name string) bool {
	return slices.Contains(presets(), name)
}

var presets = sync.OnceValue(func() []string {
	return lists.Each(catalog.Presets(), func(p harness.Contestant) string { return p.Name })
})

// noScheduler reports whether others were measured bare and a contestant was not: its few other cells say little.
func (v *Report) noScheduler(name string) bool {
	bare := rundata.Distinct(lists.Only(v.data.Series, func(s *rundata.Series) bool {
		return s.Experiment == rundata.Profiles ||
			s.Experiment == rundata.Cost && s.Get("op") != rundata.OpLivePair && s.Get("op") != rundata.OpLiveReset
	}), "impl")
	return !slices.Contains(bare, name) &&
		slices.ContainsFunc(bare, func(other string) bool { return slices.Contains(v.names, other) && !baseline(other) })
}

// take chooses, by the rule that docs/card.md states.
func (v *Report) take(f cardFamily) card.Take {
	choosable := v.choosable()
	right := slices.DeleteFunc(slices.Clone(choosable), v.isWrong)
	whyNot := func(name string) string { return v.whyNot(name, f.cells) }
	switch {
	case len(right) == 0:
		return card.Take{Kind: card.TakeNone}
	case !slices.ContainsFunc(right, v.measured):
		why := func(name string) card.Left {
			return card.Left{Name: name, Why: v.data.Select("", "impl="+name)[0].Note}
		}
		return card.Take{Kind: card.TakeNone, Left: lists.Each(right, why)}
	case v.replayed():
		measured := append(v.data.Select(rundata.Profiles), v.data.Select(rundata.Live)...)
		each := lists.Each(rundata.Distinct(measured, "profile"), func(p string) string { return "bench tune " + v.given(p) })
		t := card.Take{Kind: card.TakeTune, Tune: each}
		excluding(&t, right, whyNot)
		t.Out, t.All = append(t.Out, t.All...), nil
		return t
	}
	votes, asked := f.voting()
	t := card.Take{Kind: card.TakeOne, Asked: asked}
	able := excluding(&t, right, whyNot)
	able = excluding(&t, able, func(name string) string { return farBehindAt(name, votes) })
	t = average(t, able, votes, v.cardTerms())
	if standard := v.sufficientBaseline(f, able, right); standard != "" {
		t.Kind, t.Names = card.TakeGo, []string{standard}
	} else if len(choosable) == 1 {
		t.Kind = card.TakeOnly
	}
	t.Counts = countsOf(stands(t.Names[0], f.cells))
	return t
}

// replayed reports whether the run is of bench replay, which leaves choosing, with drivers, to bench tune.
func (v *Report) replayed() bool {
	return v.replaysOnly() && strings.HasPrefix(v.ran(), "bench replay ")
}

// given returns what a command line names a workload.
func (v *Report) given(profile string) string {
	return rundata.OfRuns(cmp.Or(v.data.Env[rundata.WorkloadKey+profile], profile))[0]
}

func (v *Report) cardTerms() judge.Terms {
	return judge.Terms{Comparisons: cardParts, Margin: v.opt.Margin}
}

// excluding leaves out contestants for which there is a reason, unless there is one for each.
func excluding(t *card.Take, names []string, why func(name string) string) (left []string) {
	var out []card.Left
	for _, name := range names {
		if reason := why(name); reason != "" {
			out = append(out, card.Left{Name: name, Why: reason})
		} else {
			left = append(left, name)
		}
	}
	if len(left) == 0 {
		t.All = append(t.All, out...)
		return names
	}
	t.Out = append(t.Out, out...)
	return left
}

// average takes the contestant with the least average, and those not separated from it, the simplest first.
func average(t card.Take, names []string, votes []cardCell, terms judge.Terms) card.Take {
	all := averaged(names, votes)
	terms.Comparisons *= max(len(names)-1, 1)
	for _, name := range names {
		e := all.Of(name, terms)
		t.Averages = append(t.Averages, card.Average{Name: name, Ratio: card.Figure(e.Value), Low: card.Figure(e.Low), High: card.Figure(e.High)})
	}
	slices.SortStableFunc(t.Averages, func(a, b card.Average) int { return cmp.Compare(sortable(a.Ratio), sortable(b.Ratio)) })
	least := t.Averages[0].Name
	for i, a := range t.Averages {
		answer := judge.AsFast
		if i > 0 {
			_, answer = all.Compare(a.Name, least, terms)
		}
		t.Averages[i].Answer = answer.String()
		if answer != judge.Slower {
			t.Names = append(t.Names, a.Name)
		}
	}
	if len(t.Names) > 1 {
		t.Kind = card.TakeSeveral
		slices.SortStableFunc(t.Names, func(a, b string) int {
			return placeIn(catalog.Schedulers(), a) - placeIn(catalog.Schedulers(), b)
		})
	}
	return t
}

// sortable puts what is not known last.
func sortable(f card.Figure) float64 {
	if !f.Known() {
		return math.Inf(1)
	}
	return float64(f)
}

// marginRatio is the ratio up to which contestants are as fast.
func (v *Report) marginRatio() float64 { return cmp.Or(v.opt.Margin, judge.Margin) }

// whyNot says why a contestant is not for all: it gave up, cannot hold the timers, or was too slow for some cell. The map
// leaves out what is far behind, and does not vote.
func (v *Report) whyNot(name string, all []cardCell) string {
	for _, s := range v.data.Select("", "impl="+name) {
		if s.Experiment == rundata.Map {
			continue
		}
		if s.State() == rundata.GaveUp || s.State() == rundata.CannotHold {
			return strings.TrimSpace(map[string]string{rundata.GaveUp: "exceeded the time limit in ", rundata.CannotHold: "cannot hold "}[s.State()] + cmp.Or(s.Get("profile"), "its timers"))
		}
	}
	for _, s := range stands(name, all) {
		if !s.could {
			return "not measured at " + s.named()
		}
	}
	return ""
}

// farBehindAt says where a contestant clearly takes at least 20 times as much as the best, which is not averaged away: ""
// for nowhere.
func farBehindAt(name string, votes []cardCell) string {
	worst := worstStand(stands(name, votes))
	if !worst.behind() || worst.Value < 20 {
		return ""
	}
	f := worst.factor()
	return fmt.Sprintf("%s× %s as %s at %s", card.Short(f.Ratio), f.Takes, f.Against, f.Cell)
}

// measured reports whether a contestant could hold the timers somewhere.
func (v *Report) measured(name string) bool {
	return slices.ContainsFunc(v.data.Select("", "impl="+name), func(s *rundata.Series) bool { return s.State() != rundata.CannotHold })
}

// sufficientBaseline returns the baseline if it is shown to be as fast as each contestant that might be taken: where
// programs ask, it takes at most a margin more on average, and nowhere clearly more. The baseline is
// time.AfterFunc, or container/heap where that was not measured.
func (v *Report) sufficientBaseline(f cardFamily, able, right []string) string {
	name := catalog.ContainerHeap
	if slices.ContainsFunc(f.beside, func(a *versus) bool { return a.against == catalog.RuntimeTimer }) {
		name = catalog.RuntimeTimer
	}
	if v.isWrong(name) || slices.ContainsFunc(f.beside, func(a *versus) bool {
		return a.against == name && a.Answer == judge.Faster && slices.Contains(right, a.name)
	}) {
		return ""
	}
	votes, _ := f.voting()
	votes = slices.DeleteFunc(votes, func(q cardCell) bool { return !q.standOf(name).took() })
	all, terms := averaged(append(slices.Clone(able), name), votes), v.cardTerms()
	terms.Comparisons *= len(able)
	for _, other := range able {
		if e, _ := all.Compare(name, other, terms); !(e.High <= v.marginRatio()) {
			return ""
		}
	}
	return name
}
