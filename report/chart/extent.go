package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Extent is a level interval: of what is on the x axis.
type Extent struct {
	Y, From, To float64
	Colour      color.Color
}

// extentBox returns where an interval is drawn, with its tips; it is empty if that is
// nowhere.
func (b *canvas) extentBox(r Extent) vg.Rectangle {
	right, okRight := b.panel.X.pos(r.To)
	y, ok := b.panel.Y.pos(r.Y)
	if !ok || !okRight || math.IsNaN(r.From) {
		return vg.Rectangle{}
	}
	box := around(vg.Point{X: b.tx(right), Y: b.ty(y)}, vg.Points(2.5))
	box.Min.X, box.Max.X = b.c.Min.X, b.tx(right)
	if left, ok := b.panel.X.pos(r.From); ok {
		box.Min.X = b.tx(left)
	}
	return box
}

// extent draws an interval with tips at those of its ends that are in view.
func (b *canvas) extent(r Extent) {
	box := b.extentBox(r)
	if box.Max.X-box.Min.X < vg.Points(1) {
		return
	}
	style, level := stroke(r.Colour, 0.8, nil), (box.Min.Y+box.Max.Y)/2
	b.c.StrokeLine2(style, max(box.Min.X, b.c.Min.X), level, min(box.Max.X, b.c.Max.X), level)
	for _, end := range []vg.Length{box.Min.X, box.Max.X} {
		if end > b.c.Min.X && end < b.c.Max.X {
			b.c.StrokeLine2(style, end, box.Min.Y, end, box.Max.Y)
		}
	}
}

// Ring is a ring wide enough to have another glyph within.
type Ring struct{}

// DrawGlyph draws the ring, wider than other glyphs.
func (Ring) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	style.Radius *= 1.5
	draw.RingGlyph{}.DrawGlyph(c, style, at)
}

// veil makes what is drawn in a box pale, for a name to be read on it.
func (b *canvas) veil(box vg.Rectangle) {
	b.c.FillPolygon(color.NRGBA{R: 255, G: 255, B: 255, A: 200}, []vg.Point{
		box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y}})
}
