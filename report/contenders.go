package report

import (
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/report/chart"
)

// standing are the looks of the contenders that everybody measures, in the
// order in which they are always shown. The colours are Okabe and Ito's, which
// readers with any colour vision can tell apart; greys are for baselines.
var standing = []struct {
	name string
	look chart.Style
}{
	{"heapsched", chart.Style{Colour: chart.RGB(0xD55E00), Glyph: draw.PyramidGlyph{}, Dashes: nil}},
	{"listsched", chart.Style{Colour: chart.RGB(0xE69F00), Glyph: draw.CrossGlyph{}, Dashes: chart.Dash(5, 2)}},
	{"singlewheel", chart.Style{Colour: chart.RGB(0x009E73), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)}},
	{"roundswheel", chart.Style{Colour: chart.RGB(0xCC79A7), Glyph: draw.BoxGlyph{}, Dashes: chart.Dash(6, 2, 1.5, 2)}},
	{"hierwheel", chart.Style{Colour: chart.RGB(0x0072B2), Glyph: draw.CircleGlyph{}, Dashes: nil}},
	{"", chart.Style{}}, // where contestants of the user's own come in
	{catalog.ContainerHeap, chart.Style{Colour: chart.RGB(0xA8A8A8), Glyph: draw.TriangleGlyph{}, Dashes: chart.Dash(3, 3)}},
	{catalog.RuntimeTimer, chart.Style{Colour: chart.RGB(0x707070), Glyph: draw.RingGlyph{}, Dashes: nil}},
	{harness.SleepControl, chart.Style{Colour: chart.RGB(0x909090), Glyph: draw.PlusGlyph{}, Dashes: chart.Dash(1.5, 2.5)}},
}

// baseline reports whether a name is of something measured for comparison
// only.
func baseline(name string) bool {
	return name == catalog.RuntimeTimer || name == catalog.ContainerHeap || name == harness.SleepControl
}

// control reports whether a name is of a control.
func control(name string) bool {
	return name == harness.EmptyControl || name == harness.ProcessControl || name == harness.NothingControl
}

// contenders returns the names of all that was measured except controls and
// second measurements of the same, in the order in which they are shown.
func contenders(d *harness.Data) []string {
	seen := harness.Distinct(d.Series, "impl")
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

func known(name string) bool {
	for _, s := range standing {
		if s.name == name {
			return true
		}
	}
	return false
}

// looks gives each of the names its look: its standing one, or the next in
// reserve.
func looks(names []string) map[string]chart.Style {
	given := map[string]chart.Style{}
	for _, s := range standing {
		given[s.name] = s.look
	}
	spare := 0
	for _, name := range names {
		if _, ok := given[name]; !ok {
			given[name] = chart.Reserve[spare%len(chart.Reserve)]
			spare++
		}
	}
	return given
}
