package report

import (
	"cmp"
	"fmt"
	"slices"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/card"
)

// inquiry is a question of a card: a topic at a place.
type inquiry struct {
	topic
	here place
	// group is the word of the group.
	group string
}

// spot names the topic and the place.
func (q inquiry) spot() string { return q.name + " " + fmt.Sprintf(q.where, q.here.name) }

// replaysOnly reports whether nothing but workloads was run: then each is a group by itself.
func (v *view) replaysOnly() bool {
	return len(v.data.Series) > 0 && !slices.ContainsFunc(v.data.Series, func(s *rundata.Series) bool {
		return s.Experiment != rundata.Profiles && s.Experiment != rundata.Live
	})
}

// isWrong reports whether a contestant gave wrong answers.
func isWrong(name string, wrong []card.Wrong) bool {
	return slices.ContainsFunc(wrong, func(w card.Wrong) bool { return w.Name == name })
}

// groupsOf returns the groups of some questions, in their order.
func groupsOf(all []inquiry) (words []string) {
	for _, q := range all {
		if !slices.Contains(words, q.group) {
			words = append(words, q.group)
		}
	}
	return words
}

// stand is how a contender stands in a question.
type stand struct {
	inquiry
	// took says that it took part. If not although it did elsewhere in the topic, it could not.
	took, could bool
	// first says that it is in front. open says that its comparison with the first is unclear;
	// of the first itself, that the comparison of another with it is.
	first, open bool
	// toFirst compares it with who was.
	toFirst judge.Comparison
}

// behind reports whether it takes significantly more than the first.
func (s stand) behind() bool { return !s.first && significantlySlower(s.toFirst) }

// standOf returns how a contender stands in a question.
func (q inquiry) standOf(name string) stand {
	s := stand{inquiry: q, could: !slices.Contains(q.names(), name)}
	i := slices.IndexFunc(q.here.Standings, func(s judge.Standing) bool { return s.Name == name })
	if i < 0 {
		return s
	}
	s.took, s.could, s.first = true, true, i == 0
	s.toFirst = q.here.Standings[i].ToFirst
	if s.first {
		s.toFirst = judge.Comparison{Ratio: 1, Low: 1, High: 1, Blocks: len(q.here.Standings[0].Blocks), Answer: judge.AsFast}
		s.open = len(q.here.Others(judge.Unclear)) > 0
	} else {
		s.open = s.toFirst.Answer == judge.Unclear
	}
	return s
}

// stands returns how a contender stands in all questions.
func stands(name string, all []inquiry) (found []stand) {
	for _, q := range all {
		found = append(found, q.standOf(name))
	}
	return found
}

// worstStand returns the stand that is worst for the contender, and whether it took part in
// any. A stand that is behind is worse than an unclear one, and that than being in front of
// others by a difference that is unclear. As good as the best comes last.
func worstStand(all []stand) (worst stand, took bool) {
	all = slices.DeleteFunc(slices.Clone(all), func(s stand) bool { return !s.took })
	if len(all) == 0 {
		return worst, false
	}
	rank := func(s stand) int {
		switch {
		case s.behind():
			return 3
		case s.open && !s.first:
			return 2
		case s.open:
			return 1
		}
		return 0
	}
	return slices.MaxFunc(all, func(a, b stand) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.toFirst.Ratio, b.toFirst.Ratio))
	}), true
}

// ofGroup returns the stands of one group.
func ofGroup(all []stand, group string) []stand {
	return slices.DeleteFunc(slices.Clone(all), func(s stand) bool { return s.group != group })
}

// cardTable returns the worst of each contender in each group, for those that
// there are to choose from and for what Go has.
func (v *view) cardTable(all []inquiry) (t card.Table) {
	t.Columns = groupsOf(all)
	shown := v.candidates()
	for _, name := range v.names {
		if baseline(name) || !preset(name) && v.noScheduler(name) {
			shown = append(shown, name)
		}
	}
	for _, name := range shown {
		of := stands(name, all)
		row, measured := card.Row{Name: name}, false
		for _, column := range t.Columns {
			worst, took := worstStand(ofGroup(of, column))
			row.Cells = append(row.Cells, worst.cell(name, took))
			measured = measured || took
		}
		if measured {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// cell returns a stand as a cell of the table.
func (s stand) cell(name string, took bool) card.Cell {
	if !took {
		return card.Cell{State: card.CellNone}
	}
	c := card.Cell{State: card.CellSame, Worst: s.factor(name)}
	switch {
	case s.behind():
		c.State = card.CellBehind
	case s.open && s.first:
		c.State = card.CellFront
	case s.open:
		c.State = card.CellOpen
	}
	return c
}

// cardOwn says how the contestants from outside stand.
func (v *view) cardOwn(all []inquiry) (list []card.Own) {
	for _, name := range v.own() {
		o, of := card.Own{Name: name}, stands(name, all)
		for _, s := range of {
			switch {
			case !s.took:
				continue
			case s.behind():
				o.Behind++
			case s.open:
				o.Unclear++
			case s.first || s.toFirst.Answer == judge.AsFast:
				o.AsFast = append(o.AsFast, s.spot())
			}
			o.Questions++
		}
		if worst, took := worstStand(of); took && worst.behind() {
			o.AtWorst = worst.factor(name)
		}
		if o.Questions > 0 {
			list = append(list, o)
		}
	}
	return list
}
