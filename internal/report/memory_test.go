package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
)

// rowsOf returns the names in the first column of the only table of memory whose title
// begins with some words.
func rowsOf(t *testing.T, v *view, title string) []string {
	t.Helper()
	tables := slices.DeleteFunc(memoryQuestion.tables(v), func(table *text.Table) bool { return !strings.HasPrefix(table.Title, title) })
	require.Len(t, tables, 1, title)
	return firstCells(tables[0])
}

// firstCells returns what the rows of a table begin with.
func firstCells(table *text.Table) []string {
	_, rows := table.Grid()
	return lists.Each(rows, func(row []string) string { return row[0] })
}

// panelOf returns the names of the lines of a panel of memory.
func panelOf(t *testing.T, v *view, title string) []string {
	t.Helper()
	panels := slices.Concat(memoryQuestion.figures(v)[0].Rows...)
	i := slices.IndexFunc(panels, func(p *chart.Panel) bool { return p.Title == title })
	require.GreaterOrEqual(t, i, 0, title)
	return shownIn(panels[i])
}

// shownIn returns the names of the lines of a panel that have points.
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
	v := newView(g.data, Options{})
	bare, functions := []string{"heapsched", "hierwheel", catalog.ContainerHeap}, []string{"heapsched", "hierwheel", catalog.RuntimeTimer}
	for _, title := range []string{", just inserted", ", after replacing all", ", a collection"} {
		require.Equal(t, bare, panelOf(t, v, "bare schedulers"+title))
		require.Equal(t, functions, panelOf(t, v, "behind a driver"+title))
	}
	require.Equal(t, append(bare, rundata.NothingControl), rowsOf(t, v, "Memory of timers pending in bare schedulers"))
	require.Equal(t, append(functions, rundata.NothingControl), rowsOf(t, v, "Memory of timers pending behind a driver"))
}

// Older data have time.AfterFunc among bare schedulers.
func TestOlderMemoryOfAfterFuncStandsApart(t *testing.T) {
	g := newSynthetic(6)
	for _, impl := range []string{"hierwheel", catalog.RuntimeTimer} {
		g.series(rundata.Memory, "impl="+impl+" pending=1000", map[string]float64{rundata.BytesPerTimer: 30})
	}
	v := newView(g.data, Options{})
	require.Equal(t, []string{"hierwheel"}, panelOf(t, v, "bare schedulers, just inserted"))
	require.Equal(t, []string{catalog.RuntimeTimer}, panelOf(t, v, "behind a driver, just inserted"))
}
