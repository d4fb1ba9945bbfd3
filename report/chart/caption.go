package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	captionSize   = 8 // of names beside points
	captionAway   = 6 // from a point to a name beside it
	captionSample = 9 // the room of the glyph before a name that a leader leads to
	asOne         = 8 // points that lie no farther apart look like one
)

// caption is a name of a point.
type caption struct {
	at    vg.Point
	text  string
	style Style
	size  vg.Point
	// dispensable says that it is left out if there is no room beside the point.
	dispensable bool
	// box is where the name goes.
	box vg.Rectangle
	// leader is a line from the point to a name that is not beside it: two points,
	// or none.
	leader []vg.Point
}

// captions writes the names of points.
func (b *canvas) captions() {
	style := TextStyle(captionSize, Ink)
	style.YAlign = draw.YBottom
	for _, c := range b.layout() {
		from := c.box.Min
		if _, ok := c.style.Glyph.(Ring); ok {
			b.veil(c.box)
		}
		if c.leader != nil {
			b.c.StrokeLines(stroke(paleColour, 0.5, nil), c.leader)
			glyph := draw.GlyphStyle{Color: c.style.Colour, Radius: vg.Points(2.2), Shape: c.style.Glyph}
			b.c.DrawGlyphNoClip(glyph, vg.Point{X: from.X + vg.Points(captionSample)/2, Y: (from.Y + c.box.Max.Y) / 2})
			from.X += vg.Points(captionSample)
		}
		from.Y += style.FontExtents().Descent / 2 // which few letters reach into
		b.c.FillText(style, from, c.text)
	}
}

// layout decides where the names of points go: beside them, as long as there is
// room. Points that look like one and have too many names for that get them in a
// stack nearby, with leaders. The largest such groups choose first.
func (b *canvas) layout() []caption {
	r := &freeSpace{view: b.c.Rectangle, drawn: b.strokes()}
	var all []*caption
	for _, l := range b.panel.Lines {
		for i, pt := range l.Points {
			at, ok := b.place(pt.X, pt.Y)
			if !ok {
				continue
			}
			r.points = append(r.points, around(at, vg.Points(4)))
			if i < len(l.Captions) && l.Captions[i] != "" {
				c := newCaption(at, l.Captions[i], l.Style)
				c.dispensable = l.Dispensable
				all = append(all, c)
			}
		}
	}
	groups := asGroups(all)
	slices.SortStableFunc(groups, func(a, b []*caption) int { return cmp.Compare(len(b), len(a)) })
	for _, g := range groups {
		if r.beside(g) {
			continue
		}
		g = slices.DeleteFunc(g, func(c *caption) bool { return c.dispensable })
		if len(g) > 0 && !r.beside(g) {
			r.stack(g)
		}
	}
	placed := make([]caption, 0, len(all))
	for _, c := range all {
		if c.box.Max != c.box.Min {
			placed = append(placed, *c)
		}
	}
	return placed
}

func newCaption(at vg.Point, text string, l Style) *caption {
	style := TextStyle(captionSize, Ink)
	extents := style.FontExtents()
	return &caption{at: at, text: text, style: l,
		size: vg.Point{X: style.Width(text), Y: extents.Ascent + extents.Descent}}
}

// asGroups divides names into groups of points that look like one: each is near
// another of its group, and none is near a point of another group.
func asGroups(all []*caption) (groups [][]*caption) {
	for _, c := range all {
		var joined []*caption
		groups = slices.DeleteFunc(groups, func(g []*caption) bool {
			near := slices.ContainsFunc(g, func(o *caption) bool {
				d := o.at.Sub(c.at)
				return max(d.X, -d.X, d.Y, -d.Y) <= vg.Points(asOne)
			})
			if near {
				joined = append(joined, g...)
			}
			return near
		})
		groups = append(groups, append(joined, c))
	}
	return groups
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
			if at, ok := b.place(pt.X, pt.Y); ok && pt.Low < pt.High {
				tip := vg.Points(2.5)
				drawn = append(drawn, vg.Rectangle{
					Min: vg.Point{X: at.X - tip, Y: b.height(pt.Low)}, Max: vg.Point{X: at.X + tip, Y: b.height(pt.High)}})
			}
		}
	}
	for _, r := range b.panel.sides() {
		y := b.height(r.At)
		drawn = append(drawn, vg.Rectangle{Min: vg.Point{X: b.c.Min.X, Y: y - 1}, Max: vg.Point{X: b.c.Max.X, Y: y + 1}})
	}
	if z := b.panel.Allowed; z != nil && z.Right.At > 0 {
		drawn = append(drawn, b.rightSide(z))
	}
	for _, r := range b.panel.Extents {
		drawn = append(drawn, b.extentBox(r))
	}
	return drawn
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
