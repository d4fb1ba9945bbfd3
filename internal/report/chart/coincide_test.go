package chart

import (
	"image/color"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

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

// dashesOf draws a figure and returns how each line of a panel is dashed, by its colour.
func dashesOf(t *testing.T, f *Figure) map[color.Color][]recorder.SetLineDash {
	t.Helper()
	require.True(t, f.Prepare())
	var c recorder.Canvas
	f.Draw(draw.NewCanvas(&c, f.Width, f.Height))
	found := map[color.Color][]recorder.SetLineDash{}
	var colour color.Color
	var dash recorder.SetLineDash
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			colour = a.Color
		case *recorder.SetLineDash:
			dash = *a
		case *recorder.Stroke:
			found[colour] = append(found[colour], dash)
		}
	}
	return found
}

// Of lines that coincide all can be seen: in dashes that leave room for each other's, with their
// marks side by side, and the figure says so.
func TestLinesThatCoincideAreAllSeen(t *testing.T) {
	f := madeUp([]float64{0, 0, 0}, []float64{0, 0, 0}, []float64{0, 0, 0}, []float64{5, 50, 500})
	found := dashesOf(t, f)
	var offsets []vg.Length
	for i := range 3 {
		i := slices.IndexFunc(found[Reserve[i].Colour], func(d recorder.SetLineDash) bool { return len(d.Dashes) == 2 && d.Dashes[1] == 2*d.Dashes[0] })
		require.GreaterOrEqual(t, i, 0, "a third of the way is drawn")
	}
	for i := range 3 {
		for _, d := range found[Reserve[i].Colour] {
			if len(d.Dashes) == 2 && d.Dashes[1] == 2*d.Dashes[0] {
				offsets = append(offsets, d.Offsets)
			}
		}
	}
	slices.Sort(offsets)
	require.Len(t, slices.Compact(offsets), 3, "each at another time")
	for _, d := range found[Reserve[3].Colour] {
		require.False(t, len(d.Dashes) == 2 && d.Dashes[1] == 2*d.Dashes[0], "a line alone is drawn as always")
	}
	require.Equal(t, "Counted. "+waysCoincide, f.subtitle())

	p := f.Rows[0][0]
	for j := range 3 {
		for i := range 3 {
			requireTurn(t, i, 3, p.turns[i].points[j])
		}
		requireTurn(t, 0, 1, p.turns[3].points[j])
	}
}

// Lines that meet at one place only have their marks side by side there, and no dashes.
func TestMarksThatMeetStandSideBySide(t *testing.T) {
	f := madeUp([]float64{1, 10, 1}, []float64{100, 10, 1000})
	require.True(t, f.Prepare())
	p := f.Rows[0][0]
	requireTurn(t, 1, 2, p.turns[1].points[1])
	require.Equal(t, 1, p.turns[1].points[0].of)
	_, ways := p.coincides()
	require.False(t, ways)
	require.Equal(t, "Counted. "+marksCoincide, f.subtitle())

	c := &canvas{panel: p, c: draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 300, Y: 200}}}}
	left, right := c.aside(0, 1, vg.Point{X: 150}), c.aside(1, 1, vg.Point{X: 150})
	require.Equal(t, -left, right)
	require.GreaterOrEqual(t, right-left, vg.Points(6), "a mark is as wide")
	require.Zero(t, c.aside(0, 0, vg.Point{X: 150}))
	require.LessOrEqual(t, c.aside(1, 1, vg.Point{X: 298}), vg.Length(2), "it stays in view")
}

// Intervals that overlap stand side by side too.
func TestIntervalsThatOverlapStandSideBySide(t *testing.T) {
	f := madeUp([]float64{10, 10, 10}, []float64{30, 30, 30})
	f.Rows[0][0].Lines[0].Points[1].Low, f.Rows[0][0].Lines[0].Points[1].High = 8, 25
	f.Rows[0][0].Lines[1].Points[1].Low, f.Rows[0][0].Lines[1].Points[1].High = 20, 40
	require.True(t, f.Prepare())
	requireTurn(t, 0, 2, f.Rows[0][0].turns[0].points[1])
	require.Equal(t, 1, f.Rows[0][0].turns[0].points[0].of)
}

// Where nothing coincides nothing is said and nothing moved.
func TestLinesApartAreLeftAlone(t *testing.T) {
	f := madeUp([]float64{1, 2, 3}, []float64{100, 200, 300})
	require.True(t, f.Prepare())
	require.Equal(t, "Counted.", f.subtitle())
	for _, l := range f.Rows[0][0].turns {
		for _, p := range l.points {
			require.LessOrEqual(t, p.of, 1)
		}
	}
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

// Points by themselves, too, stand side by side where they would cover each other; how far is
// for each place by its own neighbours to say.
func TestPointsByThemselvesStandSideBySide(t *testing.T) {
	single := func(x, y float64) Line { return Line{Style: Reserve[0], Points: []Point{At(x, y)}} }
	p := &Panel{
		X: Axis{Log: true, Format: words.Nanos}, Y: Axis{Log: true, Format: words.Nanos},
		Lines: []Line{single(1, 50), single(1, 50.1), single(1, 90), single(90, 50), single(100, 50)},
	}
	require.True(t, p.Fit())
	p.coincide()
	requireTurn(t, 0, 2, p.turns[0].points[0])
	requireTurn(t, 1, 2, p.turns[1].points[0])
	for _, alone := range []int{2, 3, 4} {
		requireTurn(t, 0, 1, p.turns[alone].points[0])
	}
	require.Greater(t, p.turns[0].points[0].room, 10*p.turns[3].points[0].room)
}

func requireTurn(t *testing.T, at, of int, got turn) {
	t.Helper()
	require.Equal(t, [2]int{at, of}, [2]int{got.at, got.of})
}
