package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
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

// questionGroup is a few topics that a reader takes for one question. Groups are the columns
// of the chart of regret and of the table of the card.
type questionGroup struct {
	// word heads a column, and meaning is a line of explanation that goes on after a colon.
	word, meaning string
	// when says for which programs it matters most.
	when string
	// labels are those of the topics, up to a comma.
	labels []string
	topics []topic
}

// questionGroups lists the groups, in the order in which they are shown, without topics. The
// first six have topics that programs ask. What bare schedulers do explains these.
func questionGroups() []questionGroup {
	ofCost := func(i int, when, more string, labels ...string) questionGroup {
		o := costOperations[i]
		return questionGroup{word: o.Word, meaning: o.Brief + more, when: when, labels: append(labels, o.Word)}
	}
	return []questionGroup{
		{word: "replay", when: "your program is like the one named", meaning: operationCalled("replay").Brief, labels: []string{"replays"}},
		ofCost(1, "timers are mostly started and stopped", ", bare or by AfterFunc and Stop", "live pair"),
		ofCost(2, "timers are mostly moved", ", bare or by Timer.Reset", "live reset"),
		{word: "lateness", when: "lateness counts", meaning: "99th percentile of how late functions begin, without ticks", labels: []string{"late", "catch up"}},
		{word: "memory", when: "memory or collections count", meaning: "for each timer, and the time of a garbage collection", labels: []string{"memory", "collection"}},
		{word: "idle", when: "idling counts", meaning: "CPU without ticks, and a tick with nothing due", labels: []string{"idle", "idle tick"}},
		ofCost(0, "timers are mostly started", ""),
		{word: "expire", when: "most timers come due", meaning: "take out what is due, few at a time or a burst at once", labels: []string{"expire", "burst", "run out"}},
		{word: "tail", when: "the slowest calls count", meaning: "the p99.9 of single calls", labels: []string{"tail"}},
	}
}

// groups returns the groups that a run has topics of, with these. Topics that no group knows
// are groups by themselves, after the others.
func (v *view) groups() (found []questionGroup) {
	all := questionGroups()
	for _, t := range v.choices() {
		head, _, _ := strings.Cut(t.label(), ",")
		i := slices.IndexFunc(all, func(g questionGroup) bool { return slices.Contains(g.labels, head) })
		if i < 0 {
			i = len(all)
			all = append(all, questionGroup{word: t.label(), labels: []string{head}})
		}
		all[i].topics = append(all[i].topics, t)
	}
	return slices.DeleteFunc(all, func(g questionGroup) bool { return len(g.topics) == 0 })
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

// places is how many places the topics of a group have in all.
func (g questionGroup) places() (n int) {
	for _, t := range g.topics {
		n += len(t.places)
	}
	return n
}

// line explains the group: "pair: cancel one, insert another, ...".
func (g questionGroup) line() string {
	if g.meaning == "" {
		return g.word
	}
	return g.word + ": " + g.meaning
}

// groupRegrets returns the worst that each contender did in a group, by name. What is said of
// the group holds for all its places together.
func (v *view) groupRegrets(g questionGroup) map[string]Regret {
	all := map[string]Regret{}
	for _, t := range g.topics {
		for name, r := range v.regrets(t, g.places()) {
			if before, known := all[name]; !known || worse(r.ToFirst, before.ToFirst) {
				all[name] = r
			}
		}
	}
	return all
}
