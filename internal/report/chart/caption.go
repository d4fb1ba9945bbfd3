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
	// box is where the name goes.
	box vg.Rectangle
}

// captions writes the names of points, on a veil that leaves the lines behind it pale.
func (b *canvas) captions() {
	style := anchored(textStyle(captionSize, Ink), draw.XLeft, draw.YBottom)
	for _, c := range b.layout() {
		fillRect(b.c, color.NRGBA{R: 255, G: 255, B: 255, A: 215}, c.box)
		from := c.box.Min
		from.Y += style.FontExtents().Descent / 2 // which few letters reach into
		b.c.FillText(style, from, c.text)
	}
}

// layout decides where the names of points go: beside them, where they cover no point and no
// other name. Those that are dispensable come last, and are left out where they would.
func (b *canvas) layout() (placed []caption) {
	all, taken := b.named()
	for _, dispensable := range []bool{false, true} {
		for _, c := range all {
			if c.dispensable != dispensable {
				continue
			}
			box, free := c.beside(b.c.Rectangle, taken)
			if free || !dispensable {
				c.box = box
				taken, placed = append(taken, box), append(placed, c)
			}
		}
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
				all = append(all, caption{at: at, text: l.Captions[i], dispensable: l.Dispensable,
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

// places returns where a name may go: above its point to the right, where lines that fall leave
// room, to the right, to the left, above, below, and between these.
func (c *caption) places() (found []vg.Rectangle) {
	away := vg.Points(captionAway)
	right, left, middle := c.at.X+away, c.at.X-away-c.size.X, c.at.X-c.size.X/2
	level, over, under := c.at.Y-c.size.Y/2, c.at.Y+away, c.at.Y-away-c.size.Y
	for _, p := range []vg.Point{
		{X: right, Y: over}, {X: right, Y: level}, {X: left, Y: level}, {X: middle, Y: over}, {X: middle, Y: under},
		{X: right, Y: under}, {X: left, Y: over}, {X: left, Y: under},
	} {
		found = append(found, vg.Rectangle{Min: p, Max: p.Add(c.size)})
	}
	return found
}

// within reports whether a box is in another, and overlap whether two share more than an edge.
func within(view, box vg.Rectangle) bool {
	return box.Min.X >= view.Min.X && box.Max.X <= view.Max.X && box.Min.Y >= view.Min.Y && box.Max.Y <= view.Max.Y
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func around(p vg.Point, r vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - r, Y: p.Y - r}, Max: vg.Point{X: p.X + r, Y: p.Y + r}}
}
