package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// figure is a chart: a question, the panels that answer it, and where the
// figures come from.
type figure struct {
	// name is that of the file, without extension.
	name     string
	title    string
	subtitle string
	footer   string
	// rows are the panels; all rows have the same length, and nil leaves a
	// place empty.
	rows [][]*panel
	// named says that each panel names its lines beside them; otherwise one
	// legend above names them all.
	named bool
	// alike gives all panels the same axes; stacked gives the panels of a
	// column the same x axis.
	alike, stacked bool
	// heat is drawn instead of panels.
	heat *heat
	// keys are what the legend says instead of the names of the lines.
	keys          []line
	width, height vg.Length
}

// in rows of some columns, row by row.
func inRows(panels []*panel, columns int) [][]*panel {
	columns = max(1, min(columns, len(panels)))
	var rows [][]*panel
	for row := range slices.Chunk(panels, columns) {
		for len(row) < columns {
			row = append(row, nil)
		}
		rows = append(rows, row)
	}
	return rows
}

// prepare drops panels that show nothing, sets the axes, and reports whether
// anything is left.
func (f *figure) prepare() bool {
	if f.heat != nil {
		return f.heat.fit()
	}
	columns := 0
	if len(f.rows) > 0 {
		columns = len(f.rows[0])
	}
	var kept []*panel
	for _, row := range f.rows {
		for _, p := range row {
			if p != nil && p.fit() {
				kept = append(kept, p)
			}
		}
	}
	if len(kept) == 0 {
		return false
	}
	f.rows = inRows(kept, columns)
	f.share(kept)
	return true
}

// share makes the axes agree that have to.
func (f *figure) share(panels []*panel) {
	for range 2 { // the first pass finds the ends, the second hands them on
		for _, p := range panels {
			if f.alike || f.stacked {
				p.x.span(&panels[0].x)
				panels[0].x.span(&p.x)
			}
			if f.alike {
				p.y.span(&panels[0].y)
				panels[0].y.span(&p.y)
			}
		}
	}
}

// draw draws the figure; the canvas may be of any kind.
func (f *figure) draw(dc draw.Canvas) {
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	dc = draw.Crop(dc, vg.Points(14), -vg.Points(14), vg.Points(12), -vg.Points(14))
	dc = paragraph(dc, boldStyle(14, ink), f.title)
	dc.Max.Y -= vg.Points(1)
	dc = paragraph(dc, textStyle(9, quiet), f.subtitle)
	dc.Max.Y -= vg.Points(4)
	dc = foot(dc, f.footer)
	if f.keys != nil {
		dc = legend(dc, f.keys)
	} else if !f.named {
		dc = legend(dc, f.contenders())
	}
	if f.heat != nil {
		f.heat.draw(dc)
		return
	}
	f.body(dc)
}

// foot writes the provenance at the bottom and returns what is left above.
func foot(dc draw.Canvas, s string) draw.Canvas {
	style := textStyle(7.5, quiet)
	style.YAlign = draw.YBottom
	for _, line := range slices.Backward(wrap(style, s, dc.Max.X-dc.Min.X)) {
		dc.FillText(style, dc.Min, line)
		dc.Min.Y += style.Font.Size * 1.3
	}
	dc.Min.Y += vg.Points(5)
	return dc
}

// contenders returns one line for each name in the panels. Lines without one are
// named beside their points.
func (f *figure) contenders() []line {
	var found []line
	for _, p := range f.panels() {
		for _, l := range p.lines {
			if l.name != "" && !slices.ContainsFunc(found, func(have line) bool { return have.name == l.name }) {
				found = append(found, l)
			}
		}
	}
	return found
}

func (f *figure) panels() []*panel {
	return slices.DeleteFunc(slices.Concat(f.rows...), func(p *panel) bool { return p == nil })
}

// body draws the panels side by side with their plots aligned.
func (f *figure) body(dc draw.Canvas) {
	var margin vg.Length
	for _, p := range f.panels() {
		margin = max(margin, p.marginWidth(f.named))
	}
	plots := make([][]*plot.Plot, len(f.rows))
	for r, row := range f.rows {
		plots[r] = make([]*plot.Plot, len(row))
		for c, p := range row {
			if p != nil {
				plots[r][c] = p.plot(c == 0 || p.y.label != row[0].y.label)
			}
		}
	}
	canvases := plot.Align(plots, draw.Tiles{
		Rows: len(f.rows), Cols: len(f.rows[0]),
		PadX: margin, PadRight: margin, PadY: vg.Points(12), PadTop: f.headroom(),
	}, dc)
	for r, row := range f.rows {
		for c, p := range row {
			if p != nil {
				plots[r][c].Draw(canvases[r][c])
				p.margin(canvases[r][c], plots[r][c], f.named)
			}
		}
	}
}

// headroom is the space above the panels: one without a title has names of
// guides there.
func (f *figure) headroom() vg.Length {
	first := f.rows[0][0]
	if first.title == "" {
		return first.headroom()
	}
	return vg.Points(4)
}
