package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/harness"
)

// look is how a contender is drawn, the same on every chart.
type look struct {
	colour color.NRGBA
	glyph  draw.GlyphDrawer
	dashes []vg.Length
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// faded returns the colour mixed with white: 0 leaves it, 1 is white. Mixing
// rather than transparency keeps crossing lines from darkening each other.
func faded(c color.NRGBA, white float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(float64(v) + (255-float64(v))*white) }
	return color.NRGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: c.A}
}

// The names that the harness gives to what is not a contestant.
const (
	runtimeTimer  = "time.AfterFunc"
	containerHeap = "container-heap"
	sleepLoop     = "sleep"
	emptyControl  = "empty"
	idleProcess   = "process"
	nothing       = "none"
	againSuffix   = "-again"
)

// standing are the looks of the contenders that everybody measures, in the
// order in which they are always shown. The colours are Okabe and Ito's, which
// readers with any colour vision can tell apart; greys are for baselines.
var standing = []struct {
	name string
	look look
}{
	{"heapsched", look{rgb(0xD55E00), draw.PyramidGlyph{}, nil}},
	{"listsched", look{rgb(0xE69F00), draw.CrossGlyph{}, dash(5, 2)}},
	{"singlewheel", look{rgb(0x009E73), draw.SquareGlyph{}, dash(8, 2)}},
	{"roundswheel", look{rgb(0xCC79A7), draw.BoxGlyph{}, dash(6, 2, 1.5, 2)}},
	{"hierwheel", look{rgb(0x0072B2), draw.CircleGlyph{}, nil}},
	{"", look{}}, // where contestants of the user's own come in
	{containerHeap, look{rgb(0xA8A8A8), draw.TriangleGlyph{}, dash(3, 3)}},
	{runtimeTimer, look{rgb(0x707070), draw.RingGlyph{}, nil}},
	{sleepLoop, look{rgb(0x909090), draw.PlusGlyph{}, dash(1.5, 2.5)}},
}

// reserve are the looks for contestants of the user's own.
var reserve = []look{
	{rgb(0x000000), draw.CrossGlyph{}, nil},
	{rgb(0x56B4E9), draw.PlusGlyph{}, dash(7, 3)},
	{rgb(0x882255), draw.TriangleGlyph{}, dash(2, 2)},
	{rgb(0x999933), draw.RingGlyph{}, dash(9, 2, 2, 2)},
	{rgb(0x332288), draw.SquareGlyph{}, dash(4, 2)},
	{rgb(0x117733), draw.CircleGlyph{}, dash(7, 3)},
	{rgb(0xAA4499), draw.BoxGlyph{}, dash(3, 3)},
	{rgb(0x661100), draw.PyramidGlyph{}, dash(9, 2, 2, 2)},
	{rgb(0x6699CC), draw.SquareGlyph{}, nil},
	{rgb(0xDDAA33), draw.TriangleGlyph{}, dash(5, 3)},
	{rgb(0x44AA99), draw.CrossGlyph{}, dash(2, 2)},
	{rgb(0xBB5566), draw.RingGlyph{}, dash(4, 2)},
}

func dash(points ...float64) []vg.Length {
	lengths := make([]vg.Length, len(points))
	for i, p := range points {
		lengths[i] = vg.Points(p)
	}
	return lengths
}

// baseline reports whether a name is of something measured for comparison
// only.
func baseline(name string) bool {
	return name == runtimeTimer || name == containerHeap || name == sleepLoop
}

// control reports whether a name is of a control.
func control(name string) bool {
	return name == emptyControl || name == idleProcess || name == nothing
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
func looks(names []string) map[string]look {
	given := map[string]look{}
	for _, s := range standing {
		given[s.name] = s.look
	}
	spare := 0
	for _, name := range names {
		if _, ok := given[name]; !ok {
			given[name] = reserve[spare%len(reserve)]
			spare++
		}
	}
	return given
}
