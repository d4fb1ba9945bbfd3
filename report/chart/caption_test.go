package chart

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"

	"schedbench/internal/words"
)

// brushOf returns a brush for a panel of a common size.
func brushOf(p *Panel) *canvas { return brushFor(p, Inches(8), Inches(5)) }

func brushFor(p *Panel, width, height vg.Length) *canvas {
	p.Fit()
	plt := p.plot(true)
	data := plt.DataCanvas(draw.NewCanvas(new(recorder.Canvas), width, height))
	b := &canvas{panel: p, c: data}
	b.tx, b.ty = plt.Transforms(&data)
	return b
}

// scatter returns a panel of named points, each a line of its own.
func scatter(pts ...Point) *Panel {
	p := &Panel{X: Axis{Log: true, WithZero: true, Format: words.Percent}, Y: Axis{Log: true, Format: words.Nanos}}
	for i, pt := range pts {
		name := fmt.Sprint("contender-", i)
		p.Lines = append(p.Lines, Line{Name: name, Style: Reserve[i%len(Reserve)], Points: []Point{pt}, Captions: []string{name}})
	}
	return p
}

// requireApart checks that no name covers another or a point, and that all are
// in view.
func requireApart(t require.TestingT, b *canvas, placed []caption) {
	for i, c := range placed {
		require.True(t, (&freeSpace{view: b.c.Rectangle}).free(c.box, true), "%s is in view at %v", c.text, c.box)
		for j, o := range placed {
			require.False(t, i != j && Overlap(c.box, o.box), "%s at %v covers %s at %v", c.text, c.box, o.text, o.box)
			require.False(t, Overlap(c.box, around(o.at, vg.Points(4))), "%s at %v covers the point of %s", c.text, c.box, o.text)
		}
	}
}

func TestADispensableNameIsLeftOutWhereItWouldNeedALeader(t *testing.T) {
	pts := slices.Repeat([]Point{{0.5, 1e7, nan, nan}}, 20)
	b := brushOf(scatter(pts...))
	require.Len(t, b.layout(), 20)
	for i := range b.panel.Lines {
		b.panel.Lines[i].Dispensable = i > 0
	}
	placed := b.layout()
	require.Len(t, placed, 1)
	require.Equal(t, "contender-0", placed[0].text)
	require.Nil(t, placed[0].leader)
}

func TestNoNameCoversAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.Custom(func(t *rapid.T) Point {
			x := rapid.SampledFrom([]float64{0, 0.001, 0.00101, 0.02, 0.5}).Draw(t, "x")
			y := rapid.SampledFrom([]float64{1e6, 1.01e6, 1.2e6, 2e6, 1e8}).Draw(t, "y")
			return Point{x, y, y * 0.9, y * 1.3}
		})
		pts := rapid.SliceOfN(place, 1, 30).Draw(t, "points")
		b := brushOf(scatter(pts...))
		placed := b.layout()
		require.Len(t, placed, len(pts))
		requireApart(t, b, placed)
		require.Equal(t, placed, b.layout(), "the same each time")
	})
}

func TestFewNamesAreBesideTheirPoints(t *testing.T) {
	b := brushOf(scatter(At(0.1, 1e6), At(0.1, 1e6), At(0.3, 5e6)))
	for _, c := range b.layout() {
		require.Nil(t, c.leader, c.text)
		require.True(t, Overlap(c.box, around(c.at, vg.Points(captionAway+1))), c.text)
	}
}

// Points that coincide have their names in a stack, and each is led to.
func TestNamesOfPointsThatCoincideAreStacked(t *testing.T) {
	var pts []Point
	for range 9 {
		pts = append(pts, At(0, 1e6))
	}
	pts = append(pts, At(0.5, 1e8))
	b := brushOf(scatter(pts...))
	placed := b.layout()
	requireApart(t, b, placed)
	stack := placed[:9]
	for i, c := range stack {
		require.Len(t, c.leader, 2, c.text)
		require.Less(t, float64(dist(c.leader[0], c.at)), 6.0, "it begins at the point")
		require.True(t, Overlap(around(c.leader[1], vg.Points(2)), c.box), "and ends at the name")
		require.InDelta(t, float64(stack[0].box.Min.X), float64(c.box.Min.X), 0.01, "names begin below each other")
		if i > 0 {
			require.InDelta(t, float64(stack[i-1].box.Min.Y), float64(c.box.Max.Y), 0.01, "in the order that all charts have")
		}
	}
	require.Nil(t, placed[9].leader)
}

func dist(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)))
}

// Names that find no room are written all the same.
func TestNoNameIsLost(t *testing.T) {
	var pts []Point
	for range 60 {
		pts = append(pts, At(0.1, 1e6))
	}
	for _, c := range brushFor(scatter(pts...), Inches(2), Inches(1.5)).layout() {
		require.NotZero(t, c.box.Max, c.text)
	}
}

func TestGroupsAreOfPointsThatLookLikeOne(t *testing.T) {
	at := func(x, y vg.Length) *caption { return &caption{at: vg.Point{X: x, Y: y}} }
	a, b, bridge, far := at(0, 0), at(2*asOne, 0), at(asOne, asOne), at(0, 3*asOne)
	require.Equal(t, [][]*caption{{far}, {a, b, bridge}}, asGroups([]*caption{a, b, far, bridge}))
	require.Empty(t, asGroups(nil))
}
