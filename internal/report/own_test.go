package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// ownData are costs of some contestants.
func ownData(names ...string) *synthetic {
	g := newSynthetic(12)
	g.costs([]string{"pair"}, []string{"uniform"}, []int{1000, 10_000}, names...)
	return g
}

// Many contestants have a chart of structures and one of known systems; few have one.
func TestLivePairsOfManyAreTwoCharts(t *testing.T) {
	structures := []string{catalog.Heap, catalog.List, catalog.Single, catalog.Rounds, catalog.Hier, catalog.FIFO, catalog.RuntimeTimer}
	systems := []string{"netty", "kafka", "dubbo", "jdk-timer"}
	measured := func(all ...string) *rundata.Data {
		g := newSynthetic(6)
		for _, name := range all {
			took := 90.0
			if name == "netty" {
				took = 45
			}
			g.series(rundata.Cost, "op="+rundata.OpLivePair+" pending=1000 goroutines=1 impl="+name, map[string]float64{rundata.NsPerOp: took})
		}
		return g.data
	}
	names := func(f *chart.Figure) []string {
		require.NotNil(t, f)
		return lists.Each(f.Rows[0][0].Lines, func(l chart.Line) string { return l.Name })
	}
	many := measured(slices.Concat(structures, systems)...)
	require.Equal(t, structures, names(figureCalled(many, "live-pair")))
	require.ElementsMatch(t, append(systems, catalog.Hier, catalog.RuntimeTimer), names(figureCalled(many, "live-pair-systems")))

	ratio := func(name string) float64 {
		lines := figureCalled(many, name).Rows[0][1].Lines
		return lines[slices.IndexFunc(lines, func(l chart.Line) bool { return l.Name == catalog.Hier })].Points[0].Y
	}
	require.InDelta(t, 1, ratio("live-pair"), 0.1, "the best is one that is shown")
	require.InDelta(t, 2, ratio("live-pair-systems"), 0.2)

	few := measured(catalog.Heap, catalog.Hier, "netty")
	require.Equal(t, []string{catalog.Heap, catalog.Hier, "netty"}, names(figureCalled(few, "live-pair")))
	require.Nil(t, figureCalled(few, "live-pair-systems"))
}

// The card has a line of each contestant from outside, and none where there is none.
func TestTheCardSaysHowOwnContestantsStand(t *testing.T) {
	own := func(g *synthetic) string { return paragraph(Judge(g.data, Options{}).Card(), "YOUR OWN") }
	require.Regexp(t, `^pairing: 2× .*as long as hierwheel at pair.* pending; clearly behind in 2 of 2 cells$`,
		own(ownData(catalog.Heap, catalog.List, catalog.Hier, "pairing")))
	g := ownData(catalog.Heap, catalog.List, "mine")
	first := own(g)
	require.Regexp(t, `^mine: clearly behind in none of 2 cells; fastest or as fast at pair`, first)
	g.data.Env[BreaksKey+"mine"] = "memory-returns"
	require.Equal(t, first+"; breaks the rule memory-returns", own(g))
	noisy := ownData(catalog.Heap, catalog.List)
	noisy.given(rundata.Cost, "op=pair impl=mine delay=uniform pending=1000", rundata.NsPerOp, scattered...)
	require.Equal(t, "mine: clearly behind in none of 1 cell, 1 unclear", own(noisy))
	require.Empty(t, own(ownData(catalog.Heap, catalog.Hier, "netty")))
	alone := ownData("mine")
	alone.data.Env[BreaksKey+"mine"] = "in-time no-allocations"
	require.Equal(t, "mine: breaks the rules in-time and no-allocations", own(alone))
}

// elsewhere asks what calls take of stores, beside hierwheel, with so many held.
var elsewhere = Chapter{
	Experiment: "Elsewhere", Name: "elsewhere", Title: "What does a call take?", Subtitle: "Of one goroutine",
	Against: "held", Axis: "timers held", Where: "with %s held", Apart: []string{catalog.Hier},
	Pairs: [][2]string{{"store", catalog.Hier}, {"store", "other"}, {"store", "absent"}},
	Measures: []Measure{
		{Unit: "call-ns/op", Name: "call", Takes: "as long", Format: words.Nanos},
		{Unit: rundata.CPUPerSecond, Name: "CPU", Takes: "as much", Format: words.Nanos, Negligible: 50},
	},
}

// stored are series of Elsewhere, in six blocks, of the store, so many times that of the other, and of hierwheel.
func stored(factor float64) *synthetic {
	g := newSynthetic(6)
	for _, held := range []string{"1000", "100000"} {
		for name, ns := range map[string]float64{"store": 100 * factor, "other": 100, catalog.Hier: 1} {
			g.given("Elsewhere", "impl="+name+" held="+held, "call-ns/op", scaled(ns/196, heap...)...)
		}
	}
	return g
}

func saidElsewhere(g *synthetic, q Chapter) string {
	return strings.Join(Judge(g.data, Options{Chapters: []Chapter{q}}).Verdict(), "\n")
}

func TestAChapterOfAProgramIsAnsweredInSentences(t *testing.T) {
	said := saidElsewhere(stored(3), elsewhere)
	has(t, said, "Call: other leads with 1k and 100k held, and the next (store) takes 3× as long.",
		"store compared with hierwheel: call with 100k held, 300× (300× to 300×) as long.", "store compared with other: call with 100k held, 3× (3× to 3×) as long.")
	lacks(t, said, "absent", "CPU") // a pair and a measure without figures
	require.NotContains(t, said, "hierwheel leads", "what stands apart does not compete")
	silent(t, Judge(stored(3).data, Options{}).Verdict(), "Call") // not asked

	has(t, saidElsewhere(stored(1.02), elsewhere),
		"other and store are in front, within 10 % of each other", "store compared with other: call with 100k held, as long (1.02×, 1.02× to 1.02×).")

	g := stored(3)
	g.given("Elsewhere", "impl=store held=1000000", "call-ns/op", 100, 300, 90, 310, 95, 320)
	g.given("Elsewhere", "impl=other held=1000000", "call-ns/op", 300, 100, 310, 90, 320, 95)
	require.Contains(t, saidElsewhere(g, elsewhere), "store compared with other: call with 1M held, unclear (")

	g = stored(3)
	g.given("Elsewhere", "impl=store held=7", rundata.CPUPerSecond, 30, 31, 32)
	g.given("Elsewhere", "impl=other held=7", rundata.CPUPerSecond, 3, 3.1, 3.2)
	require.Contains(t, saidElsewhere(g, elsewhere), "CPU with 7 held, as much (10×", "so little counts as none")

	one := newSynthetic(1)
	one.given("Elsewhere", "impl=store held=7", "call-ns/op", 30)
	one.given("Elsewhere", "impl=other held=7", "call-ns/op", 90)
	has(t, saidElsewhere(one, elsewhere), "Call: unclear, since one block has no interval.", "store compared with other: unclear, since one block has no interval.")
}

func TestAChapterOfAProgramHasAChartAndATable(t *testing.T) {
	q := elsewhere
	q.Against, q.Axis, q.Where, q.Spectrum, q.Pairs = "interval", "interval", "each %s", true, nil
	g := newSynthetic(3)
	for _, interval := range []string{"1s", "10ms"} {
		s := g.series("Elsewhere", "impl=poll interval="+interval, map[string]float64{"call-ns/op": 100, rundata.Fired: 5})
		s.Late = hdrhistogram.New(1, 1e9, 3)
		require.NoError(t, s.Late.RecordValue(1000))
	}
	g.series("Elsewhere", "impl=store", map[string]float64{"call-ns/op": 50})
	v := Judge(g.data, Options{Chapters: []Chapter{q}})

	f := q.figure(v)
	require.True(t, f.Prepare())
	require.Equal(t, []string{"call", "lateness, each 10ms", "lateness, each 1s"}, []string{f.Rows[0][0].Title, f.Rows[0][1].Title, f.Rows[0][2].Title})
	require.Equal(t, []string{"poll"}, shownIn(f.Rows[0][0]))
	require.Equal(t, "store", f.Rows[0][0].Levels[0].Name, "without the parameter it is the same everywhere")
	require.Equal(t, []float64{1e7, 1e9}, f.Rows[0][0].X.At)

	var b strings.Builder
	require.NoError(t, q.table(v).Write(&b))
	require.Regexp(t, `poll +10ms +9\d\.\d ns|poll +10ms +10\d ns`, b.String())
	require.Regexp(t, `store +51\.\d ns`, b.String())

	require.Contains(t, saidElsewhere(g, q), "Call: store leads each 10ms and 1s, and the next (poll) takes", "it competes everywhere")
}
