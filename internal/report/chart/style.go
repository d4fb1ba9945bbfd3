package chart

import (
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// The inks of everything that is not data.
var (
	Ink          = RGB(0x222222)
	quiet        = RGB(0x6A6A6A)
	paleColour   = RGB(0xB4B4B4)
	gridColour   = RGB(0xECECEC)
	MarginColour = RGB(0xB4B4B4)
	bandColour   = RGB(0xE2E2E2)
	limitColour  = RGB(0xA00000)
)

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

// anchored returns a style for text whose position is another of its points.
func anchored(style text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	style.XAlign, style.YAlign = x, y
	return style
}

func wrap(style text.Style, s string, width vg.Length) []string {
	return words.Fold(s, func(line string) bool { return style.Width(line) <= width })
}

// paragraph writes a text from the top of the canvas, breaking lines, and returns what is left of the canvas below it.
func paragraph(dc draw.Canvas, style text.Style, s string) draw.Canvas {
	for _, line := range wrap(style, s, dc.Max.X-dc.Min.X) {
		dc.FillText(style, vg.Point{X: dc.Min.X, Y: dc.Max.Y}, line)
		dc.Max.Y -= style.Font.Size * 1.3
	}
	return dc
}

// Style is how a line is drawn: without a Glyph, no point of it is marked.
type Style struct {
	Colour color.NRGBA
	Glyph  draw.GlyphDrawer
	Dashes []vg.Length
}

// RGB returns a colour from 0xRRGGBB.
func RGB(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// Faded returns the colour mixed with white (1 is white): unlike transparent lines, crossing ones do not darken.
func Faded(c color.NRGBA, white float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(float64(v) + (255-float64(v))*white) }
	return color.NRGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: c.A}
}

// Dash returns lengths of dashes and gaps, in turn, in points.
func Dash(points ...float64) []vg.Length { return lists.Each(points, vg.Points) }

// Reserve are styles for lines that have none of their own.
var Reserve = []Style{
	{RGB(0x000000), draw.CrossGlyph{}, nil},
	{RGB(0x56B4E9), draw.PlusGlyph{}, Dash(7, 3)},
	{RGB(0x225555), draw.TriangleGlyph{}, Dash(2, 2)},
	{RGB(0x999933), draw.RingGlyph{}, Dash(9, 2, 2, 2)},
	{RGB(0x332288), draw.SquareGlyph{}, Dash(4, 2)},
	{RGB(0x117733), draw.CircleGlyph{}, Dash(7, 3)},
	{RGB(0xAA4499), draw.BoxGlyph{}, Dash(3, 3)},
	{RGB(0x661100), draw.PyramidGlyph{}, Dash(9, 2, 2, 2)},
	{RGB(0x6699CC), draw.SquareGlyph{}, nil},
	{RGB(0xDDAA33), draw.TriangleGlyph{}, Dash(5, 3)},
	{RGB(0x44AA99), draw.CrossGlyph{}, Dash(2, 2)},
	{RGB(0xBB5566), draw.RingGlyph{}, Dash(4, 2)},
}

// Ring is a glyph wide enough to have another one within.
type Ring struct{}

// DrawGlyph draws the ring, wider than other glyphs.
func (Ring) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	style.Radius *= 1.5
	draw.RingGlyph{}.DrawGlyph(c, style, at)
}

// sequence is a palette for amounts, darker all the way, to be read without hues and in print: Brewer's YlGnBu.
var sequence = []color.NRGBA{
	RGB(0xFFFBE0), RGB(0xD9EFB4), RGB(0x97D6B9), RGB(0x4DB8C1), RGB(0x2391C0), RGB(0x2260A8), RGB(0x1A2F73),
}

func shade(share float64) color.NRGBA {
	at := min(max(share, 0), 1) * float64(len(sequence)-1)
	i := min(int(at), len(sequence)-2)
	part := at - float64(i)
	blend := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*part)) }
	a, b := sequence[i], sequence[i+1]
	return color.NRGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), 255}
}

// luminance returns how bright a colour is, from 0 to 1, as contrast is reckoned.
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// inkOn returns black or white, whichever stands out more from a colour.
func inkOn(c color.NRGBA) color.NRGBA {
	l := luminance(c)
	if (l+0.05)/0.05 >= 1.05/(l+0.05) {
		return RGB(0x000000)
	}
	return RGB(0xFFFFFF)
}
