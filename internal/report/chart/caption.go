package chart

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	captionSize = 8 // of names beside points
	captionAway = 6 // from a point to its name
)

// caption is a name beside a point.
type caption struct {
	at          vg.Point
	text        string
	size        vg.Point
	dispensable bool
	veiled      bool
	// box is where the name goes.
	box vg.Rectangle
}

// captions writes the names of points.
func (b *canvas) captions() {
	style := textStyle(captionSize, Ink)
	style.YAlign = draw.YBottom
	for _, c := range b.layout() {
		if c.veiled {
			fillRect(b.c, color.NRGBA{R: 255, G: 255, B: 255, A: 200}, c.box)
		}
		from := c.box.Min
		from.Y += style.FontExtents().Descent / 2 // which few letters reach into
		b.c.FillText(style, from, c.text)
	}
}

// layout decides where the names of points go: beside them, where they cover no
// point and no other name, and if it can be had no line either. Those that are
// dispensable come last, and are left out where they would cover any of these.
func (b *canvas) layout() (placed []caption) {
	all, taken := b.named()
	slices.SortStableFunc(all, func(a, b caption) int {
		switch {
		case a.dispensable == b.dispensable:
			return 0
		case b.dispensable:
			return -1
		}
		return 1
	})
	drawn := b.strokes()
	for _, c := range all {
		box, free := c.beside(b.c.Rectangle, slices.Concat(taken, drawn))
		if !free && c.dispensable {
			continue
		}
		if !free {
			box, _ = c.beside(b.c.Rectangle, taken)
		}
		c.box = box
		taken = append(taken, box)
		placed = append(placed, c)
	}
	return placed
}

// named returns the names to place, and where points are.
func (b *canvas) named() (all []caption, points []vg.Rectangle) {
	style := textStyle(captionSize, Ink)
	extents := style.FontExtents()
	for _, l := range b.panel.Lines {
		for i, pt := range l.Points {
			at, ok := b.place(pt.X, pt.Y)
			if !ok {
				continue
			}
			points = append(points, around(at, vg.Points(4)))
			if i < len(l.Captions) && l.Captions[i] != "" {
				_, veiled := l.Style.Glyph.(Ring)
				all = append(all, caption{at: at, text: l.Captions[i], dispensable: l.Dispensable, veiled: veiled,
					size: vg.Point{X: style.Width(l.Captions[i]), Y: extents.Ascent + extents.Descent}})
			}
		}
	}
	return all, points
}

// beside returns the first place for a name that covers nothing of what is to be
// avoided, and the first of all if there is none; free says which it was.
func (c *caption) beside(view vg.Rectangle, avoid []vg.Rectangle) (place vg.Rectangle, free bool) {
	for _, box := range c.places() {
		if within(view, box) && !slices.ContainsFunc(avoid, func(a vg.Rectangle) bool { return overlap(box, a) }) {
			return box, true
		}
	}
	return c.places()[0], false
}

// places returns where a name may go: to the right of its point, to the left,
// above, below, and between these.
func (c *caption) places() (found []vg.Rectangle) {
	away := vg.Points(captionAway)
	right, left, middle := c.at.X+away, c.at.X-away-c.size.X, c.at.X-c.size.X/2
	level, over, under := c.at.Y-c.size.Y/2, c.at.Y+away, c.at.Y-away-c.size.Y
	for _, p := range []vg.Point{
		{X: right, Y: level}, {X: left, Y: level}, {X: middle, Y: over}, {X: middle, Y: under},
		{X: right, Y: over}, {X: right, Y: under}, {X: left, Y: over}, {X: left, Y: under},
	} {
		found = append(found, vg.Rectangle{Min: p, Max: p.Add(c.size)})
	}
	return found
}

// strokes returns where the lines and the intervals of the panel are drawn.
func (b *canvas) strokes() (drawn []vg.Rectangle) {
	for _, l := range b.panel.Lines {
		for _, path := range b.paths(l.Points) {
			for i := 1; i < len(path); i++ {
				drawn = append(drawn, along(path[i-1], path[i])...)
			}
		}
		for _, pt := range l.Points {
			if at, ok := b.place(pt.X, pt.Y); ok {
				drawn = append(drawn, b.uprightBox(at, pt), b.levelBox(at, pt))
			}
		}
	}
	for _, r := range b.panel.Levels {
		y := b.height(r.At)
		drawn = append(drawn, vg.Rectangle{Min: vg.Point{X: b.c.Min.X, Y: y - 1}, Max: vg.Point{X: b.c.Max.X, Y: y + 1}})
	}
	for _, r := range b.panel.Uprights {
		if at, ok := b.panel.X.pos(r.At); ok {
			drawn = append(drawn, vg.Rectangle{Min: vg.Point{X: b.tx(at) - 1, Y: b.c.Min.Y}, Max: vg.Point{X: b.tx(at) + 1, Y: b.c.Max.Y}})
		}
	}
	return drawn
}

// within reports whether a box is in another, and overlap whether two share more
// than an edge.
func within(view, box vg.Rectangle) bool {
	return box.Min.X >= view.Min.X && box.Max.X <= view.Max.X && box.Min.Y >= view.Min.Y && box.Max.Y <= view.Max.Y
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// along returns squares that cover the way from one point to another.
func along(from, to vg.Point) (squares []vg.Rectangle) {
	const step = 2
	way := to.Sub(from)
	n := max(1, int(max(way.X, -way.X, way.Y, -way.Y)/step))
	for i := range n + 1 {
		squares = append(squares, around(from.Add(way.Scale(vg.Length(i)/vg.Length(n))), step/2))
	}
	return squares
}

// around returns the square about a point.
func around(p vg.Point, r vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - r, Y: p.Y - r}, Max: vg.Point{X: p.X + r, Y: p.Y + r}}
}
