package chart

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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
