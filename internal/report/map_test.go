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
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/card"
	"schedbench/internal/report/chart"
)

// mapTruth is what the life of a timer really takes.
type mapTruth func(name string, pending, cancelled int, horizon string) float64

var (
	mapNames     = []string{catalog.Heap, catalog.Single, catalog.Hier, catalog.ContainerHeap}
	mapPendings  = []int{100, 10_000}
	mapShares    = []int{0, 50, 100}
	mapHorizons  = []string{"10s", "1h0m0s"}
	mapCellsMade = len(mapPendings) * len(mapShares) * len(mapHorizons)
)

// mapped makes up a map.
func (g *synthetic) mapped(of mapTruth) {
	for _, h := range mapHorizons {
		for _, n := range mapPendings {
			for _, c := range mapShares {
				params := fmt.Sprintf("pending=%d cancel=%d horizon=%s", n, c, h)
				g.series(rundata.Map, "impl="+rundata.EmptyControl+" "+params, map[string]float64{rundata.NsPerOp: 10})
				for _, name := range mapNames {
					g.series(rundata.Map, "impl="+name+" "+params, map[string]float64{rundata.NsPerOp: 10 + of(name, n, c, h)})
				}
				g.series(rundata.Map, "impl="+catalog.Hier+rundata.AASuffix+" "+params, map[string]float64{rundata.NsPerOp: 10 + of(catalog.Hier, n, c, h)})
			}
		}
	}
}

// mapOf returns the data of a made-up map.
func mapOf(of mapTruth) *rundata.Data {
	g := newSynthetic(8)
	g.mapped(of)
	return g.data
}

// leader is the truth that one takes a half of what all others take.
func leader(who string) mapTruth {
	return func(name string, _, _ int, _ string) float64 {
		if name == who {
			return 50
		}
		return 100
	}
}

// parted is the truth that the heap leads with few pending and the wheel with many, unless all
// are cancelled: then no scheduler leads.
func parted(name string, pending, cancelled int, _ string) float64 {
	front := map[int]string{100: catalog.Heap, 10_000: catalog.Hier}[pending]
	switch {
	case cancelled == 100 && name != catalog.ContainerHeap:
		return 40
	case name == front:
		return 50
	}
	return 75
}

func mapLineOf(d *rundata.Data) string { return newView(d, Options{}).mapLine() }

func TestTheMapSaysWhoLeadsHowMany(t *testing.T) {
	for who := range map[string]bool{catalog.Heap: true, catalog.Hier: true, catalog.ContainerHeap: true} {
		require.Equal(t, "Of the 12 cells of the map of a timer's life, "+who+" leads 12 significantly.", mapLineOf(mapOf(leader(who))))
	}
	equal := mapLineOf(mapOf(func(string, int, int, string) float64 { return 100 }))
	require.Contains(t, equal, "no scheduler leads any significantly")
	require.NotContains(t, equal, "leads 1")

	line := mapLineOf(mapOf(parted))
	require.Contains(t, line, "heapsched leads 4 and hierwheel leads 4 significantly")
	require.Contains(t, line, "in 4 the first are as fast as each other")
	require.NotContains(t, line, "unclear")
}

// Scatter makes a lead unclear, and never equal.
func TestTheMapSaysWhereItIsUnclear(t *testing.T) {
	g := newSynthetic(8)
	g.noise = 0.5
	g.mapped(leader(catalog.Hier))
	line := mapLineOf(g.data)
	require.Contains(t, line, "are unclear")
	require.NotContains(t, line, "as fast")
}

// unmapped has every experiment but the map.
func unmapped() *rundata.Data {
	d := fullData()
	d.Series = slices.DeleteFunc(d.Series, func(s *rundata.Series) bool { return s.Experiment == rundata.Map })
	return d
}

func TestTheMapSaysNothingWithoutData(t *testing.T) {
	require.Empty(t, mapLineOf(&rundata.Data{}))
	require.Empty(t, mapLineOf(unmapped()))
	v := newView(unmapped(), Options{})
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
		g.mapped(func(name string, pending, _ int, _ string) float64 {
			if name == catalog.Heap && pending == 100 {
				return 60
			}
			return 100
		})
		for _, m := range newView(g.data, Options{}).mapCells() {
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
	var a, b strings.Builder
	require.NoError(t, NewCard(with, Options{}).Write(&a, card.Style{}))
	require.NoError(t, NewCard(unmapped(), Options{}).Write(&b, card.Style{}))
	require.Equal(t, b.String(), a.String())
	require.Len(t, newView(with, Options{}).topics, len(newView(unmapped(), Options{}).topics))
}

func TestTheMapComesSecondOnThePage(t *testing.T) {
	d := fullData()
	s := Sections(d, Options{})[0]
	require.Equal(t, "fastest", s.Name)
	require.Equal(t, "regret", s.Parts[0].Figures[0].Name)
	require.Equal(t, "map", s.Parts[1].Figures[0].Name)
	figures := newView(d, Options{}).figures()
	require.Equal(t, "map", figures[1].Name, "and of the charts")
	require.Len(t, s.Parts[1].Sentences, 1)
}

// colours draws the map and returns how many rectangles have each colour.
func colours(t *testing.T, d *rundata.Data) map[color.Color]int {
	t.Helper()
	found := map[color.Color]int{}
	for _, f := range newView(d, Options{}).figures() {
		if f.Name != "map" {
			continue
		}
		var c recorder.Canvas
		f.Draw(draw.NewCanvas(&c, f.Width, f.Height))
		var now color.Color
		for _, a := range c.Actions {
			switch a := a.(type) {
			case *recorder.SetColor:
				now = a.Color
			case *recorder.Fill:
				found[now]++
			}
		}
	}
	return found
}

func TestTheMapIsInTheColoursOfTheSchedulers(t *testing.T) {
	heap, hier := StyleOf(catalog.Heap).Colour, StyleOf(catalog.Hier).Colour
	found := colours(t, mapOf(parted))
	require.Equal(t, 9, found[heap]+found[hier], "four cells each, and the explanation")
	pale := 0
	for _, name := range mapNames {
		pale += found[chart.Faded(StyleOf(name).Colour, mapPale)]
	}
	require.Equal(t, 2*(4+1), pale, "two colours in each cell without a leader, and in the explanation")

	written := texts(t, mapOf(parted), "map", Options{})
	for _, want := range []string{"delays up to 10s", "delays up to 1h", "100", "10k", "0 % cancelled", "100 % cancelled", "heap", "hier", "1.5×",
		"significantly ahead of all others", "not significantly ahead of the second (+1: nor of one more)"} {
		require.Contains(t, written, want)
	}
	one := texts(t, mapOf(leader(catalog.Hier)), "map", Options{})
	require.Contains(t, one, "2×")
	require.NotContains(t, one, "not significantly ahead of the second (+1: nor of one more)")
	require.NotContains(t, strings.Join(one, "\n"), "hier / ")
}

// A cell of which a part is missing is drawn without what is missing.
func TestTheMapIsDrawnOfWhatThereIs(t *testing.T) {
	d := mapOf(parted)
	d.Series = slices.DeleteFunc(d.Series, func(s *rundata.Series) bool {
		return s.Get("pending") == "100" && s.Get("cancel") == "50" && s.Get("horizon") == "10s"
	})
	require.Contains(t, texts(t, d, "map", Options{}), "not run")
	require.Contains(t, mapLineOf(d), "Of the 11 cells")
}

func TestTheTableOfTheMapSaysWhatIsKnown(t *testing.T) {
	_, rows := newView(mapOf(parted), Options{}).mapTable().Grid()
	require.Len(t, rows, mapCellsMade)
	require.Equal(t, []string{"10s", "100", "0 %", catalog.Heap}, rows[0][:4])
	require.Equal(t, "leads", rows[0][7])
	require.Regexp(t, `^1\.\d+× \(1\.\d+× to 1\.\d+×\)$`, rows[0][6])
	require.Regexp(t, "^as fast: [a-z]+ and [a-z]+$", rows[2][7])

	g := newSynthetic(8)
	g.noise = 0.5
	g.mapped(leader(catalog.Hier))
	_, rows = newView(g.data, Options{}).mapTable().Grid()
	require.Contains(t, fmt.Sprint(rows), "unclear: ")
}

func TestShortNamesOfSchedulers(t *testing.T) {
	for name, want := range map[string]string{"heapsched": "heap", "hierwheel": "hier", "container-heap": "container-heap", "wheel": "wheel"} {
		require.Equal(t, want, shortName(name))
	}
}

// A cell of which no sample was kept, as on a very loud host, is drawn as one that was not run.
func TestACellWithoutFiguresIsNotOnTheMap(t *testing.T) {
	d := mapOf(leader(catalog.Hier))
	for _, s := range d.Select(rundata.Map, "pending=100", "cancel=0") {
		for i := range s.Values[rundata.NsPerOp] {
			s.Values[rundata.NsPerOp][i] = math.NaN()
		}
	}
	v := newView(d, Options{})
	require.Equal(t, mapCellsMade-len(mapHorizons), len(v.mapCells()))
	missing := 0
	for _, p := range v.mapFigure().Heat.Panels {
		for _, c := range slices.Concat(p.Cells...) {
			if c.Text == "not run" {
				missing++
			}
		}
	}
	require.Equal(t, len(mapHorizons), missing)
	require.NotEmpty(t, Verdict(d, Options{}))
	NewCard(d, Options{})
}
