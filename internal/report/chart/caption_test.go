package chart

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"schedbench/internal/words"
)

func canvasOf(p *Panel) *canvas {
	p.Fit()
	plt := p.plot(true)
	return newCanvas(p, plt, plt.DataCanvas(draw.NewCanvas(new(recorder.Canvas), Inches(8), Inches(5))))
}

// scatter returns a panel of named points, each a line of its own.
func scatter(pts ...Point) *Panel {
	p := &Panel{X: Axis{Log: true, WithZero: true, Format: words.Percent}, Y: Axis{Log: true, Format: words.Nanos}}
	for i, pt := range pts {
		name := fmt.Sprint("contestant-", i)
		p.Lines = append(p.Lines, Line{Name: name, Style: Reserve[i%len(Reserve)], Points: []Point{pt}, Captions: []string{name}})
	}
	return p
}

// requireApart checks that no name covers another or a point, and that all are in view.
func requireApart(t require.TestingT, b *canvas, placed []caption) {
	for i, c := range placed {
		require.True(t, within(b.c.Rectangle, c.box), "%s is in view at %v", c.text, c.box)
		for j, o := range placed {
			require.False(t, i != j && overlap(c.box, o.box), "%s at %v covers %s at %v", c.text, c.box, o.text, o.box)
			require.False(t, overlap(c.box, inset(vg.Rectangle{Min: o.at, Max: o.at}, -vg.Points(4))), "%s at %v covers the point of %s", c.text, c.box, o.text)
		}
	}
}

func TestNamesThatFindNoPlaceAreWrittenAllTheSame(t *testing.T) {
	b := canvasOf(scatter(slices.Repeat([]Point{At(0.5, 1e7)}, 20)...))
	require.Len(t, b.layout(), 20)
}

func TestFewNamesAreBesideTheirPoints(t *testing.T) {
	b := canvasOf(scatter(At(0.1, 1e6), At(0.1, 1e6), At(0.3, 5e6)))
	placed := b.layout()
	require.Len(t, placed, 3)
	requireApart(t, b, placed)
	for _, c := range placed {
		require.True(t, overlap(c.box, inset(vg.Rectangle{Min: c.at, Max: c.at}, -vg.Points(captionAway+1))), c.text)
	}
}

func TestUnitsStayWithTheirNumbers(t *testing.T) {
	style := textStyle(9, Ink)
	require.Equal(t, []string{"at least", "95 % of"}, wrap(style, "at least 95 % of", style.Width("at least 95 ")))
	require.Empty(t, wrap(style, " ", 100))
}
