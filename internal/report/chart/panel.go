package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// Point is a value with its interval; Low and High are NaN where there is none.
type Point struct{ X, Y, Low, High float64 }

// At returns a value without an interval.
func At(x, y float64) Point { return Point{X: x, Y: y, Low: math.NaN(), High: math.NaN()} }

// Line is a line through points, or points by themselves.
type Line struct {
	Name     string
	Style    Style
	Points   []Point
	Marked   []Point  // those with a glyph; nil: all of them
	Captions []string // are written beside the points, and the line is named nowhere else
	Loose    bool     // no line between the points
}

func pointsOf(lines []Line) []Point {
	return slices.Concat(lists.Each(lines, func(l Line) []Point { return l.Points })...)
}

// Band is drawn as a band between the ends of its intervals.
type Band struct {
	Name   string
	Points []Point
}

// Guide is a complexity to compare slopes with.
type Guide struct {
	Name string
	Of   func(float64) float64
}

// Rule is a line across the panel: level, with its name in the margin, or upright at an x, with its name above the panel.
type Rule struct {
	At     float64
	Name   string
	Colour color.Color
}

// AtMost is the line of a limit, named in the margin; none if there is no limit.
func AtMost(limit float64, f words.Format) []Rule {
	if limit <= 0 {
		return nil
	}
	return []Rule{{At: limit, Name: "at most " + words.Trimmed(f(limit)), Colour: limitColour}}
}

// Panel is one plot of a figure.
type Panel struct {
	Title    string
	X, Y     Axis
	Bands    []Band
	Guides   []Guide
	Lines    []Line
	Levels   []Rule
	Uprights []Rule
	Own      bool  // keeps its height apart in a figure whose panels are alike
	abreast  bool  // lines are side by side: there is only one x, and they would cover each other
	above    bool  // it or a panel beside it has names above the data
	anchor   Point // where the guides meet
}

// Fit drops lines without points, sets the axes to what is left, and reports whether any line is left.
func (p *Panel) Fit() bool {
	p.Lines = slices.DeleteFunc(p.Lines, func(l Line) bool { return !slices.ContainsFunc(l.Points, p.drawable) })
	var xs, ys []float64
	for _, pt := range lists.Only(pointsOf(p.Lines), p.drawable) {
		xs = append(xs, pt.X)
		ys = append(ys, pt.Y, pt.Low, pt.High)
	}
	if len(xs) == 0 {
		return false
	}
	ys = p.presentable(ys)
	for _, b := range p.Bands {
		for _, pt := range b.Points {
			ys = append(ys, pt.Y, max(pt.Low, pt.Y/bandShown), min(pt.High, pt.Y*bandShown))
		}
	}
	at := func(r Rule) float64 { return r.At }
	xs, ys = append(xs, lists.Each(p.Uprights, at)...), append(ys, lists.Each(p.Levels, at)...)
	p.abreast = slices.Min(xs) == slices.Max(xs)
	p.X.fit(xs)
	p.Y.fit(ys)
	p.anchor = p.origin()
	return true
}

// bandShown is the factor up to which a band's interval is in view: a useless one must not make all else small.
const bandShown = 20

func (p *Panel) drawable(pt Point) bool { return placeable(&p.X, pt.X) && placeable(&p.Y, pt.Y) }

func placeable(a *Axis, v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0 || a.WithZero)
}

// presentable leaves out ends of intervals that would stretch a logarithmic axis beyond use: low ends at or near zero.
func (p *Panel) presentable(ys []float64) []float64 {
	if !p.Y.Log {
		return ys
	}
	least := math.Inf(1)
	for _, pt := range pointsOf(p.Lines) {
		if pt.Y > 0 {
			least = min(least, pt.Y)
		}
	}
	return slices.DeleteFunc(ys, func(y float64) bool { return !(y >= least/3 || y <= 0 && p.Y.WithZero) })
}

// origin returns where guides begin: the middle of the lines at the left end.
func (p *Panel) origin() Point {
	left, points := math.Inf(1), lists.Only(pointsOf(p.Lines), func(pt Point) bool { return pt.Y > 0 })
	for _, pt := range points {
		if pt.X > 0 {
			left = min(left, pt.X)
		}
	}
	var sum, n float64
	for _, pt := range points {
		if pt.X == left {
			sum, n = sum+math.Log(pt.Y), n+1
		}
	}
	return Point{X: left, Y: math.Exp(sum / n)}
}

// plot returns the panel as a plot with everything but the names.
func (p *Panel) plot(titles bool) *plot.Plot {
	plt := plot.New()
	plt.BackgroundColor = nil // a figure has its own, an element that of its page
	if p.Title != "" {
		plt.Title.Text = " " // only room: the title itself goes above the data
		plt.Title.TextStyle.Font = sans(titleSize, true)
		plt.Title.Padding = p.headroom()
	}
	dress(&plt.X, &p.X)
	dress(&plt.Y, &p.Y)
	if !titles {
		plt.Y.Label.Text = ""
	}
	plt.Add(p)
	return plt
}

const titleSize = 9.5

// headroom is the space above the data: guides and upright lines are named there.
func (p *Panel) headroom() vg.Length {
	if p.above {
		return vg.Points(14)
	}
	return vg.Points(6)
}

func dress(to *plot.Axis, from *Axis) {
	to.Min, to.Max = from.lo, from.hi
	to.Tick.Marker = from
	to.Tick.Label.Font = sans(8.5, false)
	to.Tick.Label.Color = Ink
	to.Tick.Length = vg.Points(5)
	to.Tick.Color, to.LineStyle.Color = paleColour, paleColour
	to.Label.Text = from.Label
	to.Label.TextStyle.Font = sans(9, false)
	to.Label.TextStyle.Color = Ink
	to.Label.Padding = vg.Points(4)
	to.Padding = 0
}

// Plot draws the panel from the back to the front.
func (p *Panel) Plot(c draw.Canvas, plt *plot.Plot) {
	b := newCanvas(p, plt, c)
	b.grid()
	for _, s := range p.Bands {
		b.band(s)
	}
	for _, g := range p.Guides {
		b.guide(g)
	}
	for _, r := range p.Levels {
		b.level(r)
	}
	for _, r := range p.Uprights {
		b.upright(r)
	}
	for _, paths := range []bool{true, false} { // points by themselves go on top
		for i, l := range p.Lines {
			if (len(l.Points) > 1) == paths {
				b.line(l, b.shift(i))
			}
		}
	}
	b.captions()
}

// shift returns how far right a line is drawn: marks stand side by side at the few places of an axis, if nothing is written there.
func (b *canvas) shift(i int) vg.Length {
	p, n := b.panel, vg.Length(len(b.panel.Lines))
	step := min(vg.Points(20), vg.Points(160)/n)
	if !p.abreast {
		if l := p.Lines[i]; p.X.At == nil || l.Marked != nil || l.Captions != nil || l.Style.Glyph == nil {
			return 0
		}
		step = min(vg.Points(2.2), b.room()/2/n)
	}
	return step * (2*vg.Length(i) - n + 1) / 2
}

// room is the least distance between two places of the x axis.
func (b *canvas) room() vg.Length {
	least, last := b.c.Max.X-b.c.Min.X, vg.Length(math.Inf(-1))
	for _, x := range b.panel.X.At {
		if at, ok := b.panel.X.pos(x); ok {
			least, last = min(least, b.tx(at)-last), b.tx(at)
		}
	}
	return least
}
