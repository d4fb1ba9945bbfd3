package chart

import (
	"cmp"
	"image/color"
	"slices"

	"schedbench/internal/lists"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The measures of the margin to the right of a panel, where its lines are named: a sample of the line and its name.
const (
	marginGap    = 7
	sampleWidth  = 22
	marginLeader = 11.5 // from one name to the next
	nameSize     = 8.5
)

// marginLabel is a name in the margin beside the end of what it names.
type marginLabel struct {
	y     vg.Length
	text  string
	style *Style // nil for what is not a line
	rank  int    // its place in the order that all charts have
}

// labels returns what the margin of a panel says; lines says whether it names its lines or a legend does.
func (b *canvas) labels(lines bool) []marginLabel {
	var found []marginLabel
	for _, l := range b.panel.Lines {
		if y, ok := b.end(l.Points); ok && lines && l.Captions == nil {
			found = append(found, marginLabel{y: y, text: l.Name, style: &l.Style})
		}
	}
	for _, s := range b.panel.Bands {
		if y, ok := b.end(s.Points); ok {
			found = append(found, marginLabel{y: y, text: s.Name})
		}
	}
	for _, r := range b.panel.Levels {
		if p, ok := b.panel.Y.pos(r.At); ok {
			found = append(found, marginLabel{y: b.ty(p), text: r.Name})
		}
	}
	for _, g := range b.panel.Guides {
		if path := b.guidePath(g); len(path) > 1 && b.atRight(path[len(path)-1]) {
			found = append(found, marginLabel{y: path[len(path)-1].Y, text: g.Name})
		}
	}
	return found
}

// end returns the height of the last point that has a place.
func (b *canvas) end(pts []Point) (vg.Length, bool) {
	for _, pt := range slices.Backward(pts) {
		if at, ok := b.place(pt.X, pt.Y); ok {
			return at.Y, true
		}
	}
	return 0, false
}

// arrange orders labels from above to below. Where ends are hardly distinguished it keeps the order of all charts.
func arrange(labels []marginLabel) {
	for i := range labels {
		labels[i].rank = i
	}
	slices.SortStableFunc(labels, func(a, b marginLabel) int { return cmp.Compare(b.y, a.y) })
	const alike = 3
	for swapped := true; swapped; {
		swapped = false
		for i := 1; i < len(labels); i++ {
			above, below := &labels[i-1], &labels[i]
			if above.rank > below.rank && above.y-below.y < alike {
				*above, *below = *below, *above
				swapped = true
			}
		}
	}
}

// spread moves labels apart until none covers another, as little as it can without leaving the space between lo and hi.
func spread(labels []marginLabel, lo, hi vg.Length) {
	const apart = vg.Length(marginLeader)
	arrange(labels)
	for range 200 {
		moved := false
		for i := 1; i < len(labels); i++ {
			if short := apart - (labels[i-1].y - labels[i].y); short > 0.01 {
				labels[i-1].y += short / 2
				labels[i].y -= short / 2
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	for i := range labels {
		labels[i].y = min(labels[i].y, hi-apart*vg.Length(i))
	}
	for i := len(labels) - 1; i >= 0; i-- {
		labels[i].y = max(labels[i].y, lo+apart*vg.Length(len(labels)-1-i))
	}
}

// margin writes the title above and the names beside a panel that was drawn onto c.
func (p *Panel) margin(c draw.Canvas, plt *plot.Plot, lines bool) {
	data := plt.DataCanvas(c)
	labels := newCanvas(p, plt, data).labels(lines)
	spread(labels, data.Min.Y, data.Max.Y)
	style := anchored(boldStyle(titleSize, Ink), draw.XLeft, draw.YBottom)
	c.FillText(style, vg.Point{X: data.Min.X, Y: data.Max.Y + p.headroom()}, p.Title)
	for _, l := range labels {
		entry(c, vg.Point{X: data.Max.X + vg.Points(marginGap), Y: l.y}, l)
	}
}

// entry writes a sample and a name from a point at half their height.
func entry(c draw.Canvas, from vg.Point, l marginLabel) {
	style := anchored(textStyle(nameSize, quiet), draw.XLeft, draw.YCenter)
	if l.style != nil {
		style.Color = Ink
		to := from.X + vg.Points(sampleWidth)
		c.StrokeLine2(stroke(l.style.Colour, 1.5, l.style.Dashes), from.X, from.Y, to, from.Y)
		glyph := draw.GlyphStyle{Color: l.style.Colour, Radius: vg.Points(3), Shape: l.style.Glyph}
		c.DrawGlyphNoClip(glyph, vg.Point{X: (from.X + to) / 2, Y: from.Y})
		from.X = to + vg.Points(5)
	}
	c.FillText(style, vg.Point{X: from.X, Y: from.Y + style.FontExtents().Descent/2}, l.text)
}

func (p *Panel) marginWidth(lines bool) vg.Length {
	style := textStyle(nameSize, quiet)
	var widest vg.Length
	for _, l := range p.Lines {
		if lines && l.Captions == nil {
			widest = max(widest, style.Width(l.Name)+vg.Points(sampleWidth+5))
		}
	}
	for _, name := range slices.Concat(
		lists.Each(p.Bands, func(b Band) string { return b.Name }),
		lists.Each(p.Levels, func(r Rule) string { return r.Name }),
		lists.Each(p.Guides, func(g Guide) string { return g.Name })) {
		widest = max(widest, style.Width(name))
	}
	return widest + vg.Points(marginGap+3)
}

// legend writes the names in rows from the top of the canvas, and returns what is left below.
func legend(dc draw.Canvas, lines []Line) draw.Canvas {
	style := textStyle(nameSize, Ink)
	x, y := dc.Min.X, dc.Max.Y-vg.Points(8)
	for _, l := range lines {
		width := style.Width(l.Name) + vg.Points(sampleWidth+5+14)
		if x > dc.Min.X && x+width > dc.Max.X {
			x, y = dc.Min.X, y-vg.Points(marginLeader+1)
		}
		entry(dc, vg.Point{X: x, Y: y}, marginLabel{text: l.Name, style: &l.Style})
		x += width
	}
	dc.Max.Y = y - vg.Points(8)
	return dc
}

const (
	captionSize = 8 // of names beside points
	captionAway = 6 // from a point to its name
)

type caption struct {
	at   vg.Point
	text string
	size vg.Point
	box  vg.Rectangle // where the name goes
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

// layout places names beside their points, where they cover no point and no other name if there is such a place.
func (b *canvas) layout() []caption {
	all, taken := b.named()
	for i := range all {
		all[i].box = all[i].beside(b.c.Rectangle, taken)
		taken = append(taken, all[i].box)
	}
	return all
}

func (b *canvas) named() (all []caption, points []vg.Rectangle) {
	style := textStyle(captionSize, Ink)
	extents := style.FontExtents()
	for _, l := range b.panel.Lines {
		for i, pt := range l.Points {
			at, ok := b.place(pt.X, pt.Y)
			if !ok {
				continue
			}
			points = append(points, inset(vg.Rectangle{Min: at, Max: at}, -vg.Points(4)))
			if i < len(l.Captions) && l.Captions[i] != "" {
				all = append(all, caption{at: at, text: l.Captions[i],
					size: vg.Point{X: style.Width(l.Captions[i]), Y: extents.Ascent + extents.Descent}})
			}
		}
	}
	return all, points
}

// beside returns the first place for a name that covers nothing to avoid, or else the first of all.
func (c *caption) beside(view vg.Rectangle, avoid []vg.Rectangle) vg.Rectangle {
	places := c.places()
	i := slices.IndexFunc(places, func(box vg.Rectangle) bool {
		return within(view, box) && !slices.ContainsFunc(avoid, func(a vg.Rectangle) bool { return overlap(box, a) })
	})
	return places[max(i, 0)]
}

// places returns where a name may go, best first: lines that fall leave room above to the right.
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
