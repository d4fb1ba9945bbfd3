// Package chart draws figures of panels and heat maps on gonum/plot in one style. It knows nothing of what is shown.
package chart

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// Figure is a chart: a question, the panels that answer it, and where the figures come from.
type Figure struct {
	Name          string // of the file, without extension
	Title         string
	Subtitle      string
	Footer        string
	Words         []string   // sentences that explain what is shown, above the footer
	Rows          [][]*Panel // of the same length; nil leaves a place empty
	Named         bool       // each panel names its lines beside them; otherwise one legend above names them all
	Alike         bool       // all panels but their Own have the same axes
	Stacked       bool       // the panels of a column have the same x axis
	Heat          *Heat      // is drawn instead of panels
	Width, Height vg.Length
	DPI           int // of the PNG file; 0 is 192
}

// InRows puts panels in rows of some columns, and fills the last row with nil.
func InRows(panels []*Panel, columns int) [][]*Panel {
	columns = max(1, min(columns, len(panels)))
	var rows [][]*Panel
	for row := range slices.Chunk(panels, columns) {
		for len(row) < columns {
			row = append(row, nil)
		}
		rows = append(rows, row)
	}
	return rows
}

// Prepare drops panels that show nothing, sets the axes, and reports whether anything is left.
func (f *Figure) Prepare() bool {
	if f.Heat != nil {
		return f.Heat.fit()
	}
	kept := slices.DeleteFunc(f.panels(), func(p *Panel) bool { return !p.Fit() })
	if len(kept) == 0 {
		return false
	}
	f.Rows = InRows(kept, len(f.Rows[0]))
	f.share(kept)
	for row := range slices.Chunk(kept, len(f.Rows[0])) {
		named := slices.ContainsFunc(row, func(p *Panel) bool { return len(p.Guides)+len(p.Uprights) > 0 })
		for _, p := range row {
			p.above = named
		}
	}
	return true
}

func (f *Figure) share(panels []*Panel) {
	for range 2 { // the first pass finds the ends, the second hands them on
		for _, p := range panels {
			if f.Alike || f.Stacked {
				p.X.span(&panels[0].X)
			}
			if first := panels[slices.IndexFunc(panels, func(o *Panel) bool { return o.Own == p.Own })]; f.Alike {
				p.Y.span(&first.Y)
			}
		}
	}
}

// Draw draws the figure; the canvas may be of any kind.
func (f *Figure) Draw(dc draw.Canvas) {
	fillRect(dc, color.White, dc.Rectangle)
	dc = draw.Crop(dc, vg.Points(14), -vg.Points(14), vg.Points(12), -vg.Points(14))
	dc = paragraph(dc, boldStyle(14, Ink), f.Title)
	dc.Max.Y -= vg.Points(1)
	dc = paragraph(dc, textStyle(9, quiet), f.Subtitle)
	dc.Max.Y -= vg.Points(4)
	dc = foot(dc, f.Footer)
	dc = foot(dc, words.Sentences(f.Words...))
	if !f.Named {
		dc = legend(dc, f.legendLines())
	}
	if f.Heat != nil {
		f.Heat.draw(dc)
		return
	}
	f.body(dc)
}

// foot writes a paragraph at the bottom and returns what is left above.
func foot(dc draw.Canvas, s string) draw.Canvas {
	if s == "" {
		return dc
	}
	style := anchored(textStyle(7.5, quiet), draw.XLeft, draw.YBottom)
	for _, line := range slices.Backward(wrap(style, s, dc.Max.X-dc.Min.X)) {
		dc.FillText(style, dc.Min, line)
		dc.Min.Y += style.Font.Size * 1.3
	}
	dc.Min.Y += vg.Points(5)
	return dc
}

// legendLines returns one line for each name in the panels. Lines without one are named beside their points.
func (f *Figure) legendLines() []Line {
	all := slices.Concat(lists.Each(f.panels(), func(p *Panel) []Line { return p.Lines })...)
	named := lists.Only(all, func(l Line) bool { return l.Name != "" })
	return lists.Each(lists.Groups(named, func(l Line) string { return l.Name }), func(same []Line) Line { return same[0] })
}

func (f *Figure) panels() []*Panel {
	return slices.DeleteFunc(slices.Concat(f.Rows...), func(p *Panel) bool { return p == nil })
}

func (f *Figure) body(dc draw.Canvas) {
	var margin vg.Length
	for _, p := range f.panels() {
		margin = max(margin, p.marginWidth(f.Named))
	}
	plots := make([][]*plot.Plot, len(f.Rows))
	for r, row := range f.Rows {
		plots[r] = make([]*plot.Plot, len(row))
		for c, p := range row {
			if p != nil {
				plots[r][c] = p.plot(c == 0 || p.Y.Label != row[0].Y.Label)
			}
		}
	}
	top := vg.Points(4)
	if first := f.Rows[0][0]; first.Title == "" { // names of guides stand in its place
		top = first.headroom()
	}
	canvases := plot.Align(plots, draw.Tiles{
		Rows: len(f.Rows), Cols: len(f.Rows[0]),
		PadX: margin, PadRight: margin, PadY: vg.Points(12), PadTop: top,
	}, dc)
	for r, row := range f.Rows {
		for c, p := range row {
			if p != nil {
				plots[r][c].Draw(canvases[r][c])
				p.margin(canvases[r][c], plots[r][c], f.Named)
			}
		}
	}
}
