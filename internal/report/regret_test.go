package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// regretOf returns what the table of regret and its chart say of a contestant in the first column.
func regretOf(t *testing.T, g *synthetic, name string) (table, cell string) {
	t.Helper()
	v := Judge(g.data, Options{})
	grid := regretChapter.tables(v)[0].Grid()
	column := slices.Index(grid[0], name)
	require.Positive(t, column, "no column of %s in %v", name, grid[0])
	heat := v.regretFigure().Heat
	return grid[1][column], heat.Panels[0].Cells[slices.Index(heat.Rows, name)][0].Text
}

// A significant ratio comes before a larger one that is not: one block may show any.
func TestRegretIsTheSignificantRatio(t *testing.T) {
	wild := []float64{196, 2010, 199, 204, 19880, 195}
	for name, c := range map[string]struct {
		at1k, at1M  []float64
		table, cell string
	}{
		"significant at one cell, unclear at the other": {scaled(2, heap...), wild, "2× ±0% with 1k pending", "2×"},
		"significant at both":                           {scaled(2, heap...), scaled(3, heap...), "3× ±0% with 1M pending", "3×"},
		"significant nowhere":                           {heap, wild, "with 1M pending", "("},
		"significant at one, in one block at the other": {scaled(2, heap...), []float64{900}, "2× ±0% with 1k pending", "2×"},
		"the same at one, open at the other":            {scaled(1.02, heap...), wild, "(", "("},
		"the same at both":                              {scaled(1.02, heap...), scaled(1.01, heap...), "same: 1.02×", "same"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newSynthetic(6)
			g.inserted(1_000, map[string][]float64{catalog.Hier: heap, catalog.Heap: c.at1k})
			g.inserted(1_000_000, map[string][]float64{catalog.Hier: heap, catalog.Heap: c.at1M})
			table, cell := regretOf(t, g, catalog.Heap)
			require.Contains(t, table, c.table)
			require.Contains(t, cell, c.cell)
			if !strings.Contains(c.cell, "(") {
				require.NotContains(t, cell, "(")
				require.False(t, strings.HasPrefix(table, "("), table)
			}
		})
	}
}

func TestTheTallyAgreesWithItsNumbers(t *testing.T) {
	g := newSynthetic(6)
	g.inserted(1_000, map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(2, heap...), catalog.List: scaled(1.01, heap...)})
	g.inserted(10_000, map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(2, heap...)})
	said(t, Judge(g.data, Options{}).Verdict(), "Of 3 comparisons with the best of a cell, 2 are significant, 1 is as fast (within 10 %), and 0 unclear; 1 was not measured.")
	g.inserted(100_000, map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(2, heap...)})
	said(t, Judge(g.data, Options{}).Verdict(), "3 are significant", "2 were not measured.")
	one := newSynthetic(6)
	one.inserted(1_000, map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(2, heap...)})
	said(t, Judge(one.data, Options{}).Verdict(), "Of 1 comparison with the best of a cell, 1 is significant, 0 are", "; 0 were not measured.")
}

func TestRegretIsLegible(t *testing.T) {
	f := Judge(fullData(), Options{}).regretFigure()
	require.True(t, f.Prepare())
	p := f.Heat.Panels[0]
	require.LessOrEqual(t, len(p.Columns), 10)
	require.GreaterOrEqual(t, f.Heat.Size*800/f.Width.Points(), 11.0, "pixels of a letter's height")
	require.Len(t, f.Words, len(p.Columns), "each column is explained")
}

func TestEveryChoiceIsInOneGroup(t *testing.T) {
	v := Judge(fullData(), Options{})
	measures := 0
	for _, g := range v.groups() {
		require.NotEmpty(t, g.meaning, "no group knows %s", g.word)
		require.NotEqual(t, "replay", g.word, "a group without cells is left out")
		if g.word == "pair" {
			require.Len(t, g.measures, 6, "four distributions of delays, and AfterFunc and Stop by one goroutine and two")
			require.Contains(t, g.line(), "pair: cancel one, insert another")
		}
		measures += len(g.measures)
	}
	require.Len(t, v.choices(), measures)
	require.LessOrEqual(t, len(allGroups()), 10)
}

// The worst of a group is the largest significant factor in any of its measures, and says in which.
func TestRegretOfAGroupIsTheWorstOfItsMeasures(t *testing.T) {
	g := newSynthetic(6)
	g.inserted(1_000, map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(2, heap...)})
	for name, by := range map[string]float64{catalog.Hier: 1, catalog.Heap: 3, catalog.RuntimeTimer: 5} {
		g.series(rundata.Cost, "op=pair pending=1000 delay=uniform impl="+name, map[string]float64{rundata.NsPerOp: 100 * by})
		g.series(rundata.Cost, "op=live-pair pending=1000 goroutines=1 impl="+name, map[string]float64{rundata.NsPerOp: 100 + 100*by})
	}
	v := Judge(g.data, Options{})
	groups := v.groups()
	require.Len(t, groups, 2)
	worst := func(group int, name string) stand { return worstFactor(name, v.judgedCells(groups[group].measures...)) }
	require.Equal(t, "insert", worst(1, catalog.Heap).measure.name)
	require.False(t, worst(1, catalog.RuntimeTimer).took())
	require.Equal(t, "pair", worst(0, catalog.Heap).measure.name)
	require.InDelta(t, 3, worst(0, catalog.Heap).Value, 0.1)
	require.Equal(t, "AfterFunc and Stop", worst(0, catalog.RuntimeTimer).measure.name, "it takes part there only")
	require.InDelta(t, 3, worst(0, catalog.RuntimeTimer).Value, 0.1)
	require.Equal(t, 1.0, worst(0, catalog.Hier).Value)
}
