package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/words"
)

func (v *Report) because(name string, f cardFamily) card.Because {
	return card.Because{Memory: v.cardMemory(name, f), Idle: v.cardIdle(name)}
}

// cardMemory returns what a timer takes, behind a driver if that was measured, with the most pending.
func (v *Report) cardMemory(name string, f cardFamily) *card.Memory {
	if name == catalog.RuntimeTimer {
		return nil
	}
	for _, h := range slices.Backward(holdings) {
		c := v.memoryGrid(rundata.ChurnedPerTimer, h)
		most := last(values(lists.Only(c.series, func(s *rundata.Series) bool { return s.Get("impl") == name }), c.key))
		of := func(name string) judge.Summary {
			return summarize(blocksOf(c.at([]string{"impl=" + name}, most), c.unit))
		}
		own := of(name)
		if own.N == 0 {
			continue
		}
		m := &card.Memory{Bytes: card.Figure(own.Median), Pending: int(number(most))}
		if h.baseline == catalog.RuntimeTimer && f.differsInMemory(name) {
			m.AfterFunc = card.Figure(of(h.baseline).Median)
		}
		return m
	}
	return nil
}

// differsInMemory reports whether time.AfterFunc clearly takes more, or less, memory with the most timers pending.
func (f cardFamily) differsInMemory(name string) bool {
	all := lists.Only(f.beside, func(a *versus) bool {
		return a.name == name && a.against == catalog.RuntimeTimer && a.measure.group == "memory"
	})
	return len(all) > 0 && all[len(all)-1].Significant()
}

// cardIdle returns what a choice takes without ticks while nothing is due.
func (v *Report) cardIdle(name string) *card.Idle {
	s := v.idleShare(v.idleSeries(name, withoutTicks(name), v.idlePending()))
	if s.N == 0 || v.process(v.idlePending()) == nil {
		return nil
	}
	return &card.Idle{Share: card.Figure(s.Median), Significant: s.Bounded() && s.Low > 0}
}

// exceptions returns the groups in which other contestants are clearly better than a choice: the largest difference of
// each, the largest of all first. Such a contestant took part in the whole group and is nowhere clearly behind in it. TAKE does
// not leave it out.
func exceptions(name string, out []card.Left, all []cardCell) (found []card.Unless) {
	behind := lists.Only(stands(name, all), stand.behind)
	for _, cells := range lists.Groups(behind, func(s stand) string { return s.against + " " + s.measure.group }) {
		worst := worstStand(cells)
		group := worst.measure.group
		if slices.ContainsFunc(out, func(l card.Left) bool { return l.Name == worst.against }) {
			continue
		}
		other := ofGroup(stands(worst.against, all), group)
		if !slices.ContainsFunc(other, func(s stand) bool { return s.behind() || !s.could }) {
			found = append(found, card.Unless{Group: group, When: whenAsked(group, worst.cell), Worst: *worst.factor(), Cells: len(cells)})
		}
	}
	slices.SortStableFunc(found, func(a, b card.Unless) int { return cmp.Compare(b.Worst.Ratio, a.Worst.Ratio) })
	return found
}

// whenAsked says for which programs a group matters; a call is named by its cell.
func whenAsked(group, cell string) string {
	for _, g := range allGroups() {
		if g.word == group {
			return strings.ReplaceAll(g.when, "{call}", cell)
		}
	}
	return "programs like " + group
}

// slowTrap returns how much later than time.AfterFunc an inline driver clearly is, beside slow tasks: that of
// the choice, or else the first that was measured.
func (v *Report) slowTrap(name string, f cardFamily) *card.Factor {
	if name == catalog.RuntimeTimer {
		return nil
	}
	later := lists.Only(f.slow, func(a *versus) bool { return a.Answer == judge.Slower })
	if len(later) == 0 {
		return nil
	}
	return later[max(slices.IndexFunc(later, func(a *versus) bool { return a.name == name }), 0)].factor()
}

// needed returns how much more or less than a contestant time.AfterFunc takes for a start and a stop: by one
// goroutine, and by as many as processors. The contestant is the one to take, or, if that is a baseline, the one with
// the least average.
func (v *Report) needed(t card.Take) (list []card.Need) {
	var name string
	switch {
	case t.Kind == card.TakeGo && len(t.Averages) > 0:
		name = t.Averages[0].Name
	case len(t.Names) > 0:
		name = t.Names[0]
	default:
		return nil
	}
	asked := v.liveAsked(rundata.OpLivePair)
	for _, c := range asked {
		if need, measured := v.need(c, name, len(asked)); measured {
			list = append(list, need)
		}
	}
	return list
}

// need compares time.AfterFunc with a contestant, with the pending count nearest to 100k. All that is stated holds together.
func (v *Report) need(c liveCall, name string, stated int) (need card.Need, measured bool) {
	far := func(n string) float64 { return math.Abs(math.Log(max(number(n), 1) / 100_000)) }
	counts := values(v.called(c.op), "pending")
	slices.SortStableFunc(counts, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	for _, unit := range []string{rundata.CPUPerOp, rundata.NsPerOp} {
		for _, n := range counts {
			own := func(name string) []float64 {
				return blocksOf(v.liveGrid(c, unit, nil).at([]string{"impl=" + name}, n), unit)
			}
			if d := judge.MedianDifference(own(catalog.RuntimeTimer), own(name), judge.Terms{Comparisons: cardParts * stated}); d.Blocks > 0 {
				return card.Need{Goroutines: int(number(c.goroutines)), Pending: int(number(n)), Name: name, CPU: unit == rundata.CPUPerOp,
					More: card.Figure(d.Value), Low: card.Figure(d.Low), High: card.Figure(d.High), Blocks: d.Blocks,
					Answer: d.Answer.String(), Rate: card.Figure(1e9 * judge.Imperceptible / math.Abs(d.Value))}, true
			}
		}
	}
	return need, false
}

// moreProcessors returns an open question if fewer processors called at once than many programs have.
func (v *Report) moreProcessors() []card.Open {
	const usual = 8
	most := int(number(last(values(append(v.called(rundata.OpLivePair), v.data.Select(rundata.Parallel)...), "goroutines"))))
	open := "more than " + words.Many(most, "goroutine") + " at once"
	if cores := v.cores(); cores > 0 && most >= cores {
		most = cores
		open = "more than " + words.Many(cores, "processor") + ", on a machine that has them"
	}
	if most == 0 || most >= usual {
		return nil
	}
	return []card.Open{{What: open, Command: "bench --experiments parallel"}}
}
