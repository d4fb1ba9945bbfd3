package report

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// zone is what is allowed, below its top and to the left of its right side. A side
// at 0 is none: all that way is allowed. The top is named in the margin, as levels
// are, and the right side above the panel.
type zone struct{ top, right rule }

// allowedFill is the colour of zones.
var allowedFill = rgb(0xE6F3E6)

// xs and ys are the values that axes have to show.
func (z *zone) xs() []float64 { return positive(z.right.at) }
func (z *zone) ys() []float64 { return positive(z.top.at) }

func positive(v float64) []float64 {
	if v > 0 && !math.IsInf(v, 0) {
		return []float64{v}
	}
	return nil
}

// sides are the level lines of a panel that are named in its margin.
func (p *panel) sides() []rule {
	if p.zone == nil || p.zone.top.at <= 0 {
		return p.levels
	}
	return append(slices.Clip(p.levels), p.zone.top)
}

// zone fills what is allowed.
func (b *brush) zone(z *zone) {
	corner := b.corner(z)
	b.c.FillPolygon(allowedFill, []vg.Point{b.c.Min, {X: corner.X, Y: b.c.Min.Y}, corner, {X: b.c.Min.X, Y: corner.Y}})
}

// corner returns where the sides of a zone meet.
func (b *brush) corner(z *zone) vg.Point {
	corner := b.c.Max
	if p, ok := b.panel.x.pos(z.right.at); ok && z.right.at > 0 {
		corner.X = b.tx(p)
	}
	if p, ok := b.panel.y.pos(z.top.at); ok && z.top.at > 0 {
		corner.Y = b.ty(p)
	}
	return corner
}

// zoneSides draws the sides of a zone.
func (b *brush) zoneSides(z *zone) {
	corner := b.corner(z)
	if z.top.at > 0 {
		b.side(z.top.colour, vg.Point{X: b.c.Min.X, Y: corner.Y}, vg.Point{X: b.c.Max.X, Y: corner.Y})
	}
	if z.right.at > 0 {
		b.side(z.right.colour, vg.Point{X: corner.X, Y: b.c.Min.Y}, vg.Point{X: corner.X, Y: b.c.Max.Y})
		b.above(corner.X, z.right.name)
	}
}

// rightSide returns where the right side of a zone is drawn.
func (b *brush) rightSide(z *zone) vg.Rectangle {
	x := b.corner(z).X
	return vg.Rectangle{Min: vg.Point{X: x - 1, Y: b.c.Min.Y}, Max: vg.Point{X: x + 1, Y: b.c.Max.Y}}
}

func (b *brush) side(c color.Color, from, to vg.Point) {
	b.c.StrokeLine2(stroke(c, 0.9, dash(4, 2)), from.X, from.Y, to.X, to.Y)
}

// above writes a name above the panel.
func (b *brush) above(x vg.Length, name string) {
	style := textStyle(8, quiet)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	half := style.Width(name) / 2
	x = max(b.c.Min.X+half, min(x, b.c.Max.X-half))
	b.c.FillText(style, vg.Point{X: x, Y: b.c.Max.Y + vg.Points(2)}, name)
}
