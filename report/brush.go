package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// brush draws the parts of a panel onto a canvas.
type brush struct {
	panel  *panel
	c      draw.Canvas
	tx, ty func(float64) vg.Length
}

func stroke(c color.Color, points float64, dashes []vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(points), Dashes: dashes}
}

// place returns where a value goes, and false if it goes nowhere.
func (b *brush) place(x, y float64) (vg.Point, bool) {
	px, okx := b.panel.x.pos(x)
	py, oky := b.panel.y.pos(y)
	if !okx || !oky {
		return vg.Point{}, false
	}
	return vg.Point{X: b.tx(px), Y: b.ty(py)}, true
}

// grid draws pale level lines at the labelled marks, to read values along.
func (b *brush) grid() {
	for _, t := range b.panel.y.Ticks(0, 0) {
		if y := b.ty(t.Value); t.Label != "" {
			b.c.StrokeLine2(stroke(grid, 0.6, nil), b.c.Min.X, y, b.c.Max.X, y)
		}
	}
}

// band fills the space between the ends of a control's intervals. One without
// intervals, or with one point, is a line.
func (b *brush) band(s stretch) {
	var low, high, mid []vg.Point
	for _, pt := range s.pts {
		lo, hi := pt.lo, pt.hi
		if math.IsNaN(lo) || math.IsNaN(hi) {
			lo, hi = pt.y, pt.y
		}
		m, ok := b.place(pt.x, pt.y)
		if !ok {
			continue
		}
		mid = append(mid, m)
		low = append(low, vg.Point{X: m.X, Y: b.height(lo)})
		high = append([]vg.Point{{X: m.X, Y: b.height(hi)}}, high...)
	}
	if len(mid) == 0 {
		return
	}
	mid, low, high = b.across(mid), b.across(low), b.back(high)
	b.c.FillPolygon(band, b.c.ClipPolygonXY(append(low, high...)))
	b.c.StrokeLines(stroke(pale, 1, nil), b.c.ClipLinesXY(mid)...)
}

// height returns where a value goes; what has no place is at the lower end.
func (b *brush) height(y float64) vg.Length {
	if p, ok := b.panel.y.pos(y); ok {
		return b.ty(p)
	}
	return b.c.Min.Y
}

// across extends a path to the full width of the panel.
func (b *brush) across(path []vg.Point) []vg.Point {
	first, last := path[0], path[len(path)-1]
	path = append([]vg.Point{{X: b.c.Min.X, Y: first.Y}}, path...)
	return append(path, vg.Point{X: b.c.Max.X, Y: last.Y})
}

// back is across for a path from right to left.
func (b *brush) back(path []vg.Point) []vg.Point {
	first, last := path[0], path[len(path)-1]
	path = append([]vg.Point{{X: b.c.Max.X, Y: first.Y}}, path...)
	return append(path, vg.Point{X: b.c.Min.X, Y: last.Y})
}

// guidePath returns the path of a guide through the anchor, as far as it is in
// view. Its points are dense, because on a logarithmic axis it may be a curve.
func (b *brush) guidePath(g guide) []vg.Point {
	p := b.panel
	from := math.Log10(p.anchor.x)
	if math.IsInf(from, 0) || math.IsNaN(from) || p.x.hi <= from {
		return nil
	}
	var path []vg.Point
	for i := range 101 {
		x := math.Pow(10, from+(p.x.hi-from)*float64(i)/100)
		at, ok := b.place(x, p.anchor.y*g.f(x)/g.f(p.anchor.x))
		if ok && b.c.Contains(at) {
			path = append(path, at)
		} else if len(path) > 0 {
			break
		}
	}
	return path
}

func (b *brush) guide(g guide) {
	path := b.guidePath(g)
	if len(path) < 2 {
		return
	}
	b.c.StrokeLines(stroke(pale, 0.8, dash(2, 3)), path)
	if end := path[len(path)-1]; !b.atRight(end) {
		style := textStyle(8, quiet)
		style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
		b.c.FillText(style, vg.Point{X: end.X, Y: b.c.Max.Y + vg.Points(2)}, g.name)
	}
}

// atRight reports whether a path that ends here reached the right end.
func (b *brush) atRight(end vg.Point) bool { return end.X > b.c.Max.X-vg.Points(3) }

// level draws a line across; its name is in the margin.
func (b *brush) level(r rule) {
	if p, ok := b.panel.y.pos(r.at); ok {
		b.c.StrokeLine2(stroke(r.colour, 0.9, dash(4, 2)), b.c.Min.X, b.ty(p), b.c.Max.X, b.ty(p))
	}
}

// upright draws a line from below to above, with its name on top of it.
func (b *brush) upright(r rule) {
	p, ok := b.panel.x.pos(r.at)
	if !ok {
		return
	}
	x := b.tx(p)
	b.c.StrokeLine2(stroke(r.colour, 5, nil), x, b.c.Min.Y, x, b.c.Max.Y)
	style := boldStyle(8.5, ink)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	b.c.FillText(style, vg.Point{X: x, Y: b.c.Max.Y + vg.Points(2)}, r.name)
}

// line draws a contender, shifted to the right: its path, broken where a value
// has no place, then the intervals, then the glyphs.
func (b *brush) line(l line, shift vg.Length) {
	tx := b.tx
	b.tx = func(x float64) vg.Length { return tx(x) + shift }
	defer func() { b.tx = tx }()
	if l.filled {
		b.fill(l)
		return
	}
	b.c.StrokeLines(stroke(l.look.colour, 1.5, l.look.dashes), b.c.ClipLinesXY(b.paths(l.pts)...)...)
	marked := l.marked
	if marked == nil {
		marked = l.pts
	}
	for _, pt := range marked {
		at, ok := b.place(pt.x, pt.y)
		if !ok {
			continue
		}
		b.interval(l.look.colour, at.X, pt)
		glyph := draw.GlyphStyle{Color: l.look.colour, Radius: l.radius(), Shape: l.look.glyph}
		b.c.DrawGlyph(glyph, at)
	}
}

// fill fills what is between a line and the lower end of the panel.
func (b *brush) fill(l line) {
	for _, path := range b.paths(l.pts) {
		if n := len(path); n > 0 {
			path = append(path, vg.Point{X: path[n-1].X, Y: b.c.Min.Y}, vg.Point{X: path[0].X, Y: b.c.Min.Y})
			b.c.FillPolygon(l.look.colour, b.c.ClipPolygonXY(path))
		}
	}
}

// paths returns the runs of points that have a place.
func (b *brush) paths(pts []point) [][]vg.Point {
	var runs [][]vg.Point
	var run []vg.Point
	for _, pt := range pts {
		at, ok := b.place(pt.x, pt.y)
		if ok {
			run = append(run, at)
			continue
		}
		runs, run = append(runs, run), nil
	}
	return append(runs, run)
}

// interval draws the bar from the low to the high end of a point's interval,
// as far as it is in view.
func (b *brush) interval(c color.Color, x vg.Length, pt point) {
	if math.IsNaN(pt.lo) || math.IsNaN(pt.hi) {
		return
	}
	lo, hi := b.height(pt.lo), b.height(pt.hi)
	if hi-lo < vg.Points(1) {
		return
	}
	tip, style := vg.Points(2.5), stroke(c, 0.8, nil)
	b.c.StrokeLine2(style, x, max(lo, b.c.Min.Y), x, min(hi, b.c.Max.Y))
	for _, end := range []vg.Length{lo, hi} {
		if end > b.c.Min.Y && end < b.c.Max.Y { // an end out of view has no tip
			b.c.StrokeLine2(style, x-tip, end, x+tip, end)
		}
	}
}
