package report

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// captionSize is the size of names beside points.
const captionSize = 8

// caption is a name beside a point.
type caption struct {
	at   vg.Point
	text string
	look look
}

// captions writes the names of points beside them, each where it covers neither
// a point nor another name, if there is such a place.
func (b *brush) captions() {
	var all []caption
	var taken []vg.Rectangle
	for _, l := range b.panel.lines {
		for i, pt := range l.pts {
			at, ok := b.place(pt.x, pt.y)
			if !ok {
				continue
			}
			taken = append(taken, around(at, vg.Points(4)))
			if i < len(l.captions) && l.captions[i] != "" {
				all = append(all, caption{at, l.captions[i], l.look})
			}
		}
	}
	for _, c := range all {
		taken = append(taken, b.caption(c, taken))
	}
}

// caption writes one name and returns the place that it takes.
func (b *brush) caption(c caption, taken []vg.Rectangle) vg.Rectangle {
	style := textStyle(captionSize, ink)
	style.XAlign, style.YAlign = draw.XLeft, draw.YBottom
	size := vg.Point{X: style.Width(c.text), Y: vg.Points(captionSize)}
	places := c.places(size)
	best := places[0]
	for _, p := range places {
		if b.free(p, taken) {
			best = p
			break
		}
	}
	b.c.FillText(style, vg.Point{X: best.Min.X, Y: best.Min.Y + vg.Points(0.5)}, c.text)
	return best
}

// places returns where a name of a size may go: to the right of its point, to
// the left, above, below, and between these.
func (c caption) places(size vg.Point) []vg.Rectangle {
	const away = 6
	right, left, middle := c.at.X+vg.Points(away), c.at.X-vg.Points(away)-size.X, c.at.X-size.X/2
	level, over, under := c.at.Y-size.Y/2, c.at.Y+vg.Points(away), c.at.Y-vg.Points(away)-size.Y
	var found []vg.Rectangle
	for _, p := range []vg.Point{
		{X: right, Y: level}, {X: left, Y: level}, {X: middle, Y: over}, {X: middle, Y: under},
		{X: right, Y: over}, {X: right, Y: under}, {X: left, Y: over}, {X: left, Y: under},
		{X: right, Y: over + size.Y}, {X: right, Y: under - size.Y}, {X: left, Y: over + size.Y}, {X: left, Y: under - size.Y},
	} {
		found = append(found, vg.Rectangle{Min: p, Max: vg.Point{X: p.X + size.X, Y: p.Y + size.Y}})
	}
	return found
}

// free reports whether a place is in view and not taken.
func (b *brush) free(p vg.Rectangle, taken []vg.Rectangle) bool {
	if p.Min.X < b.c.Min.X || p.Max.X > b.c.Max.X || p.Min.Y < b.c.Min.Y || p.Max.Y > b.c.Max.Y {
		return false
	}
	for _, t := range taken {
		if p.Min.X < t.Max.X && t.Min.X < p.Max.X && p.Min.Y < t.Max.Y && t.Min.Y < p.Max.Y {
			return false
		}
	}
	return true
}

// around returns the square about a point.
func around(p vg.Point, r vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - r, Y: p.Y - r}, Max: vg.Point{X: p.X + r, Y: p.Y + r}}
}
