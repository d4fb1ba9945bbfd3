package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// mapChapter is who is best where: by pending timers, cancelled share and horizon. It explains
// and has no vote: it has no measures, from which recommendations are made.
var mapChapter = chapter{
	section:   whichFastest,
	figures:   func(v *Report) []*chart.Figure { return []*chart.Figure{v.mapFigure()} },
	tables:    func(v *Report) []*text.Table { return []*text.Table{v.mapTable()} },
	sentences: func(v *Report) []string { return []string{v.mapLine()} },
}

type mapCell struct {
	horizon, pending, cancelled string
	cell
}

// mapCells returns the cells that have figures: one without a kept sample has none. At most 5 % of the significant
// leads are expected to be false (see judge.Counted).
func (v *Report) mapCells() (mapped []mapCell) {
	key := func(s *rundata.Series) string {
		return s.Get("horizon") + " " + s.Get("pending") + " " + s.Get("cancel")
	}
	for _, all := range lists.Groups(v.ordered(v.data.Select(rundata.Map), "horizon", "pending", "cancel"), key) {
		var t measure
		t.add("", 0, v.each(bareNames(v.names)), func(params []string) []float64 { return v.blocks(first(all, params...), "") })
		for _, p := range t.cells {
			mapped = append(mapped, mapCell{all[0].Get("horizon"), all[0].Get("pending"), all[0].Get("cancel"), p})
		}
	}
	counted := judge.Counted(len(mapped), func(comparisons int) (led int) {
		for _, m := range mapped {
			if judge.Compete(m.contestants, v.terms(m.cell, comparisons)).Won() {
				led++
			}
		}
		return led
	})
	for i, m := range mapped {
		mapped[i].Contest = judge.Compete(m.contestants, v.terms(m.cell, counted))
	}
	return slices.DeleteFunc(mapped, func(m mapCell) bool { return len(m.Standings) == 0 })
}

func (v *Report) mapFigure() *chart.Figure {
	all := v.data.Select(rundata.Map)
	horizons, pending, cancelled := values(all, "horizon"), values(all, "pending"), values(all, "cancel")
	h := &chart.Heat{Corner: "timers pending:", Size: 9, Notes: make([]string, len(cancelled)),
		Rows: lists.Each(cancelled, func(c string) string { return c + " % cancelled" })}
	mapped := v.mapCells()
	for _, horizon := range horizons {
		p := heatPanel("delays up to "+valueWords(horizon), cancelled, pending, func(c, n string) chart.HeatCell { return v.drawnCell(mapped, horizon, n, c) })
		p.Columns = lists.Each(pending, valueWords)
		h.Panels = append(h.Panels, p)
	}
	h.Swatches = v.mapSwatches(mapped)
	return &chart.Figure{
		Name: "map", Heat: h, Named: true,
		Title: "Which scheduler is best where?",
		Subtitle: "Time for the whole life of a timer, by how many are pending and which share of them is cancelled. " +
			"A timer is scheduled with a uniform delay. It fires, or is cancelled at any time before. " +
			"Figures: how many times as long the next best takes",
		Width:  chart.Inches(max(8.6, 1.1+0.79*float64(len(pending)*len(horizons)))),
		Height: vg.Points(max(340, 136+32*float64(len(cancelled)))),
	}
}

// rivals returns the standings that the first is not significantly ahead of. The second may be none, where a later one scatters.
func (m mapCell) rivals() []judge.Standing {
	return lists.Only(m.Behind(), func(s judge.Standing) bool { return s.ToFirst.Answer != judge.Slower })
}

// mapPale is how far the colours of cells without a significant leader are on their way to white.
const mapPale = 0.62

// mapFills are the colours of a cell: that of the first, or paler ones of the first and its nearest rival.
func (v *Report) mapFills(m mapCell) []color.NRGBA {
	rivals := m.rivals()
	if len(rivals) == 0 {
		return []color.NRGBA{v.styles[m.First().Name].Colour}
	}
	return lists.Each([]string{m.First().Name, rivals[0].Name}, func(name string) color.NRGBA {
		return chart.Faded(v.styles[name].Colour, mapPale)
	})
}

func (v *Report) drawnCell(mapped []mapCell, horizon, pending, cancelled string) chart.HeatCell {
	i := slices.IndexFunc(mapped, func(m mapCell) bool { return m.horizon == horizon && m.pending == pending && m.cancelled == cancelled })
	if i < 0 {
		return chart.HeatCell{Value: math.NaN(), Text: "not run"}
	}
	m := mapped[i]
	c := chart.HeatCell{Text: shortName(m.First().Name), Fills: v.mapFills(m)}
	if len(m.Standings) == 1 {
		return c
	}
	next, rivals := m.Standings[1], m.rivals()
	if len(rivals) > 0 {
		next = rivals[0]
		c.Text += " / " + shortName(next.Name)
	}
	c.Below = words.Times(next.ToFirst.Value)
	if more := len(rivals) - 1; more > 0 {
		c.Below += fmt.Sprintf(", +%d", more)
	}
	return c
}

// mapSwatches explain the colours, by those of a cell that has them.
func (v *Report) mapSwatches(mapped []mapCell) (swatches []chart.Swatch) {
	add := func(won bool, text string) {
		i := slices.IndexFunc(mapped, func(m mapCell) bool { return len(m.Standings) > 1 && m.Won() == won })
		if i >= 0 {
			swatches = append(swatches, chart.Swatch{Fills: v.mapFills(mapped[i]), Text: text})
		}
	}
	add(true, "significantly ahead of all others")
	second := "not significantly ahead of the second"
	if slices.ContainsFunc(mapped, func(m mapCell) bool { return len(m.rivals()) > 1 }) {
		second += " (+1: and of one more)"
	}
	add(false, second)
	return swatches
}

// shortName leaves out of the name of a scheduler that it is one.
func shortName(name string) string {
	for _, what := range []string{"sched", "wheel"} {
		if short, found := strings.CutSuffix(name, what); found && short != "" {
			return short
		}
	}
	return name
}

func mapAnswer(m mapCell) string {
	switch open := m.Others(judge.Unclear); {
	case len(m.Standings) < 2:
		return ""
	case m.Won():
		return "leads"
	case len(open) > 0:
		return "unclear: " + words.List(namesOf(open))
	}
	return "as fast: " + words.List(namesOf(m.Others(judge.AsFast)))
}

func (v *Report) mapTable() *text.Table {
	t := &text.Table{
		Title: "Map: who is best where", Names: 3,
		Header: []string{"delays up to", "pending", "cancelled", "best", "time of a timer", "next best", "takes times as long", "answer"},
		Notes: []string{"The time is that of a timer's whole life. “leads”: the best is significantly ahead of all others. " +
			"“as fast”: the whole interval lies within " + v.margin() + ". “unclear”: neither; the table names those. " +
			"At most 5 % of the leads are expected to be false."},
	}
	for _, m := range v.mapCells() {
		first := m.First()
		next, ratio := "", ""
		if len(m.Standings) > 1 {
			next, ratio = m.Standings[1].Name, factorOf(m.Standings[1].ToFirst)
		}
		t.Add(valueWords(m.horizon), valueWords(m.pending), m.cancelled+" %",
			first.Name, within(summarize(first.Blocks), words.Nanos), next, ratio, mapAnswer(m))
	}
	return t
}

// mapLine says who leads how many cells, and where it is unclear.
func (v *Report) mapLine() string {
	led := map[string]int{}
	asFast, open := 0, 0
	cells := lists.Only(v.mapCells(), func(m mapCell) bool { return len(m.Standings) > 1 })
	for _, m := range cells {
		switch {
		case m.Won():
			led[m.First().Name]++
		case len(m.Others(judge.Unclear)) > 0:
			open++
		default:
			asFast++
		}
	}
	if len(cells) == 0 {
		return ""
	}
	names := lists.Only(v.names, func(name string) bool { return led[name] != 0 })
	slices.SortStableFunc(names, func(a, b string) int { return led[b] - led[a] })
	said := lists.Each(names, func(name string) string { return fmt.Sprintf("%s leads in %d", name, led[name]) })
	if said == nil {
		said = []string{"no scheduler leads"}
	}
	line := fmt.Sprintf("Of %s of the map, %s", words.Many(len(cells), "cell"), words.List(said))
	if asFast > 0 {
		line += fmt.Sprintf("; in %d several are as fast as the first", asFast)
	}
	if open > 0 {
		line += fmt.Sprintf("; %d unclear", open)
	}
	return line + "."
}
