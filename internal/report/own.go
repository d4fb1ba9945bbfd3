package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// mostOwn is for how many contestants from outside a chart among the known has room.
const mostOwn = 6

// ownQuestion is where contestants from outside stand among those that everybody measures: a
// chart for the author of one of them.
var ownQuestion = question{
	section: whichFastest, first: true,
	figures: func(v *view) []*chart.Figure {
		own := v.own()
		if len(own) > mostOwn {
			return nil
		}
		var rows []string
		var places []place
		for _, t := range v.choices() {
			if at, ok := t.lastOf(own); ok {
				rows = append(rows, t.label()+", "+fmt.Sprintf(strings.TrimPrefix(t.where, "with "), at.name))
				places = append(places, at)
			}
		}
		if len(places) == 0 {
			return nil
		}
		p, beyond := v.amongPanel(own, rows, places)
		f := &chart.Figure{
			Name: "own", Rows: [][]*chart.Panel{{p}},
			Title: "How far from the best of the known: " + words.List(own),
			Subtitle: "Times as much as the best, at the last place of each question, which the row names; " +
				"large marks, with 95 % intervals, are of those asked about",
			Width: chart.Inches(9.6), Height: chart.Inches(2.1) + vg.Points(21)*vg.Length(len(places)),
		}
		if len(beyond) > 0 {
			f.Subtitle += fmt.Sprintf("; beyond %d×, and not drawn there: %s", farBehind, words.List(beyond))
		}
		return []*chart.Figure{f}
	},
}

// own returns who came from outside: neither of the catalog nor of a known system.
func (v *view) own() []string {
	systems := v.systems(v.names)
	return slices.DeleteFunc(slices.Clone(v.names), func(name string) bool { return known(name) || slices.Contains(systems, name) })
}

// lastOf returns the last place of a topic at which one of some contenders competes with others.
func (t topic) lastOf(names []string) (at place, found bool) {
	for _, p := range t.places {
		if len(p.Standings) > 1 && slices.ContainsFunc(p.Standings, func(s judge.Standing) bool { return slices.Contains(names, s.Name) }) {
			at, found = p, true
		}
	}
	return at, found
}

// amongPanel has a row for each of some places: the known in small marks, and those from
// outside in large ones with intervals. It returns which of the known are so far behind
// somewhere that they are not drawn there.
func (v *view) amongPanel(own, rows []string, places []place) (p *chart.Panel, beyond []string) {
	p = &chart.Panel{
		X: chart.Axis{Label: "times as much as the best, lower is better", Log: true, Format: words.Times},
		Y: chart.Axis{Rows: rows},
	}
	others := slices.DeleteFunc(slices.Clone(v.names), func(name string) bool { return slices.Contains(own, name) })
	for k, name := range append(slices.Clone(own), others...) { // intervals below the marks of others
		mine := k < len(own)
		l := chart.Line{Name: name, Style: v.styles[name], Loose: true, Dense: !mine}
		for i, at := range places {
			s, stands := at.ratioTo(name)
			row := -float64(i)
			switch {
			case !stands:
			case mine:
				row += 0.2 * (float64(len(own)-1)/2 - float64(k)) // beside each other
				l.Points = append(l.Points, chart.Point{X: s.Y, Y: row, Low: math.NaN(), High: math.NaN(), Left: s.Low, Right: s.High})
			case s.Y <= farBehind:
				l.Points = append(l.Points, chart.At(s.Y, row))
			case !slices.Contains(beyond, name):
				beyond = append(beyond, name)
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p, beyond
}
