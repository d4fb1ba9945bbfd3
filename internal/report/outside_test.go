package report

import (
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
)

// elsewhere asks what calls take of stores, beside hierwheel, with so many held.
var elsewhere = Question{
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

func saidElsewhere(g *synthetic, q Question) string {
	return strings.Join(Verdict(g.data, Options{Questions: []Question{q}}), "\n")
}

func TestAQuestionOfAProgramIsAnsweredInSentences(t *testing.T) {
	said := saidElsewhere(stored(3), elsewhere)
	require.Contains(t, said, "Call: other leads with 1k and 100k held, and the next (store) takes 3× as long.")
	require.Contains(t, said, "store beside hierwheel: call with 100k held, 300× (300× to 300×) as long.")
	require.Contains(t, said, "store beside other: call with 100k held, 3× (3× to 3×) as long.")
	require.NotContains(t, said, "absent", "a pair that was not measured is not mentioned")
	require.NotContains(t, said, "CPU", "nor is a measure that was not")
	require.NotContains(t, said, "hierwheel leads", "what stands apart does not compete")
	require.NotContains(t, strings.Join(Verdict(stored(3).data, Options{}), "\n"), "Call", "not asked")

	said = saidElsewhere(stored(1.02), elsewhere)
	require.Contains(t, said, "other and store are in front, within 10 % of each other")
	require.Contains(t, said, "store beside other: call with 100k held, as long (1.02×, 1.02× to 1.02×).")

	g := stored(3)
	g.given("Elsewhere", "impl=store held=1000000", "call-ns/op", 100, 300, 90, 310, 95, 320)
	g.given("Elsewhere", "impl=other held=1000000", "call-ns/op", 300, 100, 310, 90, 320, 95)
	require.Contains(t, saidElsewhere(g, elsewhere), "store beside other: call with 1M held, unclear (")

	g = stored(3)
	g.given("Elsewhere", "impl=store held=7", rundata.CPUPerSecond, 30, 31, 32)
	g.given("Elsewhere", "impl=other held=7", rundata.CPUPerSecond, 3, 3.1, 3.2)
	require.Contains(t, saidElsewhere(g, elsewhere), "CPU with 7 held, as much (10×", "so little counts as none")

	one := newSynthetic(1)
	one.given("Elsewhere", "impl=store held=7", "call-ns/op", 30)
	one.given("Elsewhere", "impl=other held=7", "call-ns/op", 90)
	require.Contains(t, saidElsewhere(one, elsewhere), "Call: unclear, since one block has no interval.")
	require.Contains(t, saidElsewhere(one, elsewhere), "store beside other: unclear, since one block has no interval.")
}

func TestAQuestionOfAProgramHasAChartAndATable(t *testing.T) {
	q := elsewhere
	q.Against, q.Axis, q.Where, q.Spectrum, q.Pairs = "interval", "interval", "each %s", true, nil
	g := newSynthetic(3)
	for _, interval := range []string{"1s", "10ms"} {
		s := g.series("Elsewhere", "impl=poll interval="+interval, map[string]float64{"call-ns/op": 100, rundata.Fired: 5})
		s.Late = hdrhistogram.New(1, 1e9, 3)
		require.NoError(t, s.Late.RecordValue(1000))
	}
	g.series("Elsewhere", "impl=store", map[string]float64{"call-ns/op": 50})
	v := newView(g.data, Options{Questions: []Question{q}})

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
