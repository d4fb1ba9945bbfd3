package report

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// measure asks which contestant takes least of something, at one or more cells. Measures yield all statements on
// who leads, who loses and what a choice costs.
type measure struct {
	// name begins its sentence, such as "insert".
	name string
	// group is the word of its group. Without one it is a group by itself.
	group string
	// takes says how a ratio is read: so many times "as long", "as much" or "as late".
	takes string
	// where is how cells are named, a format that takes their list: "with %s pending".
	where string
	// baseline is the contestant that losses are reported against, "" if there is none.
	baseline string
	// note is said after all else, such as what difference counts as none.
	note string
	// ways says that the contestants are ways of one: a question of policy, not of which to choose.
	ways bool
	// votes says that programs ask it: it counts for which contestant to take.
	votes bool
	// noticed is the difference, in the unit of the figures, below which a card counts none: no program notices it.
	noticed float64
	// negligible is the difference, in the unit of the figures, that counts as none everywhere; if
	// inAll, of all timers of a cell together.
	negligible float64
	inAll      bool
	// of has the series that it compares. A measure without of gets its cells by add.
	of    grid
	cells []cell
}

func (v *Report) cells() iter.Seq2[measure, cell] {
	return func(yield func(measure, cell) bool) {
		for _, t := range v.measures {
			for _, p := range t.cells {
				if !yield(t, p) {
					return
				}
			}
		}
	}
}

func (t measure) named(cell string) string { return t.name + " " + fmt.Sprintf(t.where, cell) }

// cell is one of the cells of a measure: a pending count, or a workload.
type cell struct {
	name        string
	contestants []judge.Contestant
	// aa compares a contestant with itself, built separately.
	aa judge.Comparison
	// negligible is the difference that counts as none, in the unit of the figures.
	negligible float64
	// Contest is how the contestants compare with the one in front, for all cells of the measure together.
	judge.Contest
}

func (v *Report) terms(p cell, comparisons int) judge.Terms {
	return judge.Terms{Comparisons: comparisons, Margin: v.opt.Margin, Noise: judge.Noise(p.aa), Negligible: p.negligible}
}

// decide lets the contestants of a measure compete, at each value of the parameter of its cells.
func (v *Report) decide(t measure) measure {
	for _, value := range t.of.values() {
		negligible := t.negligible
		if t.inAll {
			negligible /= number(value)
		}
		t.add(t.of.nameOf(value), negligible, t.of.ways, func(params []string) []float64 { return v.blocks(t.of.at(params, value), t.of.unit) })
	}
	for i, p := range t.cells {
		t.cells[i].Contest = judge.Compete(p.contestants, v.terms(p, len(t.cells)))
	}
	return t
}

// at returns the cell of a name, without contestants if there is none.
func (t measure) at(name string) cell {
	if i := slices.IndexFunc(t.cells, func(p cell) bool { return p.name == name }); i >= 0 {
		return t.cells[i]
	}
	return cell{name: name}
}

// add adds a cell with the blocks of each way that was measured there, and its A/A if a way was measured twice.
// negligible is the difference that counts as none, in the unit of the figures.
func (t *measure) add(name string, negligible float64, ways []way, blocks func(params []string) []float64) {
	p := cell{name: name, negligible: negligible}
	for _, w := range ways {
		b := blocks(w.params)
		if len(b) == 0 {
			continue
		}
		p.contestants = append(p.contestants, judge.Contestant{Name: w.name, Blocks: b})
		if aa := blocks(w.aa()); len(aa) > 0 {
			p.aa = judge.Compare(aa, b, judge.Terms{Margin: 1})
		}
	}
	if len(p.contestants) > 0 {
		t.cells = append(t.cells, p)
	}
}

// names lists the contestants of all cells of a measure, in order of their appearance.
func (t measure) names() (names []string) {
	for _, p := range t.cells {
		names = including(names, lists.Each(p.contestants, func(c judge.Contestant) string { return c.Name })...)
	}
	return names
}

// measureSentence says which contestant leads where, and which are as fast. It is "" where all is unclear.
func (v *Report) measureSentence(t measure) string {
	contests := lists.Only(t.cells, func(p cell) bool { return len(p.Standings) > 1 })
	if len(contests) == 0 {
		return ""
	}
	if !slices.ContainsFunc(contests, func(p cell) bool { return p.Standings[1].ToFirst.Blocks > 1 }) {
		return words.Capital(t.name) + ": unclear, since one block has no interval."
	}
	said := slices.Concat(t.wonWords(contests), t.sameWords(contests, v.margin()))
	if len(said) == 0 {
		return ""
	}
	return words.Capital(t.name) + ": " + strings.Join(words.Said(append(said, t.note)...), "; ") + "."
}

// wonWords say who leads where: significantly ahead of all others.
func (t measure) wonWords(contests []cell) (said []string) {
	won := lists.Only(contests, cell.Won)
	for _, group := range lists.Groups(won, func(p cell) string { return p.First().Name }) {
		least, most := math.Inf(1), math.Inf(-1)
		var next []string
		for _, p := range group {
			second := p.Standings[1]
			least, most = min(least, second.ToFirst.Value), max(most, second.ToFirst.Value)
			next = including(next, second.Name)
		}
		said = append(said, fmt.Sprintf("%s leads %s, and the next (%s) takes %s %s", group[0].First().Name,
			t.listed(group, contests), strings.Join(next, ", "), words.FromTo(words.Times(least), words.Times(most)), t.takes))
	}
	return said
}

// sameWords say who is in front together, where no comparison is unclear.
func (t measure) sameWords(contests []cell, margin string) (said []string) {
	same := lists.Only(contests, func(p cell) bool { return !p.Won() && len(p.Others(judge.Unclear)) == 0 })
	key := func(p cell) string {
		front := append(namesOf(p.Others(judge.AsFast)), p.First().Name)
		if p.negligible > 0 { // the ratio may be any
			slices.Sort(front)
			return words.List(front) + " differ by too little to notice"
		}
		if len(front) == 2 { // whichever of them is first
			slices.Sort(front)
			return words.List(front) + " are in front, within " + margin + " of each other"
		}
		return fmt.Sprintf("%s is in front, and %s are within %s of it", p.First().Name, words.List(front[:len(front)-1]), margin)
	}
	for _, group := range lists.Groups(same, key) {
		said = append(said, key(group[0])+", "+t.listed(group, contests))
	}
	return said
}

func namesOf(standings []judge.Standing) []string {
	return lists.Each(standings, func(s judge.Standing) string { return s.Name })
}

// listed names the cells of a group, as a range if it leaves none of all out.
func (t measure) listed(group, all []cell) string {
	names := lists.Each(group, func(p cell) string { return p.name })
	list := words.List(names)
	first := slices.IndexFunc(all, func(p cell) bool { return p.name == names[0] })
	ranges := strings.HasSuffix(t.where, " pending") // such cells have an order that means something
	if last := names[len(names)-1]; ranges && len(names) > 2 && all[first+len(names)-1].name == last {
		list = names[0] + " to " + last
	}
	return fmt.Sprintf(t.where, list)
}

// factorOf writes how many times as much something is, with its interval.
func factorOf(c judge.Comparison) string {
	if c.Blocks < 2 {
		return words.Times(c.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", words.Times(c.Value), words.Times(c.Low), words.Times(c.High))
}
