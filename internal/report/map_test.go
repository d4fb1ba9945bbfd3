package report

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/chart/charttest"
)

// mapTruth is what the life of a timer really takes.
type mapTruth func(name string, pending, cancelled int) float64

var (
	mapNames     = []string{catalog.Heap, catalog.Single, catalog.Hier, catalog.ContainerHeap}
	mapPendings  = []int{100, 10_000}
	mapShares    = []int{0, 50, 100}
	mapHorizons  = []string{"10s", "1h0m0s"}
	mapCellsMade = len(mapPendings) * len(mapShares) * len(mapHorizons)
)

func (g *synthetic) mapped(of mapTruth) {
	for _, h := range mapHorizons {
		for _, n := range mapPendings {
			for _, c := range mapShares {
				params := fmt.Sprintf("pending=%d cancel=%d horizon=%s", n, c, h)
				g.series(rundata.Map, "impl="+rundata.EmptyControl+" "+params, map[string]float64{rundata.NsPerOp: 10})
				for _, name := range mapNames {
					g.series(rundata.Map, "impl="+name+" "+params, map[string]float64{rundata.NsPerOp: 10 + of(name, n, c)})
				}
				g.series(rundata.Map, "impl="+catalog.Hier+rundata.AASuffix+" "+params, map[string]float64{rundata.NsPerOp: 10 + of(catalog.Hier, n, c)})
			}
		}
	}
}

func mapOf(of mapTruth) *rundata.Data {
	g := newSynthetic(8)
	g.mapped(of)
	return g.data
}

// leader is the truth that one takes a half of what all others take.
func leader(who string) mapTruth {
	return func(name string, _, _ int) float64 {
		if name == who {
			return 50
		}
		return 100
	}
}

// parted is the truth that the heap leads with few pending, the wheel with many, and nobody if all are cancelled.
func parted(name string, pending, cancelled int) float64 {
	front := map[int]string{100: catalog.Heap, 10_000: catalog.Hier}[pending]
	switch {
	case cancelled == 100 && name != catalog.ContainerHeap:
		return 40
	case name == front:
		return 50
	}
	return 75
}

func mapLineOf(d *rundata.Data) string { return Judge(d, Options{}).mapLine() }

func TestTheMapSaysWhoLeadsHowMany(t *testing.T) {
	for _, who := range []string{catalog.Heap, catalog.Hier, catalog.ContainerHeap} {
		require.Equal(t, "Of 12 cells of the map, "+who+" leads in 12.", mapLineOf(mapOf(leader(who))))
	}
	equal := mapLineOf(mapOf(func(string, int, int) float64 { return 100 }))
	has(t, equal, "no scheduler leads")
	lacks(t, equal, "leads in")
	line := mapLineOf(mapOf(parted))
	has(t, line, "heapsched leads in 4 and hierwheel leads in 4", "in 4 several are as fast as the first")
	lacks(t, line, "unclear")
}

// Scatter makes a lead unclear, and never equal.
func TestTheMapSaysWhereItIsUnclear(t *testing.T) {
	g := newSynthetic(8)
	g.noise = 0.5
	g.mapped(leader(catalog.Hier))
	line := mapLineOf(g.data)
	has(t, line, " unclear")
	lacks(t, line, "as fast")
	require.Contains(t, fmt.Sprint(Judge(g.data, Options{}).mapTable().Grid()), "unclear: ")
}

func unmapped() *rundata.Data {
	return without(fullData(), func(s *rundata.Series) bool { return s.Experiment == rundata.Map })
}

func TestTheMapSaysNothingWithoutData(t *testing.T) {
	require.Empty(t, mapLineOf(&rundata.Data{}))
	require.Empty(t, mapLineOf(unmapped()))
	v := Judge(unmapped(), Options{})
	require.False(t, v.mapFigure().Prepare())
	require.Zero(t, v.mapTable().Rows())

	alone := newSynthetic(8)
	alone.series(rundata.Map, "impl=hierwheel pending=100 cancel=0 horizon=10s", map[string]float64{rundata.NsPerOp: 50})
	require.Empty(t, mapLineOf(alone.data), "nothing to compare with")
}

// Of cells that are led significantly, at most 5 % are so by chance, whatever share is really led.
func TestTheMapSeldomNamesAFalseLeader(t *testing.T) {
	led, wrong := 0, 0
	for seed := range uint64(100) {
		g := newSynthetic(8)
		g.rng = rand.New(rand.NewPCG(seed, 5))
		g.noise = 0.1
		g.mapped(func(name string, pending, _ int) float64 {
			if name == catalog.Heap && pending == 100 {
				return 60
			}
			return 100
		})
		for _, m := range Judge(g.data, Options{}).mapCells() {
			if m.Won() {
				led++
				if m.pending != "100" || m.First().Name != catalog.Heap {
					wrong++
				}
			}
		}
	}
	require.Greater(t, led, 100*mapCellsMade/2*9/10, "nearly all that are led are seen")
	require.LessOrEqual(t, float64(wrong), 0.05*float64(led))
}

// The map explains: it changes nothing of what is recommended.
func TestTheMapHasNoVote(t *testing.T) {
	with := unmapped()
	g := newSynthetic(8)
	g.mapped(leader(catalog.ContainerHeap))
	with.Series = append(with.Series, g.data.Series...)
	require.Equal(t, cardText(t, Judge(unmapped(), Options{}).Card()), cardText(t, Judge(with, Options{}).Card()))
	require.Len(t, Judge(with, Options{}).measures, len(Judge(unmapped(), Options{}).measures))
}

func TestTheMapIsInTheColoursOfTheSchedulers(t *testing.T) {
	heap, hier := standing[catalog.Heap].Colour, standing[catalog.Hier].Colour
	f := figureCalled(mapOf(parted), "map")
	found := charttest.Fills(f.Draw, f.Width, f.Height)
	require.Equal(t, 9, found[heap]+found[hier], "four cells each, and the explanation")
	pale := 0
	for _, name := range mapNames {
		pale += found[chart.Faded(standing[name].Colour, mapPale)]
	}
	require.Equal(t, 2*(4+1), pale, "two colours in each cell without a leader, and in the explanation")

	texts := func(d *rundata.Data) []string { return wording(figureCalled(d, "map")) }
	has(t, texts(mapOf(parted)), "delays up to 10s", "delays up to 1h", "100", "10k", "0 % cancelled", "100 % cancelled", "heap", "hier", "1.5×",
		"significantly ahead of all others", "not significantly ahead of the second (+1: and of one more)")
	one := strings.Join(texts(mapOf(leader(catalog.Hier))), "\n")
	has(t, one, "2×")
	lacks(t, one, "not significantly ahead of the second", "hier / ")
	two := without(mapOf(parted), func(s *rundata.Series) bool { return s.Get("impl") != catalog.Heap && s.Get("impl") != catalog.Hier })
	lacks(t, strings.Join(texts(two), "\n"), "+1")
}

// The second of a cell is significantly behind, and the third, which scatters, is not: the chart names the third.
func TestTheMapNamesTheRivalOfTheFirst(t *testing.T) {
	g := newSynthetic(0)
	for name, ns := range map[string][]float64{
		catalog.Hier: scaled(1, heap...), catalog.Heap: scaled(1.5, heap...), catalog.Single: {210, 900, 220, 1000, 200, 250},
	} {
		g.given(rundata.Map, "pending=100 cancel=0 horizon=10s impl="+name, rundata.NsPerOp, ns...)
	}
	cell := Judge(g.data, Options{}).mapFigure().Heat.Panels[0].Cells[0][0]
	require.Equal(t, "hier / single", cell.Text)
	require.Equal(t, []color.NRGBA{chart.Faded(standing[catalog.Hier].Colour, mapPale), chart.Faded(standing[catalog.Single].Colour, mapPale)}, cell.Fills)
	require.NotContains(t, cell.Below, "+")
}

func TestTheTableOfTheMapSaysWhatIsKnown(t *testing.T) {
	rows := Judge(mapOf(parted), Options{}).mapTable().Grid()[1:]
	require.Len(t, rows, mapCellsMade)
	require.Equal(t, []string{"10s", "100", "0 %", catalog.Heap}, rows[0][:4])
	require.Equal(t, "leads", rows[0][7])
	require.Regexp(t, `^1\.\d+× \(1\.\d+× to 1\.\d+×\)$`, rows[0][6])
	require.Regexp(t, "^as fast: [a-z]+ and [a-z]+$", rows[2][7])
}

// A cell that was not measured, or of which no sample was kept, as on a very loud host, is drawn as not run.
func TestACellWithoutFiguresIsNotOnTheMap(t *testing.T) {
	unkept := mapOf(parted)
	absent := without(unkept, func(s *rundata.Series) bool { return s.Get("pending") == "100" && s.Get("cancel") == "0" })
	for _, s := range unkept.Select(rundata.Map, "pending=100", "cancel=0") {
		s.Values[rundata.NsPerOp] = slices.Repeat([]float64{math.NaN()}, len(s.Iterations))
	}
	for _, d := range []*rundata.Data{absent, unkept} {
		v := Judge(d, Options{})
		require.Len(t, v.mapCells(), mapCellsMade-len(mapHorizons))
		for _, p := range v.mapFigure().Heat.Panels {
			drawn := slices.DeleteFunc(slices.Concat(p.Cells...), func(c chart.HeatCell) bool { return c.Text == "not run" })
			require.Len(t, drawn, len(mapPendings)*len(mapShares)-1)
		}
		said(t, Judge(d, Options{}).Verdict(), "Of 10 cells of the map")
		Judge(d, Options{}).Card()
	}
}
