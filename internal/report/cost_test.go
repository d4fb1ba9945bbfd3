package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
)

// The panel beside the times shows the judge's ratios and intervals, without contestants that are far behind.
func TestCostsAreShownAsMultiplesOfTheBest(t *testing.T) {
	g := newSynthetic(6)
	for _, n := range []int{1_000, 10_000} {
		g.inserted(n, map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(2, heap...), catalog.List: scaled(100, heap...)})
	}
	ratios := func(g *synthetic) *chart.Panel {
		f := Judge(g.data, Options{}).costFigure(rundata.OpInsert)
		require.True(t, f.Prepare())
		require.Len(t, f.Rows[0], 2)
		return f.Rows[0][1]
	}
	p := ratios(g)
	require.Contains(t, p.Title, "listsched goes beyond 20×")
	contest := Judge(g.data, Options{}).measures[0].at("1k").Contest
	for _, l := range p.Lines {
		require.NotEqual(t, catalog.List, l.Name)
		require.Len(t, l.Points, 2)
		if l.Name == catalog.Hier {
			require.Equal(t, 1.0, l.Points[0].Y)
			continue
		}
		c := contest.Standings[1].ToFirst
		require.Equal(t, chart.Point{X: 1000, Y: c.Value, Low: c.Low, High: c.High}, l.Points[0])
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
	f := Judge(g.data, Options{}).costFigure(rundata.OpTick)
	require.True(t, f.Prepare())
	require.Len(t, f.Rows[0], 1)
	require.NotContains(t, f.Subtitle, "multiple")
}

// idleCells makes up cells of which each has an idle process of its own, since each was measured at another time: the
// process of n takes own(n) of a core, and contestants, with the same for each tick, 3 % more.
func idleCells(own map[int]float64) *rundata.Data {
	g := newSynthetic(8)
	g.noise = 0
	for _, n := range []int{0, 1000, 100_000} {
		for _, waking := range []string{"1ms", rundata.Tickless} {
			g.series(rundata.Idle, fmt.Sprintf("impl=hierwheel waking=%s pending=%d", waking, n),
				map[string]float64{rundata.CPUPerSecond: 1e9 * (own[n] + 0.03)})
		}
		if share, ok := own[n]; ok {
			g.series(rundata.Idle, fmt.Sprintf("impl=process waking=none pending=%d", n), map[string]float64{rundata.CPUPerSecond: 1e9 * share})
		}
	}
	return g.data
}

func TestEachIdleCellHasAControlOfItsOwn(t *testing.T) {
	v := Judge(idleCells(map[int]float64{0: 0.05, 1000: 0.01, 100_000: 0.002}), Options{})
	for _, n := range []string{"0", "1000", "100000"} {
		require.InDelta(t, 0.03, v.idleShare(v.idleSeries("hierwheel", "1ms", n)).Median, 1e-9, "%s pending", n)
	}
	var b strings.Builder
	require.NoError(t, idleChapter.tables(v)[0].Write(&b))
	require.Equal(t, 6, strings.Count(b.String(), "3.00 % ±"), "beyond the idle process:\n%s", b.String())

	v = Judge(idleCells(map[int]float64{0: 0.05}), Options{})
	require.InDelta(t, 0.03, v.idleShare(v.idleSeries("hierwheel", "1ms", "100000")).Median, 1e-9, "it has no control")
}

func TestAProcessOfItsOwnIsItsOwnControl(t *testing.T) {
	d := idleCells(map[int]float64{1000: 0.01})
	for _, s := range d.Select(rundata.Idle, "impl=hierwheel", "waking=1ms", "pending=1000") {
		for range s.Iterations {
			s.Values[rundata.EmptyCPUPerSecond] = append(s.Values[rundata.EmptyCPUPerSecond], 1e9*0.025)
		}
	}
	v := Judge(d, Options{})
	require.InDelta(t, 0.015, v.idleShare(v.idleSeries("hierwheel", "1ms", "1000")).Median, 1e-9)
	require.InDelta(t, 0.03, v.idleShare(v.idleSeries("hierwheel", rundata.Tickless, "1000")).Median, 1e-9)
}

func TestASubtitleSaysWhatTheMachineHeldUp(t *testing.T) {
	g := newSynthetic(6)
	g.jitters(catalog.Hier)
	all := g.data.Select(rundata.Jitter)
	require.Equal(t, "nothing trimmed", trimmed(all))
	for _, s := range all {
		s.Values[rundata.HeldUp] = make([]float64, len(s.Values[rundata.Fired]))
	}
	require.Equal(t, "nothing trimmed", trimmed(all))
	fired := 0.0
	for _, s := range all {
		fired += total(s, rundata.Fired)
	}
	all[0].Values[rundata.HeldUp][0] = fired / 50
	require.Equal(t, "without the 2 % that fired while the machine stalled", trimmed(all))
}

func firstCells(table *text.Table) []string {
	return lists.Each(table.Grid()[1:], func(row []string) string { return row[0] })
}

func shownIn(p *chart.Panel) (names []string) {
	for _, l := range p.Lines {
		if len(l.Points) > 0 {
			names = append(names, l.Name)
		}
	}
	return names
}

func TestMemoryComparesLikeWithLike(t *testing.T) {
	g := newSynthetic(6)
	g.memories([]int{1000}, "heapsched", "hierwheel", "hierwheel"+rundata.AASuffix, catalog.ContainerHeap, catalog.RuntimeTimer)
	g.holding([]int{1000}, "heapsched", "hierwheel", "hierwheel"+rundata.AASuffix)
	v := Judge(g.data, Options{})
	tables, rows := memoryChapter.tables(v), memoryChapter.figures(v)[0].Rows
	for i, of := range []struct {
		name        string
		contestants []string
	}{
		{"bare schedulers", []string{"heapsched", "hierwheel", catalog.ContainerHeap}},
		{"behind a driver", []string{"heapsched", "hierwheel", catalog.RuntimeTimer}},
	} {
		require.Contains(t, tables[i].Title, of.name)
		require.Equal(t, append(of.contestants, rundata.NothingControl), firstCells(tables[i]))
		require.Len(t, rows[i], 3)
		for _, p := range rows[i] {
			require.Contains(t, p.Title, of.name)
			require.Equal(t, of.contestants, shownIn(p))
		}
	}
}
