package chart

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar shows parts of a whole above a panel, with a text in the line of the title.
type Bar struct {
	Parts []Part
	Text  string
}

// Part is a share of a bar.
type Part struct {
	Size   float64
	Colour color.Color
}

const (
	barHeight = 8
	barGap    = 3
	barRoom   = barHeight + barGap + 5 // from the data to the title
)

// bar draws a bar over the whole width.
func (b *canvas) bar(s *Bar) {
	var whole float64
	for _, p := range s.Parts {
		whole += p.Size
	}
	left, low := b.c.Min.X, b.c.Max.Y+vg.Points(barGap)
	for _, p := range s.Parts {
		if p.Size <= 0 {
			continue
		}
		width := (b.c.Max.X - b.c.Min.X) * vg.Length(p.Size/whole)
		box := vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: left + width, Y: low + vg.Points(barHeight)}}
		b.c.SetColor(p.Colour)
		b.c.Fill(box.Path())
		b.share(box, p.Size/whole)
		left += width
	}
	style := textStyle(7.5, quiet)
	style.XAlign, style.YAlign = draw.XRight, draw.YBottom
	b.c.FillText(style, vg.Point{X: b.c.Max.X, Y: b.c.Max.Y + vg.Points(barRoom)}, s.Text)
}

// share writes a share into its box, if it fits.
func (b *canvas) share(box vg.Rectangle, v float64) {
	style := textStyle(6.5, RGB(0xFFFFFF))
	text := fmt.Sprintf("%.0f %%", 100*v)
	if v > 0.99 && v < 1 {
		text = "> 99 %"
	}
	if style.Width(text)+vg.Points(4) > box.Max.X-box.Min.X {
		return
	}
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	b.c.FillText(style, vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y+box.Max.Y)/2 + vg.Points(0.5)}, text)
}
