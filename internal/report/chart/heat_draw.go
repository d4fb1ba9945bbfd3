package chart

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/internal/lists"
)

// The measures of a heat map, in points.
const (
	heatText    = 8.5 // sizes of text
	heatNote    = 6.5
	heatTitle   = 17 // heights
	heatHeader  = 16
	heatRow     = 34 // at the most
	heatKey     = 28
	heatKeyLine = 17
	heatGap     = 22 // between two panels
)

// draw draws the panels side by side, with the names of the rows before them.
func (h *Heat) draw(dc draw.Canvas) {
	names := h.nameWidth()
	head, below := h.room(dc.Max.X - dc.Min.X - names)
	size := vg.Point{
		X: h.cellWidth(dc.Max.X - dc.Min.X),
		Y: min(vg.Points(heatRow), (dc.Max.Y-dc.Min.Y-head-below)/vg.Length(len(h.Rows))),
	}
	top := dc.Max.Y - head
	h.names(dc, top, size.Y, names)
	dc.FillText(anchored(textStyle(heatNote, quiet), draw.XRight, draw.YBottom), vg.Point{X: dc.Min.X + names - vg.Points(6), Y: top + vg.Points(3)}, h.Corner)
	left := dc.Min.X + names
	for _, p := range h.Panels {
		p.draw(dc, vg.Point{X: left, Y: top}, size, h.size())
		left += size.X*vg.Length(len(p.Columns)) + vg.Points(heatGap)
	}
	h.key(dc, vg.Point{X: dc.Min.X + names, Y: top - size.Y*vg.Length(len(h.Rows)) - vg.Points(16)})
}

func (h *Heat) cellWidth(width vg.Length) vg.Length {
	columns := 0
	for _, p := range h.Panels {
		columns += len(p.Columns)
	}
	return (width - h.nameWidth() - vg.Points(heatGap)*vg.Length(len(h.Panels)-1)) / vg.Length(columns)
}

// room returns the height above the cells (titles, names of columns) and below them (the key of a width).
func (h *Heat) room(width vg.Length) (head, below vg.Length) {
	head = vg.Points(heatHeader)
	if slices.ContainsFunc(h.Panels, func(p *HeatPanel) bool { return p.Title != "" }) {
		head += vg.Points(heatTitle)
	}
	if lines := len(h.keyLines(width)); lines > 0 {
		below = vg.Points(heatKey + heatKeyLine*float64(lines-1))
	}
	return head, below
}

func (h *Heat) size() float64 { return cmp.Or(h.Size, heatText) }

func (h *Heat) nameWidth() vg.Length {
	var width vg.Length
	for i, name := range h.Rows {
		width = max(width, textStyle(h.size(), Ink).Width(name), textStyle(heatNote, quiet).Width(h.Notes[i]))
	}
	return max(width, textStyle(heatNote, quiet).Width(h.Corner)) + vg.Points(8)
}

func (h *Heat) names(dc draw.Canvas, top, height, width vg.Length) {
	for i, name := range h.Rows {
		middle := top - height*(vg.Length(i)+0.5)
		at, side := vg.Point{X: dc.Min.X + width - vg.Points(6), Y: middle}, draw.YCenter
		if h.Notes[i] != "" {
			side = draw.YBottom
			dc.FillText(anchored(textStyle(heatNote, quiet), draw.XRight, draw.YTop), vg.Point{X: at.X, Y: middle - vg.Points(1)}, h.Notes[i])
		}
		dc.FillText(anchored(textStyle(h.size(), Ink), draw.XRight, side), at, name)
	}
}

// draw draws a panel with its upper left cell at a point; points is the size of its text.
func (p *HeatPanel) draw(dc draw.Canvas, at, size vg.Point, points float64) {
	title := anchored(boldStyle(titleSize, Ink), draw.XLeft, draw.YBottom)
	dc.FillText(title, vg.Point{X: at.X, Y: at.Y + vg.Points(heatHeader)}, p.Title)
	for i, name := range p.Columns {
		style := anchored(textStyle(fitting(name, points-0.5, size.X-vg.Points(3)), Ink), draw.XCenter, draw.YBottom)
		dc.FillText(style, vg.Point{X: at.X + size.X*(vg.Length(i)+0.5), Y: at.Y + vg.Points(3)}, name)
	}
	for row, cells := range p.Cells {
		for col, c := range cells {
			corner := vg.Point{X: at.X + size.X*vg.Length(col), Y: at.Y - size.Y*vg.Length(row+1)}
			p.cell(dc, c, vg.Rectangle{Min: corner, Max: vg.Point{X: corner.X + size.X, Y: corner.Y + size.Y}}, points)
		}
	}
}

// fitting returns the size, at most the given one, at which a text is no wider than a width.
func fitting(s string, points float64, width vg.Length) float64 {
	if w := textStyle(points, Ink).Width(s); w > width {
		return points * float64(width/w)
	}
	return points
}

func (p *HeatPanel) cell(dc draw.Canvas, c HeatCell, r vg.Rectangle, points float64) {
	r = inset(r, vg.Points(0.75))
	style := textStyle(fitting(c.Text, points, r.Max.X-r.Min.X-vg.Points(6)), quiet)
	switch at, ok := p.scale.pos(c.Value); {
	case c.Fills != nil:
		fillParts(dc, c.Fills, r)
		style.Color = inkOn(c.Fills[0])
	case ok:
		fill := shade((at - p.scale.lo) / (p.scale.hi - p.scale.lo))
		fillRect(dc, fill, r)
		style.Color = inkOn(fill)
	case c.Text != "":
		fillRect(dc, RGB(0xF2F2F2), r)
	}
	if c.Mark == Leads || c.Mark == LeadsUnseparated || len(c.Fills) == 1 {
		style = boldStyle(fitting(c.Text, points, r.Max.X-r.Min.X-vg.Points(8)), style.Color)
	}
	frame(dc, c.Mark, r, style.Color)
	style = anchored(style, draw.XCenter, draw.YCenter)
	middle := vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
	if c.Below != "" {
		middle.Y += style.Font.Size * 0.6
		below := textStyle(fitting(c.Below, points, r.Max.X-r.Min.X-vg.Points(6)), style.Color)
		dc.FillText(anchored(below, draw.XCenter, draw.YCenter), vg.Point{X: middle.X, Y: middle.Y - vg.Points(points*1.2)}, c.Below)
	}
	dc.FillText(style, middle, c.Text)
}

func fillParts(dc draw.Canvas, fills []color.NRGBA, r vg.Rectangle) {
	width := (r.Max.X - r.Min.X) / vg.Length(len(fills))
	for i, fill := range fills {
		part := r
		part.Min.X += width * vg.Length(i)
		part.Max.X = part.Min.X + width
		fillRect(dc, fill, part)
	}
}

// frame outlines a cell as its mark wants it. A cell in front is bold, too.
func frame(dc draw.Canvas, m Mark, r vg.Rectangle, c color.Color) {
	style, framed := map[Mark]draw.LineStyle{
		Leads: stroke(c, 2, nil), Alike: stroke(c, 0.9, nil), Unseparated: stroke(c, 0.9, Dash(3, 2)),
	}[m]
	if !framed {
		return
	}
	r = inset(r, vg.Points(2.2))
	path := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
	if style.Dashes == nil { // a little beyond the first corner, to make it like the others
		path = append(path, vg.Point{X: r.Min.X + style.Width, Y: r.Min.Y})
	}
	dc.StrokeLines(style, path)
}

func inset(r vg.Rectangle, by vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: r.Min.X + by, Y: r.Min.Y + by}, Max: vg.Point{X: r.Max.X - by, Y: r.Max.Y - by}}
}

func fillRect(dc draw.Canvas, c color.Color, r vg.Rectangle) {
	dc.SetColor(c)
	dc.Fill(r.Path())
}

// keys returns what is to be said of the marks that are shown.
func (h *Heat) keys() []Swatch {
	if h.keyless {
		return nil
	}
	all := lists.Only([]Swatch{
		{mark: Leads, Text: "significantly ahead of all others"},
		{mark: Alike, Text: "as fast as the one in front (bold): within the margin"},
		{mark: Unseparated, Text: "unclear whether behind the one in front (bold)"},
	}, func(s Swatch) bool { return h.shows(s.mark) })
	if len(all) > 0 && h.shows(Unmarked) {
		all = append(all, Swatch{mark: Unmarked, Text: "no figure, for the reason given"})
	}
	return append(all, h.Swatches...)
}

func (s Swatch) width() vg.Length { return textStyle(8, Ink).Width(s.Text) + vg.Points(24+22) } // with what is free beside it

func (h *Heat) keyLines(width vg.Length) (lines [][]Swatch) {
	var used vg.Length
	for _, k := range h.keys() {
		if used += k.width(); len(lines) == 0 || used > width {
			lines, used = append(lines, nil), k.width()
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], k)
	}
	return lines
}

// key says what the frames mean that are shown, from a point to the right and below.
func (h *Heat) key(dc draw.Canvas, at vg.Point) {
	style := anchored(textStyle(8, Ink), draw.XLeft, draw.YCenter)
	for i, line := range h.keyLines(dc.Max.X - at.X) {
		x, y := at.X, at.Y-vg.Points(heatKeyLine)*vg.Length(i)
		for _, k := range line {
			box := vg.Rectangle{Min: vg.Point{X: x, Y: y - vg.Points(6)}, Max: vg.Point{X: x + vg.Points(24), Y: y + vg.Points(6)}}
			k.draw(dc, box)
			dc.FillText(style, vg.Point{X: box.Max.X + vg.Points(5), Y: y}, k.Text)
			x += k.width()
		}
	}
}

func (s Swatch) draw(dc draw.Canvas, box vg.Rectangle) {
	switch {
	case s.Fills != nil:
		fillParts(dc, s.Fills, box)
	case s.mark == Unmarked:
		fillRect(dc, RGB(0xF2F2F2), box)
	default:
		fillRect(dc, shade(0.2), box)
		frame(dc, s.mark, box, Ink)
	}
}

// apart returns each panel as a figure without a key.
func (h *Heat) apart() []*Heat {
	return lists.Each(h.Panels, func(p *HeatPanel) *Heat {
		one := *h
		one.Panels, one.keyless = []*HeatPanel{p}, true
		return &one
	})
}
