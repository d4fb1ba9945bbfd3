package report

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

	"schedbench/harness"
)

// brushOf returns a brush for a panel of a common size.
func brushOf(p *panel) *brush { return brushFor(p, inches(8), inches(5)) }

func brushFor(p *panel, width, height vg.Length) *brush {
	p.fit()
	plt := p.plot(true)
	data := plt.DataCanvas(draw.NewCanvas(new(recorder.Canvas), width, height))
	b := &brush{panel: p, c: data}
	b.tx, b.ty = plt.Transforms(&data)
	return b
}

// scatter returns a panel of named points, each a line of its own.
func scatter(pts ...point) *panel {
	p := &panel{x: axis{log: true, withZero: true, format: percent}, y: axis{log: true, format: nanos}}
	for i, pt := range pts {
		name := fmt.Sprint("contender-", i)
		p.lines = append(p.lines, line{name: name, look: reserve[i%len(reserve)], pts: []point{pt}, captions: []string{name}})
	}
	return p
}

// requireApart checks that no name covers another or a point, and that all are
// in view.
func requireApart(t require.TestingT, b *brush, placed []caption) {
	for i, c := range placed {
		require.True(t, (&room{view: b.c.Rectangle}).free(c.box, true), "%s is in view at %v", c.text, c.box)
		for j, o := range placed {
			require.False(t, i != j && overlap(c.box, o.box), "%s at %v covers %s at %v", c.text, c.box, o.text, o.box)
			require.False(t, overlap(c.box, around(o.at, vg.Points(4))), "%s at %v covers the point of %s", c.text, c.box, o.text)
		}
	}
}

func TestADispensableNameIsLeftOutWhereItWouldNeedALeader(t *testing.T) {
	pts := slices.Repeat([]point{{0.5, 1e7, nan, nan}}, 20)
	b := brushOf(scatter(pts...))
	require.Len(t, b.layout(), 20)
	for i := range b.panel.lines {
		b.panel.lines[i].dispensable = i > 0
	}
	placed := b.layout()
	require.Len(t, placed, 1)
	require.Equal(t, "contender-0", placed[0].text)
	require.Nil(t, placed[0].leader)
}

func TestNoNameCoversAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.Custom(func(t *rapid.T) point {
			x := rapid.SampledFrom([]float64{0, 0.001, 0.00101, 0.02, 0.5}).Draw(t, "x")
			y := rapid.SampledFrom([]float64{1e6, 1.01e6, 1.2e6, 2e6, 1e8}).Draw(t, "y")
			return point{x, y, y * 0.9, y * 1.3}
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
	b := brushOf(scatter(point{0.1, 1e6, nan, nan}, point{0.1, 1e6, nan, nan}, point{0.3, 5e6, nan, nan}))
	for _, c := range b.layout() {
		require.Nil(t, c.leader, c.text)
		require.True(t, overlap(c.box, around(c.at, vg.Points(captionAway+1))), c.text)
	}
}

// Points that coincide have their names in a stack, and each is led to.
func TestNamesOfPointsThatCoincideAreStacked(t *testing.T) {
	var pts []point
	for range 9 {
		pts = append(pts, point{0, 1e6, nan, nan})
	}
	pts = append(pts, point{0.5, 1e8, nan, nan})
	b := brushOf(scatter(pts...))
	placed := b.layout()
	requireApart(t, b, placed)
	stack := placed[:9]
	for i, c := range stack {
		require.Len(t, c.leader, 2, c.text)
		require.Less(t, float64(dist(c.leader[0], c.at)), 6.0, "it begins at the point")
		require.True(t, overlap(around(c.leader[1], vg.Points(2)), c.box), "and ends at the name")
		require.InDelta(t, float64(stack[0].box.Min.X), float64(c.box.Min.X), 0.01, "names begin below each other")
		if i > 0 {
			require.InDelta(t, float64(stack[i-1].box.Min.Y), float64(c.box.Max.Y), 0.01, "in the order that all charts have")
		}
	}
	require.Nil(t, placed[9].leader)
}

func TestUnitsStayWithTheirNumbers(t *testing.T) {
	require.Equal(t, []string{"stopped", "for", "500 ms;", "95 %", "intervals", "%", "of", "s"}, words(" stopped for  500 ms; 95 % intervals % of s"))
	style := textStyle(9, ink)
	require.Equal(t, []string{"at least", "95 % of"}, wrap(style, "at least 95 % of", style.Width("at least 95 ")))
	require.Empty(t, wrap(style, " ", 100))
}

func dist(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)))
}

// Names that find no room are written all the same.
func TestNoNameIsLost(t *testing.T) {
	var pts []point
	for range 60 {
		pts = append(pts, point{0.1, 1e6, nan, nan})
	}
	for _, c := range brushFor(scatter(pts...), inches(2), inches(1.5)).layout() {
		require.NotZero(t, c.box.Max, c.text)
	}
}

func TestGroupsAreOfPointsThatLookLikeOne(t *testing.T) {
	at := func(x, y vg.Length) *caption { return &caption{at: vg.Point{X: x, Y: y}} }
	a, b, bridge, far := at(0, 0), at(2*asOne, 0), at(asOne, asOne), at(0, 3*asOne)
	require.Equal(t, [][]*caption{{far}, {a, b, bridge}}, asGroups([]*caption{a, b, far, bridge}))
	require.Empty(t, asGroups(nil))
}

// On the chart of known systems many are late by a millisecond and cost nothing.
func TestNamesOfSystemsDoNotOverlap(t *testing.T) {
	g := newSynthetic(6)
	names := []string{"jdk-timer", "jdk-executor", "jdk-executor-remove", "netty-schedule", "tokio-like", "netty", "kafka", runtimeTimer}
	for _, name := range names {
		waking := ownWaking
		if name == runtimeTimer {
			waking = runtimeWaking
		}
		g.series(harness.Jitter, "impl="+name+" waking="+waking+" rate=1000", map[string]float64{harness.P99Late: 1.08e6})
		g.series(harness.Idle, "impl="+name+" waking="+waking+" pending=1000", map[string]float64{harness.CPUPerSecond: 5e5})
	}
	g.series(harness.Idle, "impl="+idleProcess+" waking=none pending=1000", map[string]float64{harness.CPUPerSecond: 5e5})
	boxes := written(t, g.data, "systems")
	for _, name := range names {
		require.Contains(t, boxes, name)
	}
	for a, at := range boxes {
		for b, other := range boxes {
			require.False(t, a != b && overlap(at, other), "%q at %v covers %q at %v", a, at, b, other)
		}
	}
}

// written draws a chart and returns where its level texts are: what is written
// above its base line, by the text.
func written(t *testing.T, d *harness.Data, name string) map[string]vg.Rectangle {
	t.Helper()
	all := newView(d).figures(ChartOptions{})
	i := slices.IndexFunc(all, func(f *figure) bool { return f.name == name })
	require.GreaterOrEqual(t, i, 0)
	var c recorder.Canvas
	all[i].draw(draw.NewCanvas(&c, all[i].width, all[i].height))
	found, level := map[string]vg.Rectangle{}, true
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.Rotate:
			level = false
		case *recorder.Pop:
			level = true
		case *recorder.FillString:
			if level {
				require.NotContains(t, found, a.String, "written twice")
				style := textStyle(a.Font.Size.Points(), ink)
				found[a.String] = vg.Rectangle{Min: a.Point, Max: a.Point.Add(vg.Point{X: style.Width(a.String), Y: style.FontExtents().Ascent})}
			}
		}
	}
	return found
}
