package chart

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Inline returns a figure that is prepared as an SVG element for a page, which writes
// title, subtitle and footer itself: they are not in the drawing, which is less high by
// them. alt says what it shows to those who do not see it.
//
// Fonts are not in it, which would be 25 times as much as the drawing: a page names one
// for svg elements whose letters are as wide as those of Liberation Sans, as Arial's and
// Helvetica's are.
func (f *Figure) Inline(alt string) (string, error) {
	var b bytes.Buffer
	if err := f.bare().svgWith(&b, false); err != nil {
		return "", fmt.Errorf("chart %s: %w", f.Name, err)
	}
	_, drawing, found := strings.Cut(b.String(), "<svg ")
	if !found {
		return "", fmt.Errorf("chart %s: no element svg was drawn", f.Name)
	}
	return fmt.Sprintf(`<svg role="img" aria-label="%s" `, html.EscapeString(alt)) + usual.Replace(drawing), nil
}

// usual removes what goes without saying.
var usual = strings.NewReplacer(
	"font-family:Liberation Sans;", "", "font-variant:normal;", "", "font-weight:normal;", "", "font-style:normal;", "",
	"\n\txmlns:xlink=\"http://www.w3.org/1999/xlink\"", "", "\n\tstyle=", " style=",
)

// bare returns the figure without the texts around its drawing, and so much less high.
func (f *Figure) bare() *Figure {
	width, b := f.Width-2*vg.Points(14), *f
	for _, text := range []struct {
		of     *string
		points float64
		bold   bool
	}{{&b.Title, 14, true}, {&b.Subtitle, 9, false}, {&b.Footer, 7.5, false}} {
		style := textStyle(text.points, Ink)
		style.Font = sans(text.points, text.bold)
		lines := len(wrap(style, *text.of, width))
		b.Height -= vg.Length(lines) * vg.Points(text.points*1.3)
		*text.of = ""
	}
	return &b
}
