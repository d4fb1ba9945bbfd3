package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/chart"
)

// figureCalled returns a chart by its name, nil if there is none.
func figureCalled(d *rundata.Data, name string) *chart.Figure {
	all := newView(d, Options{}).figures()
	if i := slices.IndexFunc(all, func(f *chart.Figure) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// ownData are costs of some contestants, of which pairing takes twice as long as hierwheel.
func ownData(names ...string) *synthetic {
	g := newSynthetic(12)
	for _, name := range names {
		for _, pending := range []string{"1000", "100000"} {
			ns := map[string]float64{catalog.Hier: 20, "pairing": 40, catalog.List: 2000}[name]
			if ns == 0 {
				ns = 30
			}
			g.series(rundata.Cost, "op=pair impl="+name+" delay=uniform pending="+pending, map[string]float64{rundata.NsPerOp: ns})
		}
	}
	return g
}

// Who came from outside is shown among the known: in a row for each question, at its last
// place, as far from the best as the judge has it.
func TestOwnAmongTheKnown(t *testing.T) {
	f := figureCalled(ownData(catalog.Heap, catalog.List, catalog.Hier, "pairing").data, "own")
	require.NotNil(t, f)
	require.Contains(t, f.Title, "pairing")
	require.Contains(t, f.Subtitle, "beyond 20×, and not drawn there: listsched")
	p := f.Rows[0][0]
	require.Len(t, p.Y.Rows, 1)
	require.True(t, strings.HasPrefix(p.Y.Rows[0], "pair") && strings.HasSuffix(p.Y.Rows[0], "100k pending"), p.Y.Rows[0])
	of := map[string]chart.Line{}
	for _, l := range p.Lines {
		of[l.Name] = l
	}
	require.NotContains(t, of, catalog.List)
	own := of["pairing"]
	require.False(t, own.Dense)
	require.InDelta(t, 2, own.Points[0].X, 0.2)
	require.Less(t, own.Points[0].Left, own.Points[0].X)
	require.True(t, of[catalog.Hier].Dense)
	require.Equal(t, 1.0, of[catalog.Hier].Points[0].X)
	require.Zero(t, of[catalog.Hier].Points[0].Right)
}

// Without a contestant from outside, with more of them than an eye distinguishes, and where
// they compete with none, there is no such chart.
func TestOwnIsNotDrawn(t *testing.T) {
	require.Nil(t, figureCalled(ownData(catalog.Heap, catalog.Hier, "netty").data, "own"))
	require.Nil(t, figureCalled(ownData("pairing").data, "own"))
	require.Nil(t, figureCalled(ownData(catalog.Hier, "a", "b", "c", "d", "e", "f", "g").data, "own"))
	g := ownData(catalog.Hier, "netty", "java-netty")
	g.data.Env[rundata.BesideKey] = "java-netty=netty"
	require.Nil(t, figureCalled(g.data, "own"), "an original is shown beside its preset")
}

// Many contestants have a chart of structures and one of known systems; few have one.
func TestLivePairsOfManyAreTwoCharts(t *testing.T) {
	structures := []string{catalog.Heap, catalog.List, catalog.Single, catalog.Rounds, catalog.Hier, catalog.FIFO, catalog.RuntimeTimer}
	systems := []string{"netty", "kafka", "dubbo", "jdk-timer"}
	measured := func(all ...string) *rundata.Data {
		g := newSynthetic(6)
		for _, name := range all {
			g.series(rundata.Cost, "op="+rundata.OpLivePair+" pending=1000 goroutines=1 impl="+name, map[string]float64{rundata.NsPerOp: 90})
		}
		return g.data
	}
	names := func(f *chart.Figure) (all []string) {
		require.NotNil(t, f)
		for _, l := range f.Rows[0][0].Lines {
			all = append(all, l.Name)
		}
		return all
	}
	many := measured(slices.Concat(structures, systems)...)
	require.Equal(t, structures, names(figureCalled(many, "live-pair")))
	require.ElementsMatch(t, append(systems, catalog.Hier, catalog.RuntimeTimer), names(figureCalled(many, "live-pair-systems")))

	few := measured(catalog.Heap, catalog.Hier, "netty")
	require.Equal(t, []string{catalog.Heap, catalog.Hier, "netty"}, names(figureCalled(few, "live-pair")))
	require.Nil(t, figureCalled(few, "live-pair-systems"))
}

// The card has a line of each contestant from outside, and none where there is none.
func TestTheCardSaysHowOwnContestantsStand(t *testing.T) {
	said := paragraph(NewCard(ownData(catalog.Heap, catalog.List, catalog.Hier, "pairing").data, Options{}), "YOUR OWN")
	require.Regexp(t, `^pairing: 2× .*as long as hierwheel at pair.* pending; clearly behind in 2 of 2 comparisons$`, said)
	first := paragraph(NewCard(ownData(catalog.Heap, catalog.List, "mine").data, Options{}), "YOUR OWN")
	require.Regexp(t, `^mine: clearly behind in none of 2 comparisons; fastest or as fast at pair`, first)
	noisy := ownData(catalog.Heap, catalog.List)
	noisy.given(rundata.Cost, "op=pair impl=mine delay=uniform pending=1000", rundata.NsPerOp, scattered...)
	require.Equal(t, "mine: clearly behind in none of 1 comparison, 1 unclear", paragraph(NewCard(noisy.data, Options{}), "YOUR OWN"))
	require.Empty(t, paragraph(NewCard(ownData(catalog.Heap, catalog.Hier, "netty").data, Options{}), "YOUR OWN"))
	breaks := ownData(catalog.Heap, catalog.List, "mine")
	breaks.data.Env[BreaksKey+"mine"] = "memory-returns"
	require.Equal(t, first+"; breaks the rule memory-returns", paragraph(NewCard(breaks.data, Options{}), "YOUR OWN"))
	alone := ownData("mine")
	alone.data.Env[BreaksKey+"mine"] = "never-early no-allocations"
	require.Equal(t, "mine: breaks the rules never-early and no-allocations", paragraph(NewCard(alone.data, Options{}), "YOUR OWN"))
}
