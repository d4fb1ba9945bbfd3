package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
)

// rowsOf returns the names in the first column of the only table of a question whose title
// begins with some words.
func rowsOf(t *testing.T, v *view, q question, title string) (names []string) {
	t.Helper()
	found := 0
	for _, table := range q.tables(v) {
		if strings.HasPrefix(table.Title, title) {
			found++
			names = firstWords(t, table)
		}
	}
	require.Equal(t, 1, found, title)
	return names
}

// firstWords returns what the rows of a table begin with.
func firstWords(t *testing.T, table *text.Table) (names []string) {
	t.Helper()
	var b strings.Builder
	require.NoError(t, table.Write(&b))
	_, rows, _ := strings.Cut(b.String(), "──\n")
	for row := range strings.Lines(rows) {
		row = strings.TrimSpace(row)
		if row == "" || slices.Contains(table.Notes, row) {
			break
		}
		names = append(names, strings.Fields(row)[0])
	}
	return names
}

// panelOf returns the names of the lines of a panel of a question.
func panelOf(t *testing.T, v *view, q question, title string) (names []string) {
	t.Helper()
	for _, f := range q.figures(v) {
		for _, row := range f.Rows {
			for _, p := range row {
				if p.Title == title {
					return shownIn(p)
				}
			}
		}
	}
	require.Fail(t, "no panel", title)
	return nil
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
	for _, title := range []string{"bare schedulers, just inserted", "bare schedulers, after replacing all"} {
		require.Equal(t, bare, panelOf(t, v, memoryQuestion, title))
	}
	for _, title := range []string{"behind a driver, just inserted", "behind a driver, after replacing all"} {
		require.Equal(t, functions, panelOf(t, v, memoryQuestion, title))
	}
	require.Equal(t, bare, panelOf(t, v, memoryQuestion, "bare schedulers, a collection"))
	require.Equal(t, functions, panelOf(t, v, memoryQuestion, "behind a driver, a collection"))
	require.Equal(t, append(bare, rundata.NothingControl), rowsOf(t, v, memoryQuestion, "Memory of timers pending in bare schedulers"))
	require.Equal(t, append(functions, rundata.NothingControl), rowsOf(t, v, memoryQuestion, "Memory of timers pending behind a driver"))
}

// Older data have time.AfterFunc among bare schedulers.
func TestOlderMemoryOfAfterFuncStandsApart(t *testing.T) {
	g := newSynthetic(6)
	for _, impl := range []string{"hierwheel", catalog.RuntimeTimer} {
		g.series(rundata.Memory, "impl="+impl+" pending=1000", map[string]float64{rundata.BytesPerTimer: 30})
	}
	v := newView(g.data, Options{})
	require.Equal(t, []string{"hierwheel"}, panelOf(t, v, memoryQuestion, "bare schedulers, just inserted"))
	require.Equal(t, []string{catalog.RuntimeTimer}, panelOf(t, v, memoryQuestion, "behind a driver, just inserted"))
}
