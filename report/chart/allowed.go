package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Allowed is what is allowed, below its top and to the left of its right side. A side
// at 0 is none: all that way is allowed. The top is named in the margin, as levels
// are, and the right side above the panel.
type Allowed struct{ Top, Right Rule }

// allowedFill is the colour of zones.
var allowedFill = RGB(0xE6F3E6)

// xs and ys are the values that axes have to show.
func (z *Allowed) xs() []float64 { return positive(z.Right.At) }
func (z *Allowed) ys() []float64 { return positive(z.Top.At) }

func positive(v float64) []float64 {
	if v > 0 && !math.IsInf(v, 0) {
		return []float64{v}
	}
	return nil
}

// sides are the level lines of a panel that are named in its margin.
func (p *Panel) sides() []Rule {
	if p.Allowed == nil || p.Allowed.Top.At <= 0 {
		return p.Levels
	}
	return append(slices.Clip(p.Levels), p.Allowed.Top)
}

// allowed fills what is allowed.
func (b *canvas) allowed(z *Allowed) {
	corner := b.corner(z)
	b.c.FillPolygon(allowedFill, []vg.Point{b.c.Min, {X: corner.X, Y: b.c.Min.Y}, corner, {X: b.c.Min.X, Y: corner.Y}})
}

// corner returns where the sides of a zone meet.
func (b *canvas) corner(z *Allowed) vg.Point {
	corner := b.c.Max
	if p, ok := b.panel.X.pos(z.Right.At); ok && z.Right.At > 0 {
		corner.X = b.tx(p)
	}
	if p, ok := b.panel.Y.pos(z.Top.At); ok && z.Top.At > 0 {
		corner.Y = b.ty(p)
	}
	return corner
}

// allowedSides draws the sides of a zone.
func (b *canvas) allowedSides(z *Allowed) {
	corner := b.corner(z)
	if z.Top.At > 0 {
		b.side(z.Top.Colour, vg.Point{X: b.c.Min.X, Y: corner.Y}, vg.Point{X: b.c.Max.X, Y: corner.Y})
	}
	if z.Right.At > 0 {
		b.side(z.Right.Colour, vg.Point{X: corner.X, Y: b.c.Min.Y}, vg.Point{X: corner.X, Y: b.c.Max.Y})
		b.above(corner.X, z.Right.Name)
	}
}

// rightSide returns where the right side of a zone is drawn.
func (b *canvas) rightSide(z *Allowed) vg.Rectangle {
	x := b.corner(z).X
	return vg.Rectangle{Min: vg.Point{X: x - 1, Y: b.c.Min.Y}, Max: vg.Point{X: x + 1, Y: b.c.Max.Y}}
}

func (b *canvas) side(c color.Color, from, to vg.Point) {
	b.c.StrokeLine2(stroke(c, 0.9, Dash(4, 2)), from.X, from.Y, to.X, to.Y)
}

// above writes a name above the panel.
func (b *canvas) above(x vg.Length, name string) {
	style := textStyle(8, quiet)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	half := style.Width(name) / 2
	x = max(b.c.Min.X+half, min(x, b.c.Max.X-half))
	b.c.FillText(style, vg.Point{X: x, Y: b.c.Max.Y + vg.Points(2)}, name)
}
