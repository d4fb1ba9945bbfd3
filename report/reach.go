package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// reach is a level interval: of what is on the x axis.
type reach struct {
	y, from, to float64
	colour      color.Color
}

// reached returns where an interval is drawn, with its tips; it is empty if that is
// nowhere.
func (b *brush) reached(r reach) vg.Rectangle {
	right, okRight := b.panel.x.pos(r.to)
	y, ok := b.panel.y.pos(r.y)
	if !ok || !okRight || math.IsNaN(r.from) {
		return vg.Rectangle{}
	}
	box := around(vg.Point{X: b.tx(right), Y: b.ty(y)}, vg.Points(2.5))
	box.Min.X, box.Max.X = b.c.Min.X, b.tx(right)
	if left, ok := b.panel.x.pos(r.from); ok {
		box.Min.X = b.tx(left)
	}
	return box
}

// reach draws an interval with tips at those of its ends that are in view.
func (b *brush) reach(r reach) {
	box := b.reached(r)
	if box.Max.X-box.Min.X < vg.Points(1) {
		return
	}
	style, level := stroke(r.colour, 0.8, nil), (box.Min.Y+box.Max.Y)/2
	b.c.StrokeLine2(style, max(box.Min.X, b.c.Min.X), level, min(box.Max.X, b.c.Max.X), level)
	for _, end := range []vg.Length{box.Min.X, box.Max.X} {
		if end > b.c.Min.X && end < b.c.Max.X {
			b.c.StrokeLine2(style, end, box.Min.Y, end, box.Max.Y)
		}
	}
}

// ringed is a ring wide enough to have another glyph within.
type ringed struct{}

// DrawGlyph draws the ring, wider than other glyphs.
func (ringed) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	style.Radius *= 1.5
	draw.RingGlyph{}.DrawGlyph(c, style, at)
}

// veil makes what is drawn in a box pale, for a name to be read on it.
func (b *brush) veil(box vg.Rectangle) {
	b.c.FillPolygon(color.NRGBA{R: 255, G: 255, B: 255, A: 200}, []vg.Point{
		box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y}})
}
