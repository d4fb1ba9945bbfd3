package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The measures of the margin to the right of a panel, where its lines are
// named: a sample of the line and its name.
const (
	marginGap    = 7
	sampleWidth  = 22
	marginLeader = 11.5 // from one name to the next
	nameSize     = 8.5
)

// label is a name in the margin beside the end of what it names.
type label struct {
	y    vg.Length
	text string
	look *look // nil for what is not a contender
	rank int   // its place in the order that all charts have
}

// labels returns what the margin of a panel says; lines says whether it names
// the contenders or a legend does.
func (b *brush) labels(lines bool) []label {
	var found []label
	if lines {
		for _, l := range b.panel.lines {
			if y, ok := b.end(l.pts); ok && l.captions == nil {
				found = append(found, label{y: y, text: l.name, look: &l.look})
			}
		}
	}
	for _, s := range b.panel.bands {
		if y, ok := b.end(s.pts); ok {
			found = append(found, label{y: y, text: s.name})
		}
	}
	for _, r := range b.panel.sides() {
		if p, ok := b.panel.y.pos(r.at); ok {
			found = append(found, label{y: b.ty(p), text: r.name})
		}
	}
	for _, g := range b.panel.guides {
		if path := b.guidePath(g); len(path) > 1 && b.atRight(path[len(path)-1]) {
			found = append(found, label{y: path[len(path)-1].Y, text: g.name})
		}
	}
	return found
}

// end returns the height of the last point that has a place.
func (b *brush) end(pts []point) (vg.Length, bool) {
	for _, pt := range slices.Backward(pts) {
		if at, ok := b.place(pt.x, pt.y); ok {
			return at.Y, true
		}
	}
	return 0, false
}

// arrange orders labels from above to below. Those that name ends which can
// hardly be told apart keep the order that all charts have.
func arrange(labels []label) {
	for i := range labels {
		labels[i].rank = i
	}
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(b.y, a.y) })
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

// spread moves labels apart so that none covers another, as little as it can
// without leaving the space between lo and hi.
func spread(labels []label, lo, hi vg.Length) {
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

// margin writes the title above and the names beside a panel that was drawn
// onto c.
func (p *panel) margin(c draw.Canvas, plt *plot.Plot, lines bool) {
	data := plt.DataCanvas(c)
	b := &brush{panel: p, c: data}
	b.tx, b.ty = plt.Transforms(&data)
	labels := b.labels(lines)
	spread(labels, data.Min.Y, data.Max.Y)
	style := boldStyle(titleSize, ink)
	style.YAlign = draw.YBottom
	c.FillText(style, vg.Point{X: data.Min.X, Y: data.Max.Y + p.headroom()}, p.title)
	for _, l := range labels {
		entry(c, vg.Point{X: data.Max.X + vg.Points(marginGap), Y: l.y}, l)
	}
}

// entry writes a sample and a name from a point at half their height.
func entry(c draw.Canvas, from vg.Point, l label) {
	style := textStyle(nameSize, quiet)
	style.YAlign = draw.YCenter
	if l.look != nil {
		style.Color = ink
		to := from.X + vg.Points(sampleWidth)
		c.StrokeLine2(stroke(l.look.colour, 1.5, l.look.dashes), from.X, from.Y, to, from.Y)
		glyph := draw.GlyphStyle{Color: l.look.colour, Radius: vg.Points(3), Shape: l.look.glyph}
		c.DrawGlyphNoClip(glyph, vg.Point{X: (from.X + to) / 2, Y: from.Y})
		from.X = to + vg.Points(5)
	}
	c.FillText(style, vg.Point{X: from.X, Y: from.Y + style.FontExtents().Descent/2}, l.text)
}

// marginWidth returns the room that the names of a panel take.
func (p *panel) marginWidth(lines bool) vg.Length {
	style := textStyle(nameSize, quiet)
	var widest vg.Length
	if lines {
		for _, l := range p.lines {
			if l.captions != nil {
				continue
			}
			widest = max(widest, style.Width(l.name)+vg.Points(sampleWidth+5))
		}
	}
	for _, s := range p.bands {
		widest = max(widest, style.Width(s.name))
	}
	for _, r := range p.sides() {
		widest = max(widest, style.Width(r.name))
	}
	for _, g := range p.guides {
		widest = max(widest, style.Width(g.name))
	}
	return widest + vg.Points(marginGap+3)
}

// legend writes the names in rows from the top of the canvas, and returns what
// is left below.
func legend(dc draw.Canvas, lines []line) draw.Canvas {
	style := textStyle(nameSize, ink)
	x, y := dc.Min.X, dc.Max.Y-vg.Points(8)
	for _, l := range lines {
		width := style.Width(l.name) + vg.Points(sampleWidth+5+14)
		if x > dc.Min.X && x+width > dc.Max.X {
			x, y = dc.Min.X, y-vg.Points(marginLeader+1)
		}
		entry(dc, vg.Point{X: x, Y: y}, label{text: l.name, look: &l.look})
		x += width
	}
	dc.Max.Y = y - vg.Points(8)
	return dc
}
