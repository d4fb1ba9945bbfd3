package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/chart"
)

// The panel beside the times shows ratios and intervals as the judge has them, and not who is so
// far behind that the others would look alike.
func TestCostsAreShownAsMultiplesOfTheBest(t *testing.T) {
	g := newSynthetic(6)
	for _, n := range []int{1_000, 10_000} {
		g.inserted(n, map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(2, heap...), catalog.List: scaled(100, heap...)})
	}
	ratios := func(g *synthetic) *chart.Panel {
		f := newView(g.data, Options{}).costFigure(rundata.OpInsert)
		require.True(t, f.Prepare())
		require.Len(t, f.Rows[0], 2)
		return f.Rows[0][1]
	}
	p := ratios(g)
	require.Contains(t, p.Title, "listsched goes beyond 20×")
	contest := newView(g.data, Options{}).topics[0].at("1k").Contest
	for _, l := range p.Lines {
		require.NotEqual(t, catalog.List, l.Name)
		require.Len(t, l.Points, 2)
		if l.Name == catalog.Hier {
			require.Equal(t, 1.0, l.Points[0].Y)
			continue
		}
		c := contest.Standings[1].ToFirst
		require.Equal(t, chart.Point{X: 1000, Y: c.Ratio, Low: c.Low, High: c.High}, l.Points[0])
	}

	g.inserted(1_000, map[string][]float64{catalog.Single: scaled(100, heap...)})
	require.Contains(t, ratios(g).Title, "listsched and singlewheel go beyond 20×")
	g.inserted(1_000, map[string][]float64{catalog.Rounds: scaled(100, heap...)})
	require.Contains(t, ratios(g).Title, "; 3 go beyond 20×")

	near := newSynthetic(6)
	near.inserted(1_000, map[string][]float64{catalog.Hier: heap, catalog.List: scaled(1.3, heap...)})
	near.inserted(10_000, map[string][]float64{catalog.Hier: heap, catalog.List: scaled(1.3, heap...)})
	require.Equal(t, "times the best", ratios(near).Title)
	require.Len(t, ratios(near).Lines, 2, "a list that is near is shown")
}

// Where differences count as none there are no multiples of them.
func TestIdleTicksHaveNoMultiples(t *testing.T) {
	g := newSynthetic(6)
	g.costs([]string{"tick"}, []string{"uniform"}, []int{1000, 10_000}, measured...)
	f := newView(g.data, Options{}).costFigure(rundata.OpTick)
	require.True(t, f.Prepare())
	require.Len(t, f.Rows[0], 1)
	require.NotContains(t, f.Subtitle, "multiple")
}
