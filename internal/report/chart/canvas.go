package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// canvas is where the data of a panel are drawn. tx and ty turn positions on its axes into places.
type canvas struct {
	panel  *Panel
	c      draw.Canvas
	tx, ty func(float64) vg.Length
}

func newCanvas(p *Panel, plt *plot.Plot, data draw.Canvas) *canvas {
	b := &canvas{panel: p, c: data}
	b.tx, b.ty = plt.Transforms(&data)
	return b
}

func stroke(c color.Color, points float64, dashes []vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(points), Dashes: dashes}
}

// place returns where a value goes, and false if it goes nowhere.
func (b *canvas) place(x, y float64) (vg.Point, bool) {
	px, okx := b.panel.X.pos(x)
	py, oky := b.panel.Y.pos(y)
	if !okx || !oky {
		return vg.Point{}, false
	}
	return vg.Point{X: b.tx(px), Y: b.ty(py)}, true
}

// grid draws pale level lines at the labelled marks, to read values along.
func (b *canvas) grid() {
	for _, t := range b.panel.Y.Ticks(0, 0) {
		if y := b.ty(t.Value); t.Label != "" {
			b.c.StrokeLine2(stroke(gridColour, 0.6, nil), b.c.Min.X, y, b.c.Max.X, y)
		}
	}
}

// band fills the space between the ends of its intervals. One without intervals, or with one point, is a line.
func (b *canvas) band(s Band) {
	var low, high, mid []vg.Point
	for _, pt := range s.Points {
		lo, hi := pt.Low, pt.High
		if math.IsNaN(lo) || math.IsNaN(hi) {
			lo, hi = pt.Y, pt.Y
		}
		m, ok := b.place(pt.X, pt.Y)
		if !ok {
			continue
		}
		mid = append(mid, m)
		low = append(low, vg.Point{X: m.X, Y: b.height(lo)})
		high = append(high, vg.Point{X: m.X, Y: b.height(hi)})
	}
	if len(mid) == 0 {
		return
	}
	above := b.across(high)
	slices.Reverse(above)
	b.c.FillPolygon(bandColour, b.c.ClipPolygonXY(append(b.across(low), above...)))
	b.c.StrokeLines(stroke(paleColour, 1, nil), b.c.ClipLinesXY(b.across(mid))...)
}

// height returns where a value goes; what has no place is at the lower end.
func (b *canvas) height(y float64) vg.Length {
	if p, ok := b.panel.Y.pos(y); ok {
		return b.ty(p)
	}
	return b.c.Min.Y
}

// across extends a path to the full width of the panel.
func (b *canvas) across(path []vg.Point) []vg.Point {
	first, last := path[0], path[len(path)-1]
	path = append([]vg.Point{{X: b.c.Min.X, Y: first.Y}}, path...)
	return append(path, vg.Point{X: b.c.Max.X, Y: last.Y})
}

// guidePath returns the path of a guide through the anchor, as far as it is in view: dense, since it may be a curve.
func (b *canvas) guidePath(g Guide) []vg.Point {
	p := b.panel
	from := math.Log10(p.anchor.X)
	if math.IsInf(from, 0) || math.IsNaN(from) || p.X.hi <= from {
		return nil
	}
	var path []vg.Point
	for i := range 101 {
		x := math.Pow(10, from+(p.X.hi-from)*float64(i)/100)
		at, ok := b.place(x, p.anchor.Y*g.Of(x)/g.Of(p.anchor.X))
		if ok && b.c.Contains(at) {
			path = append(path, at)
		} else if len(path) > 0 {
			break
		}
	}
	return path
}

func (b *canvas) guide(g Guide) {
	path := b.guidePath(g)
	if len(path) < 2 {
		return
	}
	b.c.StrokeLines(stroke(paleColour, 0.8, Dash(2, 3)), path)
	if end := path[len(path)-1]; !b.atRight(end) {
		b.c.FillText(anchored(textStyle(8, quiet), draw.XCenter, draw.YBottom), vg.Point{X: end.X, Y: b.c.Max.Y + vg.Points(2)}, g.Name)
	}
}

func (b *canvas) atRight(end vg.Point) bool { return end.X > b.c.Max.X-vg.Points(3) } // a path ends there

func (b *canvas) level(r Rule) {
	if p, ok := b.panel.Y.pos(r.At); ok {
		b.c.StrokeLine2(stroke(r.Colour, 0.9, Dash(4, 2)), b.c.Min.X, b.ty(p), b.c.Max.X, b.ty(p))
	}
}

// upright draws a line from below to above, with its name on top of it.
func (b *canvas) upright(r Rule) {
	p, ok := b.panel.X.pos(r.At)
	if !ok {
		return
	}
	x, style := b.tx(p), anchored(textStyle(8, quiet), draw.XCenter, draw.YBottom)
	b.c.StrokeLine2(stroke(r.Colour, 0.9, Dash(4, 2)), x, b.c.Min.Y, x, b.c.Max.Y)
	half := style.Width(r.Name) / 2
	x = max(b.c.Min.X+half, min(x, b.c.Max.X-half))
	b.c.FillText(style, vg.Point{X: x, Y: b.c.Max.Y + vg.Points(2)}, r.Name)
}

// line draws a line shifted to the right: its path, broken where a value has no place, then intervals, then glyphs.
func (b *canvas) line(l Line, shift vg.Length) {
	tx := b.tx
	b.tx = func(x float64) vg.Length { return tx(x) + shift }
	defer func() { b.tx = tx }()
	if !l.Loose {
		b.c.StrokeLines(stroke(l.Style.Colour, 1.5, l.Style.Dashes), b.c.ClipLinesXY(b.paths(l.Points)...)...)
	}
	marked := l.Marked
	if marked == nil {
		marked = l.Points
	}
	for _, pt := range marked {
		at, ok := b.place(pt.X, pt.Y)
		if !ok {
			continue
		}
		b.interval(l.Style.Colour, at, pt)
		glyph := draw.GlyphStyle{Color: l.Style.Colour, Radius: vg.Points(3), Shape: l.Style.Glyph}
		b.c.DrawGlyph(glyph, at)
	}
}

func (b *canvas) paths(pts []Point) [][]vg.Point {
	var runs [][]vg.Point
	var run []vg.Point
	for _, pt := range pts {
		if at, ok := b.place(pt.X, pt.Y); ok {
			run = append(run, at)
			continue
		}
		runs, run = append(runs, run), nil
	}
	return append(runs, run)
}

// interval draws the bar of a point's interval, as far as it is in view. An end out of view has no tip.
func (b *canvas) interval(c color.Color, at vg.Point, pt Point) {
	low, high := b.height(pt.Low), b.height(pt.High)
	if !(pt.Low < pt.High) || high-low < vg.Points(1) {
		return
	}
	style, view, tip := stroke(c, 0.8, nil), b.c.Rectangle, vg.Points(2.5) // half of how wide the ends are
	b.c.StrokeLine2(style, at.X, max(low, view.Min.Y), at.X, min(high, view.Max.Y))
	for _, end := range []vg.Length{low, high} {
		if end > view.Min.Y && end < view.Max.Y {
			b.c.StrokeLine2(style, at.X-tip, end, at.X+tip, end)
		}
	}
}
