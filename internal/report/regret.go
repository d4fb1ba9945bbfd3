package report

import (
	"fmt"
	"math"
	"slices"

	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"

	"gonum.org/v1/plot/vg"
)

// RegretName is the name of the chart of what each choice costs at worst.
const RegretName = "regret"

// regretQuestion is what a choice costs at worst: for each contender and topic, the
// largest factor to the best, over all places.
var regretQuestion = question{
	section: whichFastest, first: true,
	figures: func(v *view) []*chart.Figure { return []*chart.Figure{v.regretFigure()} },
	tables: func(v *view) []*text.Table {
		topics := v.choices()
		regrets := v.worstOf(topics)
		names := slices.DeleteFunc(slices.Clone(v.names), func(name string) bool {
			return !slices.ContainsFunc(regrets, func(of map[string]Regret) bool { _, known := of[name]; return known })
		})
		t := &text.Table{Title: "Regret: the worst factor to the best, and where", Names: 1, Header: append([]string{"question"}, names...),
			Notes: []string{"In brackets: nowhere significant. “same”: within the margin, or too little to notice. “-”: not measured."}}
		for i, topic := range topics {
			row := []string{topic.name}
			for _, name := range names {
				row = append(row, regrets[i][name].cell(true))
			}
			t.Add(row...)
		}
		return []*text.Table{t}
	},
	sentences: func(v *view) []string { return []string{v.weightsLine()} },
}

// choices are the topics that ask whom to choose.
func (v *view) choices() []topic {
	return slices.DeleteFunc(slices.Clone(v.topics), func(t topic) bool { return t.ways })
}

// Regret is the worst that a contender did at a topic: the largest significant factor, or else the largest.
type Regret struct {
	// Question is the name of the topic, Place where that was, and First who was in front
	// there.
	Question, Place, First string
	// ToFirst compares the two; its ratio is 1 if the contender was in front everywhere. It is
	// significant unless no place has a significant one.
	ToFirst judge.Comparison
}

// regrets returns the worst that each contender did at a topic, by name, where so many
// places are to hold together. A significant one comes before any other: a place with few
// blocks may show any ratio by chance.
func (v *view) regrets(t topic, places int) map[string]Regret {
	all := map[string]Regret{}
	for _, p := range t.places {
		c := judge.Compete(p.contenders, v.terms(t, p, places))
		for i, s := range c.Standings {
			if i == 0 {
				s.ToFirst = judge.Comparison{Ratio: 1, Low: 1, High: 1, Blocks: len(s.Blocks), Answer: judge.AsFast}
			}
			r, known := all[s.Name]
			if len(c.Standings) > 1 && !(known && !worse(s.ToFirst, r.ToFirst)) {
				all[s.Name] = Regret{t.name, fmt.Sprintf(t.where, p.name), c.First().Name, s.ToFirst}
			}
		}
	}
	return all
}

// worse reports whether one comparison shows more than another of what a choice costs.
func worse(a, b judge.Comparison) bool {
	if significantlySlower(a) != significantlySlower(b) {
		return significantlySlower(a)
	}
	return a.Ratio > b.Ratio
}

func significantlySlower(c judge.Comparison) bool { return c.Answer == judge.Slower }

// worstOf returns all regrets of each of some topics.
func (v *view) worstOf(topics []topic) (all []map[string]Regret) {
	for _, t := range topics {
		all = append(all, v.regrets(t, len(t.places)))
	}
	return all
}

// cell writes a regret: with its interval if there is room.
func (r Regret) cell(interval bool) string {
	c := r.ToFirst
	switch {
	case r.First == "": // not measured
		return "-"
	case c.Ratio == 1 && c.Low == 1:
		return "1×"
	case c.Answer == judge.AsFast && !interval:
		return "same"
	}
	figure := words.Times(c.Ratio)
	if interval && c.Blocks > 1 {
		figure = words.Interval(c.Ratio, c.Low, c.High, words.Times)
	}
	switch c.Answer {
	case judge.Unclear:
		figure = "(" + figure + ")"
	case judge.AsFast:
		figure = "same: " + figure
	}
	if interval {
		figure += " " + r.Place
	}
	return figure
}

// regretFigure shows the regret of each contender in each group of questions. It is to be read
// at the width of a page: its text is large for its size.
func (v *view) regretFigure() *chart.Figure {
	const darkest = 50
	p := &chart.HeatPanel{Scale: chart.Axis{Log: true, Format: words.Times}, Most: darkest}
	h := &chart.Heat{Panels: []*chart.HeatPanel{p}, Size: 9.5}
	var explained []string
	var regrets []map[string]Regret
	for _, g := range v.groups() {
		p.Columns, explained = append(p.Columns, g.word), append(explained, g.line())
		regrets = append(regrets, v.groupRegrets(g))
	}
	for _, name := range v.names {
		if cells, measured := regretCells(name, regrets); measured {
			h.Rows, h.Notes, p.Cells = append(h.Rows, name), append(h.Notes, ""), append(p.Cells, cells)
		}
	}
	return &chart.Figure{
		Name: RegretName, Heat: h, Named: true, Words: explained,
		Title: "What does a choice cost at worst?",
		Subtitle: "Times as much as the best, over all sizes and workloads of a question; lighter is better. " +
			"“same”: within " + v.margin() + ", or too little to notice; in brackets: nowhere significant",
		Width:  chart.Inches(max(6, 1.6+0.66*float64(len(p.Columns)))),
		Height: vg.Points(205 + 27*float64(len(h.Rows))),
	}
}

// regretCells are those of a contender, and whether it was measured at all.
func regretCells(name string, regrets []map[string]Regret) (cells []chart.HeatCell, measured bool) {
	for _, of := range regrets {
		r, known := of[name]
		measured = measured || known
		cell := chart.HeatCell{Value: r.ToFirst.Ratio, Text: r.cell(false)}
		switch {
		case !known:
			cell.Value, cell.Text = math.NaN(), "not run"
		case r.ToFirst.Answer == judge.AsFast:
			cell.Value = 1
		}
		cells = append(cells, cell)
	}
	return cells, measured
}
