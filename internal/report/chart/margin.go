package chart

import (
	"cmp"
	"slices"

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

// arrange orders labels from above to below. Those that name ends which can
// hardly be distinguished keep the order that all charts have.
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
	b := &canvas{panel: p, c: data}
	b.tx, b.ty = plt.Transforms(&data)
	labels := b.labels(lines)
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

// marginWidth returns how wide the names of a panel are.
func (p *Panel) marginWidth(lines bool) vg.Length {
	style := textStyle(nameSize, quiet)
	var widest vg.Length
	for _, l := range p.Lines {
		if lines && l.Captions == nil {
			widest = max(widest, style.Width(l.Name)+vg.Points(sampleWidth+5))
		}
	}
	for _, s := range p.Bands {
		widest = max(widest, style.Width(s.Name))
	}
	for _, r := range p.Levels {
		widest = max(widest, style.Width(r.Name))
	}
	for _, g := range p.Guides {
		widest = max(widest, style.Width(g.Name))
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
