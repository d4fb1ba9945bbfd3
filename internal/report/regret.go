package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// RegretName is the name of the chart of what each choice costs at worst.
const RegretName = "regret"

// regretQuestion is what a choice costs at worst: for each contestant and topic, the
// largest factor to the best, over all places.
var regretQuestion = question{
	section: whichFastest, first: true,
	figures: func(v *view) []*chart.Figure { return []*chart.Figure{v.regretFigure()} },
	tables: func(v *view) []*text.Table {
		topics := v.choices()
		regrets := v.worstOf(topics)
		names := slices.DeleteFunc(slices.Clone(v.names), func(name string) bool {
			return !slices.ContainsFunc(regrets, func(of map[string]versus) bool { _, known := of[name]; return known })
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

// choices are the topics that ask which contestant to choose.
func (v *view) choices() []topic {
	return slices.DeleteFunc(slices.Clone(v.topics), func(t topic) bool { return t.ways })
}

// regrets returns the worst that each contestant did at a topic, by name, where so many
// places are to hold together. A significant one comes before any other: a place with few
// blocks may show any ratio by chance.
func (v *view) regrets(t topic, places int) map[string]versus {
	all := map[string]versus{}
	for _, p := range t.places {
		c := judge.Compete(p.contestants, v.terms(t, p, places))
		for i, s := range c.Standings {
			if i == 0 {
				s.ToFirst = asFirst(s.Contestant)
			}
			r, known := all[s.Name]
			if len(c.Standings) > 1 && (!known || worse(s.ToFirst, r.Comparison)) {
				all[s.Name] = versus{s.Name, c.First().Name, t, p.name, s.ToFirst}
			}
		}
	}
	return all
}

// asFirst compares who is in front with itself.
func asFirst(c judge.Contestant) judge.Comparison {
	return judge.Comparison{Ratio: 1, Low: 1, High: 1, Blocks: len(c.Blocks), Answer: judge.AsFast}
}

// worse reports whether one comparison shows more than another of what a choice costs.
func worse(a, b judge.Comparison) bool {
	if a.Answer == judge.Slower || b.Answer == judge.Slower {
		return a.Answer == judge.Slower && (b.Answer != judge.Slower || a.Ratio > b.Ratio)
	}
	return a.Ratio > b.Ratio
}

// worstOf returns all regrets of each of some topics.
func (v *view) worstOf(topics []topic) (all []map[string]versus) {
	for _, t := range topics {
		all = append(all, v.regrets(t, len(t.places)))
	}
	return all
}

// cell writes a regret: with its interval if there is room.
func (a versus) cell(interval bool) string {
	c := a.Comparison
	switch {
	case a.against == "": // not measured
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
		figure += " " + fmt.Sprintf(a.topic.where, a.place)
	}
	return figure
}

// regretFigure shows the regret of each contestant in each group of questions. It is to be read
// at the width of a page: its text is large for its size.
func (v *view) regretFigure() *chart.Figure {
	const darkest = 50
	p := &chart.HeatPanel{Scale: chart.Axis{Log: true, Format: words.Times}, Most: darkest}
	h := &chart.Heat{Panels: []*chart.HeatPanel{p}, Size: 9.5}
	var explained []string
	var regrets []map[string]versus
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

// regretCells are those of a contestant, and whether it was measured at all.
func regretCells(name string, regrets []map[string]versus) (cells []chart.HeatCell, measured bool) {
	for _, of := range regrets {
		r, known := of[name]
		measured = measured || known
		cell := chart.HeatCell{Value: r.Ratio, Text: r.cell(false)}
		switch {
		case !known:
			cell.Value, cell.Text = math.NaN(), "not run"
		case r.Answer == judge.AsFast:
			cell.Value = 1
		}
		cells = append(cells, cell)
	}
	return cells, measured
}

// groupRegrets returns the worst that each contestant did in a group, by name. What is said of
// the group holds for all its places together.
func (v *view) groupRegrets(g group) map[string]versus {
	all := map[string]versus{}
	for _, t := range g.topics {
		for name, r := range v.regrets(t, g.places()) {
			if before, known := all[name]; !known || worse(r.Comparison, before.Comparison) {
				all[name] = r
			}
		}
	}
	return all
}

// weightsLine says which questions decide what a card takes, and by what weights.
func (v *view) weightsLine() string {
	var said []string
	for _, g := range v.groups() {
		var names []string
		for _, t := range g.topics {
			if t.votes {
				names = append(names, t.name)
			}
		}
		if len(names) > 0 {
			said = append(said, fmt.Sprintf("%s (%s)", g.word, strings.Join(names, "; ")))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("The average that decides what to take counts %s, each with the same weight. The topics of a group share its weight, and the places of a topic that of the topic. "+
		"Bare operations and the slowest calls explain, and do not count.", words.List(said))
}

// lossQuestion is who is slower than what Go has, and how much.
var lossQuestion = question{
	section:   whichFastest,
	heading:   "Who is slower than what Go has?",
	sentences: (*view).losses,
}

// versus is how a contestant compares with another at a place of a topic.
type versus struct {
	name, against string
	topic         topic
	place         string
	judge.Comparison
}

// named names the topic and the place.
func (a versus) named() string { return a.topic.named(a.place) }

// fields writes the figures of a comparison.
func (a versus) fields() []string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
	return []string{a.against, f(a.Ratio), f(a.Low), f(a.High), strconv.Itoa(a.Blocks), a.Answer.String(), strconv.Itoa(a.More())}
}

// againstBaselines compares all contestants with Go's own at each place. All that is
// said of one of these holds together, since the largest loss is said first.
func (v *view) againstBaselines() (all []versus) {
	var pairs []judge.Pair
	var at []int // places in both
	for t, p := range v.places() {
		i := slices.IndexFunc(p.contestants, func(c judge.Contestant) bool { return c.Name == t.baseline })
		for _, c := range p.contestants {
			if i >= 0 && c.Name != t.baseline {
				at = append(at, len(all))
				all = append(all, versus{name: c.Name, against: t.baseline, topic: t, place: p.name})
				pairs = append(pairs, judge.Pair{A: c.Blocks, B: p.contestants[i].Blocks, Terms: v.terms(t, p, 1)})
			}
		}
	}
	for _, of := range grouped(at, func(int) bool { return true }, func(i int) string { return all[i].against }) {
		var together []judge.Pair
		stated := map[string]bool{} // of each contestant one interval is
		for _, i := range of {
			together, stated[all[i].name] = append(together, pairs[i]), true
		}
		for i, c := range judge.CompareTogether(together, len(stated)) {
			all[of[i]].Comparison = c
		}
	}
	return all
}

// sentence names the sentence that a comparison is in.
func (a versus) sentence() string { return a.name + " loses to " + a.against }

// lost returns the losses to what Go has, those of a contestant to one of these together, the
// largest first.
func (v *view) lost() [][]versus {
	all := slices.DeleteFunc(v.againstBaselines(), func(a versus) bool { return a.Answer != judge.Slower })
	slices.SortStableFunc(all, func(a, b versus) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return grouped(all, func(versus) bool { return true }, versus.sentence)
}

// losses says who loses to what Go has, and where most, the largest loss first.
func (v *view) losses() (lines []string) {
	for _, group := range v.lost() {
		worst := group[0]
		line := fmt.Sprintf("%s: it takes %s %s at %s", worst.sentence(), factorOf(worst.Comparison), worst.topic.takes, worst.named())
		if more := len(group) - 1; more > 0 {
			line += fmt.Sprintf(", and significantly more in %s", words.Many(more, "other comparison"))
		}
		lines = append(lines, line+".")
	}
	return lines
}

// WriteAnswers writes every comparison behind the verdict as CSV: who was compared with
// whom in which question and at which place, the ratio with its interval, by how many
// blocks, the answer, and how many more blocks would decide it.
func WriteAnswers(w io.Writer, d *rundata.Data, opt Options) error {
	v := newView(d, opt)
	rows := [][]string{{"question", "place", "contender", "against", "ratio", "low", "high", "blocks", "answer", "more-blocks"}}
	all := []versus{}
	for t, p := range v.places() {
		for _, s := range p.behindFirst() {
			all = append(all, versus{s.Name, p.First().Name, t, p.name, s.ToFirst})
		}
	}
	for _, a := range append(all, v.againstBaselines()...) {
		rows = append(rows, append([]string{a.topic.name, fmt.Sprintf(a.topic.where, a.place), a.name}, a.fields()...))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteRegret writes the worst factor of each contestant to the best, for each
// question, and where, as CSV.
func WriteRegret(w io.Writer, d *rundata.Data, opt Options) error {
	v := newView(d, opt)
	rows := [][]string{{"contender", "question", "place", "against", "ratio", "low", "high", "blocks", "answer", "more-blocks"}}
	topics := v.choices()
	regrets := v.worstOf(topics)
	for _, name := range v.names {
		for i, t := range topics {
			if r, known := regrets[i][name]; known {
				rows = append(rows, append([]string{name, t.name, fmt.Sprintf(t.where, r.place)}, r.fields()...))
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
