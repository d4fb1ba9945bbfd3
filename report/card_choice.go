package report

import (
	"cmp"
	"slices"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/judge"
)

// candidates are those that there are to choose from: neither what Go has nor known
// systems, which are there for comparison, nor who was not asked what schedulers were.
func (v *view) candidates() []string {
	return slices.DeleteFunc(slices.Clone(v.names), func(name string) bool { return baseline(name) || preset(name) || v.noScheduler(name) })
}

// preset reports whether a name is of a preset.
func preset(name string) bool {
	return slices.ContainsFunc(catalog.Presets(), func(p harness.Contestant) bool { return p.Name == name })
}

// noScheduler reports whether a name is of timers without a scheduler that was measured,
// though others were: being level in the few questions that are left says little.
func (v *view) noScheduler(name string) bool {
	bare := func(s *harness.Series) bool {
		return s.Experiment == harness.Profiles ||
			s.Experiment == harness.Cost && s.Get("op") != harness.OpLivePair && s.Get("op") != harness.OpLiveReset
	}
	others := slices.ContainsFunc(v.data.Series, func(s *harness.Series) bool {
		return bare(s) && s.Get("impl") != name && slices.Contains(v.names, s.Get("impl")) && !baseline(s.Get("impl"))
	})
	return others && !slices.ContainsFunc(v.data.Series, func(s *harness.Series) bool { return bare(s) && s.Get("impl") == name })
}

// simplicity ranks candidates that are level: a heap has nothing to choose, nor have a list and
// queues; wheels have a tick, and slots.
func simplicity(name string) int {
	order := []string{catalog.Heap, catalog.List, catalog.FIFO, catalog.Hier, catalog.Rounds, catalog.Single}
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// take chooses, by the rule that docs/card.md states.
func (v *view) take(all []inquiry, wrong []CardWrong) CardTake {
	candidates := v.candidates()
	right := slices.DeleteFunc(slices.Clone(candidates), func(name string) bool { return isWrong(name, wrong) })
	able := slices.DeleteFunc(slices.Clone(right), func(name string) bool { return v.couldNot(name, all) })
	out := slices.DeleteFunc(slices.Clone(right), func(name string) bool { return slices.Contains(able, name) })
	if len(able) == 0 {
		able, out = right, nil
	}
	asked, standard := questionsAmong(able, all), v.goIsAsGood(right, wrong)
	switch {
	case len(right) == 0:
		return CardTake{Kind: TakeNone}
	case !slices.ContainsFunc(right, v.measured):
		return CardTake{Kind: TakeNone, Left: v.leftOut(right)}
	case standard != "":
		return CardTake{Kind: TakeGo, Names: []string{standard}, Out: out}.counting(all)
	case len(able) == 1:
		kind := TakeOne
		if len(candidates) == 1 {
			kind = TakeOnly
		}
		return CardTake{Kind: kind, Names: able, Out: out}.counting(all)
	case !slices.ContainsFunc(asked, func(q inquiry) bool { return toldAmong(able, q) }):
		return CardTake{Kind: TakeUntold, Out: out}
	}
	return v.least(able, asked, CardTake{Out: out}).counting(all)
}

// level is the ratio up to which the typical regrets of candidates are level.
func (v *view) level() float64 { return cmp.Or(v.opt.Margin, judge.Margin) }

// least returns the choice of those candidates that cost least on average in some questions,
// or as good as that, the simplest first, and who is next.
func (v *view) least(candidates []string, asked []inquiry, t CardTake) CardTake {
	costs := map[string]float64{}
	for _, name := range candidates {
		costs[name] = average(stands(name, asked))
	}
	ranked := slices.Clone(candidates)
	slices.SortStableFunc(ranked, func(a, b string) int { return cmp.Compare(costs[a], costs[b]) })
	n := 1
	for n < len(ranked) && costs[ranked[n]] <= costs[ranked[0]]*v.level() {
		n++
	}
	t.Kind, t.Names = TakeOne, ranked[:n:n]
	if n > 1 {
		t.Kind = TakeLevel
		slices.SortStableFunc(t.Names, func(a, b string) int { return cmp.Compare(simplicity(a), simplicity(b)) })
	}
	t.Average = Figure(costs[t.Names[0]])
	if n < len(ranked) {
		t.Next, t.NextAverage = ranked[n], Figure(costs[ranked[n]])
	}
	return t
}

// questionsAmong returns the questions in which at least two of some candidates took part.
func questionsAmong(candidates []string, all []inquiry) (asked []inquiry) {
	for _, q := range all {
		n := 0
		for _, name := range candidates {
			if q.standOf(name).took {
				n++
			}
		}
		if n > 1 {
			asked = append(asked, q)
		}
	}
	return asked
}

// toldAmong reports whether a question tells something of one of some candidates.
func toldAmong(candidates []string, q inquiry) bool {
	return slices.ContainsFunc(candidates, func(name string) bool {
		s := q.standOf(name)
		return s.took && !s.first && !s.open
	})
}

// couldNot reports whether somebody could not take part in a question, or not to its end: it
// took too long, or could not hold the timers.
func (v *view) couldNot(name string, all []inquiry) bool {
	return slices.ContainsFunc(stands(name, all), func(s stand) bool { return !s.could }) ||
		slices.ContainsFunc(v.data.Select("", "impl="+name), func(s *harness.Series) bool {
			return s.State() == harness.GaveUp || s.State() == harness.CannotHold
		})
}

// measured reports whether there are figures of somebody.
func (v *view) measured(name string) bool {
	return slices.ContainsFunc(v.data.Select("", "impl="+name), func(s *harness.Series) bool { return s.State() != harness.CannotHold })
}

// leftOut returns why each of some candidates, who could hold the timers nowhere, could not.
func (v *view) leftOut(names []string) (left []CardLeft) {
	for _, name := range names {
		left = append(left, CardLeft{name, v.data.Select("", "impl="+name)[0].Note})
	}
	return left
}

// goIsAsGood returns what Go has if it was held against candidates and none of these is told
// to be better anywhere: time.AfterFunc, which is there already; or, where that was not
// measured, container/heap, if it is told to be better.
func (v *view) goIsAsGood(candidates []string, wrong []CardWrong) string {
	answers := map[string]map[judge.Answer]int{}
	for _, a := range v.againstYardsticks() {
		of := a.topic.yardstick
		if a.topic.ways || !slices.Contains(candidates, a.name) {
			continue
		}
		if answers[of] == nil {
			answers[of] = map[judge.Answer]int{}
		}
		answers[of][a.Answer]++
	}
	runtime, heap := answers[catalog.RuntimeTimer], answers[catalog.ContainerHeap]
	name := ""
	switch {
	case runtime != nil && runtime[judge.Faster] == 0 && runtime[judge.Slower]+runtime[judge.AsFast] > 0:
		name = catalog.RuntimeTimer
	case runtime == nil && heap[judge.Faster] == 0 && heap[judge.Slower] > 0:
		name = catalog.ContainerHeap
	}
	if isWrong(name, wrong) {
		return ""
	}
	return name
}

// counting returns the choice with how often the first of the names is told to be behind,
// and by how much.
func (t CardTake) counting(all []inquiry) CardTake {
	name := t.Names[0]
	of := stands(name, all)
	for _, s := range of {
		if !s.took {
			continue
		}
		t.Questions++
		switch {
		case s.behind():
			t.Behind++
		case s.open && !s.first:
			t.Untold++
		}
	}
	if worst, took := worstStand(of); took && worst.behind() {
		t.AtWorst = worst.factor(name)
	}
	return t
}
