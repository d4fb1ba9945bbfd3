package chart

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// madeUp is a figure of one panel with a line for each list of heights.
func madeUp(heights ...[]float64) *Figure {
	p := &Panel{
		X: Axis{Log: true, At: []float64{1e3, 1e4, 1e5}, Format: words.Count},
		Y: Axis{Log: true, WithZero: true, Format: words.Count},
	}
	for i, ys := range heights {
		l := Line{Name: words.Count(float64(i)), Style: Reserve[i]}
		for j, y := range ys {
			l.Points = append(l.Points, At(p.X.At[j], y))
		}
		p.Lines = append(p.Lines, l)
	}
	return &Figure{Rows: [][]*Panel{{p}}, Named: true, Width: 500, Height: 300, Subtitle: "Counted."}
}

// Marks stand side by side at each place, as far from each other in the middle as at the ends.
func TestMarksStandSideBySide(t *testing.T) {
	f := madeUp([]float64{10, 10, 10}, []float64{10, 10, 10}, []float64{10, 10, 10})
	f.Rows[0][0].Lines = append(f.Rows[0][0].Lines, Line{Style: Reserve[3], Points: []Point{At(1e4, 5)}, Captions: []string{"5"}})
	require.True(t, f.Prepare())
	c := &canvas{panel: f.Rows[0][0], c: draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 300, Y: 200}}}}
	c.tx = func(x float64) vg.Length { return vg.Length(100 * (x - 3)) }
	require.Equal(t, vg.Length(100), c.room())
	require.Less(t, c.shift(0), c.shift(1))
	require.InDelta(t, float64(c.shift(1)-c.shift(0)), float64(c.shift(2)-c.shift(1)), 1e-9)
	require.Less(t, 2*(c.shift(2)-c.shift(0)), c.room(), "nearer to their place than to the next")
	require.Zero(t, c.shift(3), "something is written beside it")
}

// The interval of a band is in view, unless it says nothing.
func TestBandsAreInView(t *testing.T) {
	p := madeUp([]float64{2, 2, 3}).Rows[0][0]
	p.Bands = []Band{{Name: "nothing pending", Points: []Point{{X: 1e3, Y: 2, Low: 1.5, High: 30}, {X: 1e4, Y: 2, Low: 1e-9, High: 1e9}}}}
	require.True(t, p.Fit())
	at, _ := p.Y.pos(30)
	require.LessOrEqual(t, at, p.Y.hi)
	at, _ = p.Y.pos(1e9)
	require.Greater(t, at, p.Y.hi)
	at, _ = p.Y.pos(1e-9)
	require.Less(t, at, p.Y.lo)
}

// Names in the margin of ends that are at one height do not cover each other, and leave the panel only where it has no room.
func TestNamesInTheMarginStandApart(t *testing.T) {
	names := make([]marginLabel, 8)
	spread(names, -20, 200)
	for i, name := range names {
		require.Equal(t, i, name.rank, "in the order of all charts")
		require.True(t, name.y >= -20 && name.y <= 200)
		require.True(t, i == 0 || names[i-1].y-name.y >= nameSize, "%d", i)
	}
}

// Panels that are alike have the same axes; one whose height is its own shares the width only.
func TestPanelsAreAlikeButForTheirOwnHeight(t *testing.T) {
	times, ratios, cpu := madeUp([]float64{1e3, 1e4, 1e5}).Rows[0][0], madeUp([]float64{1, 2, 3}).Rows[0][0], madeUp([]float64{1e4, 1e5, 1e6}).Rows[0][0]
	ratios.Own = true
	f := &Figure{Rows: [][]*Panel{{times, ratios, cpu}}, Alike: true}
	require.True(t, f.Prepare())
	require.Equal(t, times.Y.hi, cpu.Y.hi)
	require.Equal(t, times.Y.lo, cpu.Y.lo)
	require.Less(t, ratios.Y.hi, 1.0)
	require.Equal(t, times.X.hi, ratios.X.hi)
}

func TestADrawingForAPageHasNoTextsAroundIt(t *testing.T) {
	f := madeUp([]float64{2, 3})
	f.Title, f.Subtitle, f.Footer = "A title", "what it shows", "provenance"
	f.Rows[0][0].Y.Label, f.Rows[0][0].Lines[0].Name = "time <of> it", "a & b"
	require.True(t, f.Prepare())
	in := f.Inline(`it says "so" & more`)
	require.Len(t, in.Panels, 1)
	require.Empty(t, in.Keys, "the lines are named beside their ends")
	svg := in.Panels[0].SVG
	require.Contains(t, svg, `<svg role="img" aria-label="it says &#34;so&#34; &amp; more." `)
	require.Contains(t, svg, "a &amp; b")
	for _, text := range []string{"A title", "what it shows", "provenance", "base64", "<?xml", "url("} {
		require.NotContains(t, svg, text)
	}
	require.Equal(t, "A title", f.Title, "the figure is left as it was")
}

func TestPanelsOfAPageAreElementsWithOneLegend(t *testing.T) {
	f, other := madeUp([]float64{2, 3}, []float64{3, 5}), madeUp([]float64{2, 3}, []float64{3, 5})
	f.Rows[0] = append(f.Rows[0], other.Rows[0]...)
	f.Rows[0][0].Title, f.Rows[0][1].Title = "one", "two"
	require.True(t, f.Prepare())
	in := f.Inline("all of it")
	require.Len(t, in.Panels, 2)
	require.Contains(t, in.Panels[0].SVG, `aria-label="all of it. one."`)
	require.Contains(t, in.Panels[1].SVG, `aria-label="all of it. two."`)
	require.Len(t, in.Keys, 2)
	require.Contains(t, in.Keys[1].Sample, `<svg aria-hidden="true" `)
}

// The fonts of all text must be there: a missing one is replaced in silence.
func TestFonts(t *testing.T) {
	for _, bold := range []bool{false, true} {
		require.True(t, font.DefaultCache.Has(sans(9, bold)), "bold: %v", bold)
	}
}

func TestAxisNeverFails(t *testing.T) {
	values := [][]float64{
		nil, {0}, {-1}, {1}, {5, 5}, {math.NaN()}, {math.Inf(1), math.Inf(-1)}, {0, 1e-300, 1e300},
		{math.SmallestNonzeroFloat64, math.MaxFloat64}, {1, 1.0001}, {-3, 4}, {0, 10, 1000},
	}
	for _, vs := range values {
		for _, a := range []Axis{
			{Format: words.Count}, {Format: words.Count, Log: true}, {Format: words.Count, Log: true, WithZero: true},
			{Format: words.Count, WithZero: true}, {Format: words.Count, Log: true, WithZero: true, At: vs},
		} {
			a.fit(vs)
			require.Less(t, a.lo, a.hi, "%v", vs)
			require.LessOrEqual(t, len(a.Ticks(0, 0)), 200, "marks of %v", vs)
		}
	}
}

// Above nothing but zeros a logarithmic axis shows a whole decade: marks from 0.8 to 1.4 would look like counts.
func TestZerosStandBelowADecade(t *testing.T) {
	a := Axis{Format: words.Count, Log: true, WithZero: true}
	a.fit([]float64{0, 0})
	labels := lists.Each(a.Ticks(0, 0), func(tick plot.Tick) string { return tick.Label })
	require.Equal(t, []string{"0", "1", "2", "5", "10"}, slices.DeleteFunc(labels, func(label string) bool { return label == "" }))
}
