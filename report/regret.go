package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
	"schedbench/report/text"

	"gonum.org/v1/plot/vg"
)

// regretQuestion is what a choice costs at worst: for each contender and topic, the
// largest factor to whoever is in front, over all places.
var regretQuestion = question{
	figures: func(v *view) []*chart.Figure { return []*chart.Figure{v.regretFigure()} },
	tables: func(v *view) []*text.Table {
		topics := v.choices()
		t := &text.Table{Title: "Regret: the worst factor to whoever is in front, and where", Names: 1, Header: []string{"contender"},
			Notes: []string{"In brackets: that it differs from 1 cannot be told; same: within the margin, or too little to notice. “-” was not measured."}}
		for _, topic := range topics {
			t.Header = append(t.Header, topic.name)
		}
		for _, name := range v.names {
			row := []string{name}
			for _, topic := range topics {
				row = append(row, v.regret(topic, name, 1).cell(true))
			}
			if slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "-" }) {
				t.Add(row...)
			}
		}
		return []*text.Table{t}
	},
	sentences: func(v *view) []string { return []string{v.regretLine()} },
}

// choices are the topics that ask whom to choose.
func (v *view) choices() []topic {
	return slices.DeleteFunc(slices.Clone(v.topics), func(t topic) bool { return t.ways })
}

// Regret is the worst that a contender did at a topic.
type Regret struct {
	Contender, Topic, Place string
	// ToFirst compares it with whoever was in front there, First; its ratio is 1 if it was
	// in front everywhere, and NaN if it was not measured.
	ToFirst judge.Comparison
	First   string
	Places  int
}

// regret returns the worst that a contender did at a topic, for a sentence about so many
// topics.
func (v *view) regret(t topic, name string, topics int) Regret {
	r := Regret{Contender: name, Topic: t.name, ToFirst: judge.Comparison{Ratio: math.NaN()}}
	for _, p := range t.places {
		c := judge.Compete(p.contenders, v.terms(t, p, len(t.places)*topics))
		i := slices.IndexFunc(c.Standings, func(s judge.Standing) bool { return s.Name == name })
		if i < 0 || len(c.Standings) < 2 {
			continue
		}
		r.Places++
		to := c.Standings[i].ToFirst
		if i == 0 {
			to = judge.Comparison{Ratio: 1, Low: 1, High: 1, Blocks: len(c.First().Blocks), Answer: judge.AsFast}
		}
		if !(to.Ratio <= r.ToFirst.Ratio) { // NaN is replaced by anything
			r.ToFirst, r.Place, r.First = to, fmt.Sprintf(t.where, p.name), c.First().Name
		}
	}
	return r
}

// cell writes a regret: with its interval if there is room.
func (r Regret) cell(interval bool) string {
	c := r.ToFirst
	switch {
	case math.IsNaN(c.Ratio):
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
	case judge.CannotTell:
		figure = "(" + figure + ")"
	case judge.AsFast:
		figure = "same: " + figure
	}
	if interval {
		figure += " " + r.Place
	}
	return figure
}

// regretFigure shows the regret of each contender at each topic.
func (v *view) regretFigure() *chart.Figure {
	p := &chart.HeatPanel{Scale: chart.Axis{Log: true, Format: words.Times}}
	h := &chart.Heat{Panels: []*chart.HeatPanel{p}}
	topics := v.choices()
	for _, t := range topics {
		p.Columns = append(p.Columns, t.label())
	}
	for _, name := range v.names {
		var cells []chart.HeatCell
		measured := false
		for _, t := range topics {
			r := v.regret(t, name, 1)
			measured = measured || r.Places > 0
			cell := chart.HeatCell{Value: r.ToFirst.Ratio, Text: r.cell(false)}
			switch {
			case r.Places == 0:
				cell.Text = "not run"
			case r.ToFirst.Answer == judge.AsFast:
				cell.Value = 1
			}
			cells = append(cells, cell)
		}
		if measured {
			h.Rows, h.Notes, p.Cells = append(h.Rows, name), append(h.Notes, ""), append(p.Cells, cells)
		}
	}
	return &chart.Figure{
		Name: "regret", Heat: h, Named: true,
		Title: "What does a choice cost at worst?",
		Subtitle: "The worst factor to whoever is in front, over all sizes and workloads of each question; lower is better: lighter is less. " +
			"“same” is within " + v.margin() + " or negligible; in brackets: cannot be told from 1",
		Width:  chart.Inches(max(8.6, 2.2+0.95*float64(len(topics)))),
		Height: vg.Points(200 + 30*float64(len(h.Rows))),
	}
}

// regretLine says of each contender what it costs at worst, as far as it was told, the
// least first.
func (v *view) regretLine() string {
	type worst struct {
		Regret
		lost bool
	}
	var all []worst
	topics := v.choices()
	for _, name := range v.names {
		w, measured := worst{Regret: Regret{Contender: name, ToFirst: judge.Comparison{Ratio: 1}}}, false
		for _, t := range topics {
			r := v.regret(t, name, len(topics))
			measured = measured || r.Places > 0
			if r.ToFirst.Answer == judge.Slower && r.ToFirst.Ratio > w.ToFirst.Ratio {
				w = worst{r, true}
			}
		}
		if measured {
			all = append(all, w)
		}
	}
	if len(all) < 2 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b worst) int { return cmp.Compare(a.ToFirst.Ratio, b.ToFirst.Ratio) })
	var said []string
	for _, w := range all {
		if !w.lost {
			said = append(said, w.Contender+" nothing that can be told")
			continue
		}
		said = append(said, fmt.Sprintf("%s %s at %s %s", w.Contender, factorOf(w.ToFirst), w.Topic, w.Place))
	}
	return "What each costs at worst, as a factor to whoever is in front: " + strings.Join(said, "; ") + "."
}
