package report

import (
	"cmp"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
)

// cardCell is a cell in which contestants compete, with its measure.
type cardCell struct {
	measure
	here cell
}

// replaysOnly reports whether nothing but workloads was run: then each is a group by itself.
func (v *Report) replaysOnly() bool {
	return len(v.data.Series) > 0 && !slices.ContainsFunc(v.data.Series, func(s *rundata.Series) bool {
		return s.Experiment != rundata.Profiles && s.Experiment != rundata.Live
	})
}

func (v *Report) isWrong(name string) bool {
	return slices.ContainsFunc(v.wrong, func(w card.Wrong) bool { return w.Name == name })
}

func groupsOf(all []cardCell) []string {
	return including(nil, lists.Each(all, func(q cardCell) string { return q.group })...)
}

// stand is how a contestant stands in a cell.
type stand struct {
	// versus compares it with who is in front.
	versus
	state string // of a cell of the card's table
	// could is false if it was measured elsewhere in the measure, and not here.
	could bool
}

func (s stand) took() bool { return s.state != card.CellNone }

func (s stand) behind() bool { return s.state == card.CellBehind }

func (q cardCell) standOf(name string) stand {
	s := stand{versus: versus{name: name, measure: q.measure, cell: q.here.name}, state: card.CellNone}
	s.could = !slices.Contains(q.names(), name)
	i := slices.IndexFunc(q.here.Standings, func(s judge.Standing) bool { return s.Name == name })
	if i < 0 {
		return s
	}
	s.could, s.against, s.Comparison = true, q.here.First().Name, q.here.Standings[i].ToFirst
	if i == 0 { // which is compared with itself
		s.Comparison = judge.Comparison{Estimate: judge.Estimate{Value: 1, Low: 1, High: 1}, Blocks: len(q.here.First().Blocks), Answer: judge.AsFast}
	}
	switch {
	case i == 0 && len(q.here.Others(judge.Unclear)) > 0:
		s.state = card.CellAhead
	case s.Answer == judge.Slower:
		s.state = card.CellBehind
	case s.Answer == judge.Unclear:
		s.state = card.CellUnclear
	default:
		s.state = card.CellSame
	}
	return s
}

func stands(name string, all []cardCell) []stand {
	return lists.Each(all, func(q cardCell) stand { return q.standOf(name) })
}

// worstStand returns the stand that is worst for the contestant, of those in which it took part.
func worstStand(all []stand) stand {
	order := []string{card.CellSame, card.CellAhead, card.CellUnclear, card.CellBehind}
	return worstBy(all, func(s stand) int { return slices.Index(order, s.state) })
}

// worstBy returns the stand with the highest rank, and of several that with the largest ratio.
func worstBy(all []stand, rank func(stand) int) stand {
	all = lists.Only(all, stand.took)
	if len(all) == 0 {
		return stand{state: card.CellNone}
	}
	return slices.MaxFunc(all, func(a, b stand) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Value, b.Value)) })
}

func ofGroup(all []stand, group string) []stand {
	return lists.Only(all, func(s stand) bool { return s.measure.group == group })
}

// cardTable returns the worst stand of each contestant in each group: of the contestants to choose from, then of
// baselines and of timers without a scheduler.
func (v *Report) cardTable(all []cardCell) (t card.Table) {
	t.Columns = groupsOf(all)
	votes := groupsOf(lists.Only(all, func(q cardCell) bool { return q.votes }))
	if len(votes) > 0 {
		t.Explain = lists.Only(t.Columns, func(c string) bool { return !slices.Contains(votes, c) })
	}
	others := lists.Only(v.names, func(name string) bool { return baseline(name) || !preset(name) && v.noScheduler(name) })
	for _, name := range append(v.choosable(), others...) {
		of := stands(name, all)
		row, measured := card.Row{Name: name}, false
		for _, column := range t.Columns {
			worst := worstStand(ofGroup(of, column))
			cell := card.Cell{State: worst.state}
			if worst.took() {
				cell.Worst, measured = worst.factor(), true
			}
			row.Cells = append(row.Cells, cell)
		}
		if measured {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// BreaksKey, with the name of a contestant after it, is the key under which a run notes the rules of schedtest that
// the contestant breaks, separated by blanks.
const BreaksKey = "breaks-"

// countsOf counts where a contestant took part, and where it is behind.
func countsOf(all []stand) (c card.Counts) {
	for _, s := range all {
		switch s.state {
		case card.CellNone:
			continue
		case card.CellBehind:
			c.Behind++
		case card.CellUnclear:
			c.Unclear++
		}
		c.Cells++
	}
	if worst := worstStand(all); worst.behind() {
		c.AtWorst = worst.factor()
	}
	return c
}

// cardOwn says how the contestants from outside stand.
func (v *Report) cardOwn(all []cardCell) (list []card.Own) {
	for _, name := range v.own() {
		of := stands(name, all)
		o := card.Own{Name: name, Counts: countsOf(of), Breaks: strings.Fields(v.data.Env[BreaksKey+name])}
		for _, s := range of {
			switch s.state {
			case card.CellAhead:
				o.Unclear++
			case card.CellSame:
				o.AsFast = append(o.AsFast, s.named())
			}
		}
		if o.Cells > 0 || len(o.Breaks) > 0 {
			list = append(list, o)
		}
	}
	return list
}

// cardParts is the number of kinds of statements that a card makes: comparisons, averages, and whether a scheduler is
// needed. Each kind may take an equal part of the errors that judge.Confidence allows.
const cardParts = 3

// cardFamily is all that a card compares. Its answers hold together, and its intervals.
type cardFamily struct {
	// cells are group by group.
	cells []cardCell
	// beside compares contestants with the baselines, in the cells that decide.
	beside []*versus
	// slow compares drivers that run tasks inline with time.AfterFunc, beside slow tasks.
	slow []*versus
}

// family compares what a card shows. It leaves out presets, and contestants with wrong answers.
func (v *Report) family() (f cardFamily) {
	var fields []judge.Field
	for _, g := range v.groups() {
		for _, t := range g.measures {
			for _, p := range t.cells {
				p.negligible = max(p.negligible, t.noticed)
				right := lists.Only(p.contestants, func(c judge.Contestant) bool { return !v.isWrong(c.Name) && !preset(c.Name) })
				field := judge.Field{Contestants: right, Terms: v.terms(p, cardParts)}
				if len(judge.Rank(field.Contestants)) < 2 {
					continue
				}
				if t.group = g.word; v.replaysOnly() {
					t.group = p.name
				}
				fields, f.cells = append(fields, field), append(f.cells, cardCell{t, p})
			}
		}
	}
	for i, q := range f.cells {
		if q.votes {
			beside := withBaseline(q.measure, q.here.name, fields[i].Contestants, fields[i].Terms, func(name string) bool {
				return name == catalog.RuntimeTimer || name == catalog.ContainerHeap
			})
			f.beside = append(f.beside, lists.Only(beside, func(a *versus) bool { return !baseline(a.name) })...)
		}
	}
	f.slow = v.besideSlow()
	all := slices.Concat(f.beside, f.slow)
	contests, others := judge.CompeteTogether(fields, pairsOf(all))
	for i, c := range contests {
		f.cells[i].here.Contest = c
	}
	for i, c := range others {
		all[i].Comparison = c
	}
	return f
}

// besideSlow returns drivers that run tasks inline and time.AfterFunc, beside slow tasks, not yet compared.
func (v *Report) besideSlow() (all []*versus) {
	late := func(name, running, task string) []float64 {
		return blocksOf(v.one(rundata.Slow, "impl="+name, "running="+running, "task="+task), rundata.P99Late)
	}
	for _, task := range rundata.Distinct(v.data.Select(rundata.Slow), "task") {
		t := measure{name: "lateness, 99th percentile,", takes: "as late", where: "where %s", baseline: catalog.RuntimeTimer}
		base := late(catalog.RuntimeTimer, rundata.RunRuntime, task)
		for _, name := range v.choosable() {
			own := late(name, rundata.RunInline, task)
			if len(own) == 0 || len(base) == 0 || v.isWrong(name) || v.isWrong(catalog.RuntimeTimer) {
				continue
			}
			all = append(all, &versus{name: name, against: t.baseline, measure: t, cell: slowTaskName(task),
				pair: judge.Pair{A: own, B: base, Terms: judge.Terms{Comparisons: cardParts, Margin: v.opt.Margin, Negligible: noticedLate}}})
		}
	}
	return all
}

// voting returns the cells that decide what to take: those that programs ask for. Without any it returns all but the
// slowest calls, or all if there are only these.
func (f cardFamily) voting() (votes []cardCell, asked bool) {
	if votes = lists.Only(f.cells, func(q cardCell) bool { return q.votes }); len(votes) > 0 {
		return votes, true
	}
	if votes = lists.Only(f.cells, func(q cardCell) bool { return q.group != "tail" }); len(votes) > 0 {
		return votes, false
	}
	return f.cells, false
}

// averaged averages contestants over the cells in which at least two of them took part. Groups have equal
// weight. The measures of a group share its weight, and the cells of a measure share the measure's.
func averaged(names []string, votes []cardCell) *judge.Averages {
	var taken []cardCell
	measures, cells := map[string]int{}, map[string]int{}               // of a group, and of a measure
	key := func(q cardCell) string { return q.group + "\x00" + q.name } // of the measure
	var all []judge.Vote
	for _, q := range votes {
		of := lists.Only(q.here.contestants, func(c judge.Contestant) bool { return slices.Contains(names, c.Name) })
		if len(of) < 2 {
			continue
		}
		if cells[key(q)]++; cells[key(q)] == 1 {
			measures[q.group]++
		}
		taken, all = append(taken, q), append(all, judge.Vote{Contestants: of, Negligible: q.here.negligible})
	}
	for i, q := range taken {
		all[i].Weight = 1 / float64(measures[q.group]*cells[key(q)])
	}
	return judge.AverageOver(all)
}
