package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// regretChapter is what a choice costs at worst: the largest ratio to the best, by contestant and measure.
var regretChapter = chapter{
	section: whichFastest,
	figures: func(v *Report) []*chart.Figure { return []*chart.Figure{v.regretFigure()} },
	tables: func(v *Report) []*text.Table {
		t := &text.Table{Title: "Regret: the worst ratio of each choice to the best, and where", Names: 1, Header: append([]string{"measure"}, v.names...),
			Notes: []string{"In brackets: significant in no cell. “same”: within the margin, or too little to notice. “-”: not measured."}}
		for _, m := range v.choices() {
			all := v.judgedCells(m)
			addRow(t, m.name, v.names, func(name string) string { return regret(name, all, true) })
		}
		return []*text.Table{t}
	},
}

// choices are the measures that ask which contestant to choose.
func (v *Report) choices() []measure {
	return lists.Only(v.measures, func(t measure) bool { return !t.ways })
}

// judgedCells returns the cells of some measures in which contestants compete. All their answers hold together.
func (v *Report) judgedCells(measures ...measure) (all []cardCell) {
	cells := 0
	for _, t := range measures {
		cells += len(t.cells)
	}
	for _, t := range measures {
		for _, p := range t.cells {
			if p.Contest = judge.Compete(p.contestants, v.terms(p, cells)); len(p.Standings) > 1 {
				all = append(all, cardCell{t, p})
			}
		}
	}
	return all
}

// worstFactor returns the worst of a contestant in some cells. A significant factor comes before any other: a cell with
// few blocks may show any ratio by chance.
func worstFactor(name string, all []cardCell) stand {
	return worstBy(stands(name, all), func(s stand) int {
		if s.behind() {
			return 1
		}
		return 0
	})
}

// regret writes the worst of a contestant in some cells: with its interval and where that is, if there is room.
func regret(name string, all []cardCell, interval bool) string {
	c := worstFactor(name, all)
	switch {
	case !c.took():
		return ""
	case c.Value == 1 && c.Low == 1:
		return "1×"
	case c.Answer == judge.AsFast && !interval:
		return "same"
	}
	figure := words.Times(c.Value)
	if interval && c.Blocks > 1 {
		figure = words.Interval(c.Value, c.Low, c.High, words.Times)
	}
	switch c.Answer {
	case judge.Unclear:
		figure = "(" + figure + ")"
	case judge.AsFast:
		figure = "same: " + figure
	}
	if interval {
		figure += " " + fmt.Sprintf(c.measure.where, c.cell)
	}
	return figure
}

// regretFigure shows the regret of each contestant in each group. Its text is large, to be read at page width.
func (v *Report) regretFigure() *chart.Figure {
	const darkest = 50
	var columns, explained []string
	groups := map[string][]cardCell{}
	for _, g := range v.groups() {
		columns, explained = append(columns, g.word), append(explained, g.line())
		groups[g.word] = v.judgedCells(g.measures...)
	}
	names := slices.DeleteFunc(slices.Clone(v.names), func(name string) bool {
		return !slices.ContainsFunc(columns, func(word string) bool { return worstFactor(name, groups[word]).took() })
	})
	p := heatPanel("", names, columns, func(name, word string) chart.HeatCell { return regretCell(name, groups[word]) })
	p.Most = darkest
	h := &chart.Heat{Rows: names, Notes: make([]string, len(names)), Panels: []*chart.HeatPanel{p}, Size: 9.5}
	return &chart.Figure{
		Name: "regret", Heat: h, Named: true, Words: explained,
		Title: "Regret: the worst ratio of each choice to the best, by group",
		Subtitle: "The largest ratio to the best, over all sizes and workloads of a column; lighter is better. " +
			"“same”: within " + v.margin() + ", or too little to notice; in brackets: significant in no cell",
		Width:  chart.Inches(max(6, 1.6+0.66*float64(len(columns)))),
		Height: vg.Points(169 + 27*float64(len(names))),
	}
}

func regretCell(name string, all []cardCell) chart.HeatCell {
	r := worstFactor(name, all)
	switch {
	case !r.took():
		return chart.HeatCell{Value: math.NaN(), Text: "not run"}
	case r.Answer == judge.AsFast:
		r.Value = 1
	}
	return chart.HeatCell{Value: r.Value, Text: regret(name, all, false)}
}

var lossChapter = chapter{
	section:   whichFastest,
	heading:   "Which schedulers are slower than a baseline?",
	sentences: (*Report).losses,
}

// versus is how a contestant compares with another at a cell of a measure.
type versus struct {
	name, against string
	measure       measure
	cell          string
	pair          judge.Pair // what is compared
	judge.Comparison
}

func (a versus) named() string { return a.measure.named(a.cell) }

// withBaseline returns each of some contestants at a cell beside the one of them that is a baseline, not yet compared.
func withBaseline(t measure, cell string, all []judge.Contestant, terms judge.Terms, is func(name string) bool) (beside []*versus) {
	i := slices.IndexFunc(all, func(c judge.Contestant) bool { return is(c.Name) })
	for k, c := range all {
		if i >= 0 && k != i {
			beside = append(beside, &versus{name: c.Name, against: all[i].Name, measure: t, cell: cell, pair: judge.PairOf(all, k, i, terms)})
		}
	}
	return beside
}

// againstBaselines compares all contestants with the baselines at each cell. All comparisons with one
// baseline hold together, since the largest loss is named first.
func (v *Report) againstBaselines() (all []*versus) {
	for t, p := range v.cells() {
		all = append(all, withBaseline(t, p.name, p.contestants, v.terms(p, 1), func(name string) bool { return name == t.baseline })...)
	}
	for _, group := range lists.Groups(all, func(a *versus) string { return a.against }) {
		stated := lists.Groups(group, func(a *versus) string { return a.name }) // one interval of each contestant
		for i, c := range judge.CompareTogether(pairsOf(group), len(stated)) {
			group[i].Comparison = c
		}
	}
	return all
}

func pairsOf(all []*versus) []judge.Pair {
	return lists.Each(all, func(a *versus) judge.Pair { return a.pair })
}

func (a versus) sentence() string { return a.name + " loses to " + a.against }

// lost returns the comparisons lost to a baseline, grouped by contestant and baseline, the largest ratio first.
func (v *Report) lost() [][]*versus {
	all := slices.DeleteFunc(v.againstBaselines(), func(a *versus) bool { return a.Answer != judge.Slower })
	slices.SortStableFunc(all, func(a, b *versus) int { return cmp.Compare(b.Value, a.Value) })
	return lists.Groups(all, (*versus).sentence)
}

// losses says which contestants lose to the baselines, and where most, the largest loss first.
func (v *Report) losses() (lines []string) {
	for _, group := range v.lost() {
		worst := group[0]
		line := fmt.Sprintf("%s: it takes %s %s at %s", worst.sentence(), factorOf(worst.Comparison), worst.measure.takes, worst.named())
		if more := len(group) - 1; more > 0 {
			line += fmt.Sprintf(", and significantly more in %s", words.Many(more, "other comparison"))
		}
		lines = append(lines, line+".")
	}
	return lines
}

// WriteAnswers writes every comparison behind the verdict as CSV: the two contestants, the measure and the cell, the
// ratio with its interval, the number of blocks, the answer, and how many more blocks would decide it.
func (v *Report) WriteAnswers(w io.Writer) error {
	rows := [][]string{{"measure", "where", "contestant", "against", "ratio", "low", "high", "blocks", "answer", "more-blocks"}}
	var all []*versus
	for t, p := range v.cells() {
		for _, s := range p.Behind() {
			all = append(all, &versus{name: s.Name, against: p.First().Name, measure: t, cell: p.name, Comparison: s.ToFirst})
		}
	}
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
	for _, a := range append(all, v.againstBaselines()...) {
		rows = append(rows, []string{a.measure.name, fmt.Sprintf(a.measure.where, a.cell), a.name, a.against,
			f(a.Value), f(a.Low), f(a.High), strconv.Itoa(a.Blocks), a.Answer.String(), strconv.Itoa(a.More())})
	}
	return csv.NewWriter(w).WriteAll(rows)
}
