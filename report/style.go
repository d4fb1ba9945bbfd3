package report

import (
	"image/color"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The inks of everything that is not data.
var (
	ink   = rgb(0x222222)
	quiet = rgb(0x6A6A6A)
	pale  = rgb(0xB4B4B4)
	grid  = rgb(0xECECEC)
	band  = rgb(0xE2E2E2)
	limit = rgb(0xA00000)
)

// sans returns the font of all text on charts.
func sans(points float64, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(points)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// textStyle returns a style for text whose position is its upper left corner.
func textStyle(points float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: sans(points, false), Handler: plot.DefaultTextHandler,
		XAlign: draw.XLeft, YAlign: draw.YTop,
	}
}

func boldStyle(points float64, c color.Color) text.Style {
	style := textStyle(points, c)
	style.Font = sans(points, true)
	return style
}

// words splits a text at its spaces, but not a number from the unit after it.
func words(s string) (list []string) {
	units := []string{"%", "ns", "µs", "ms", "s"}
	for _, word := range strings.Fields(s) {
		if n := len(list); n > 0 && slices.Contains(units, strings.TrimRight(word, ".,:;")) && strings.ContainsAny(list[n-1][len(list[n-1])-1:], "0123456789") {
			list[n-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

// wrap breaks a text into lines that are no wider than width.
func wrap(style text.Style, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range words(s) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// paragraph writes a text from the top of the canvas, breaking lines, and
// returns what is left of the canvas below it.
func paragraph(dc draw.Canvas, style text.Style, s string) draw.Canvas {
	for _, line := range wrap(style, s, dc.Max.X-dc.Min.X) {
		dc.FillText(style, vg.Point{X: dc.Min.X, Y: dc.Max.Y}, line)
		dc.Max.Y -= style.Font.Size * 1.3
	}
	return dc
}
