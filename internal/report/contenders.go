package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// standing are the styles of the contenders that everybody measures, in the
// order in which they are always shown. The colours are Okabe and Ito's, which
// readers with any colour vision distinguish; greys are for baselines.
var standing = []struct {
	name string
	chart.Style
}{

	{catalog.Heap, chart.Style{Colour: chart.RGB(0xD55E00), Glyph: draw.PyramidGlyph{}}},
	{catalog.List, chart.Style{Colour: chart.RGB(0xE69F00), Glyph: draw.CrossGlyph{}, Dashes: chart.Dash(5, 2)}},
	{catalog.Single, chart.Style{Colour: chart.RGB(0x009E73), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)}},
	{catalog.Rounds, chart.Style{Colour: chart.RGB(0xCC79A7), Glyph: draw.BoxGlyph{}, Dashes: chart.Dash(6, 2, 1.5, 2)}},
	{catalog.Hier, chart.Style{Colour: chart.RGB(0x0072B2), Glyph: draw.CircleGlyph{}}},
	{catalog.FIFO, chart.Style{Colour: chart.RGB(0x882255), Glyph: draw.RingGlyph{}, Dashes: chart.Dash(10, 3)}},
	{"", chart.Style{}}, // where contestants of the user's own come in
	{catalog.ContainerHeap, chart.Style{Colour: chart.RGB(0xA8A8A8), Glyph: draw.TriangleGlyph{}, Dashes: chart.Dash(3, 3)}},
	{catalog.RuntimeTimer, chart.Style{Colour: chart.RGB(0x707070), Glyph: draw.RingGlyph{}}},
	{rundata.SleepControl, chart.Style{Colour: chart.RGB(0x909090), Glyph: draw.PlusGlyph{}, Dashes: chart.Dash(1.5, 2.5)}},
}

// baseline reports whether a name is of something measured for comparison
// only.
func baseline(name string) bool {
	return name == catalog.RuntimeTimer || name == catalog.ContainerHeap || name == rundata.SleepControl
}

// control reports whether a name is of a control.
func control(name string) bool {
	return slices.Contains([]string{rundata.EmptyControl, rundata.ProcessControl, rundata.NothingControl, rundata.ClockControl}, name)
}

// contenders returns the names of all that was measured except controls and
// second measurements of the same, in the order in which they are shown.
func contenders(d *rundata.Data) []string {
	seen := rundata.Distinct(d.Series, "impl")
	var own []string
	for _, name := range seen {
		if !control(name) && !again(name) && !known(name) {
			own = append(own, name)
		}
	}
	var names []string
	for _, s := range standing {
		switch {
		case s.name == "":
			names = append(names, own...)
		case slices.Contains(seen, s.name):
			names = append(names, s.name)
		}
	}
	return names
}

func known(name string) bool { return StyleOf(name).Glyph != nil }

// StyleOf returns the standing style of a contender.
func StyleOf(name string) chart.Style {
	for _, s := range standing {
		if s.name == name {
			return s.Style
		}
	}
	return chart.Style{}
}

// stylesOf gives each of the names its style: its standing one, or the next in
// reserve; who stands beside another has the same colour, in rings and dashes.
func stylesOf(names []string, beside map[string]string) map[string]chart.Style {
	given, spare := map[string]chart.Style{}, 0
	for _, name := range names {
		if given[name] = StyleOf(name); !known(name) && beside[name] == "" {
			given[name] = chart.Reserve[spare%len(chart.Reserve)]
			spare++
		}
	}
	for name, other := range beside {
		given[name] = chart.Style{Colour: given[other].Colour, Glyph: chart.Ring{}, Dashes: chart.Dash(2, 2)}
	}
	return given
}

// besides returns who stands beside whom, of those that were measured.
func besides(d *rundata.Data, names []string) map[string]string {
	found := map[string]string{}
	for pair := range strings.FieldsSeq(d.Env[rundata.BesideKey]) {
		if name, other, _ := strings.Cut(pair, "="); slices.Contains(names, name) && slices.Contains(names, other) {
			found[name] = other
		}
	}
	return found
}

// again reports whether a name is of a second measurement of the same.
func again(name string) bool { return strings.HasSuffix(name, rundata.AASuffix) }

// way is a contender, or one in one of the ways in which it was measured: by the parameters of its
// series, of which the first is impl.
type way struct {
	name   string
	style  chart.Style
	params []string
}

// again returns the parameters of its second measurement.
func (w way) again() []string {
	params := slices.Clone(w.params)
	params[0] += rundata.AASuffix
	return params
}

// each returns contenders as they are, with further parameters.
func (v *view) each(names []string, params ...string) []way {
	return lists.Each(names, func(name string) way {
		return way{name, v.styles[name], append([]string{"impl=" + name}, params...)}
	})
}

// tickless returns the contenders that sleep until something is due.
func (v *view) tickless() []way {
	return lists.Each(v.names, func(name string) way {
		return v.each([]string{name}, "waking="+withoutTicks(name))[0]
	})
}

// ways returns the ways of some series: contenders, in the order in which they are
// shown, by the values of a parameter. styles are of values other than the usual
// one, and plain says of which ways the value goes without saying.
func (v *view) ways(series []*rundata.Series, key string, styles map[string]chart.Style, plain func(name, value string) bool) (found []way) {
	d := rundata.Data{Series: series}
	for _, name := range v.names {
		for _, value := range rundata.Distinct(d.Select("", "impl="+name), key) {
			w := way{name: name, style: v.styles[name], params: []string{"impl=" + name, key + "=" + value}}
			if !plain(name, value) {
				w.name += ", " + value
			}
			if own, ok := styles[value]; ok {
				w.style = own
			}
			found = append(found, w)
		}
	}
	return found
}

// ofRuntime reports whether a name is of time.AfterFunc, which has one way only.
func ofRuntime(name, _ string) bool { return name == catalog.RuntimeTimer }

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
