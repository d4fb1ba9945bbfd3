package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/card"
)

// paired makes up AfterFunc and Stop: what time.AfterFunc takes by so many goroutines, as a
// multiple of hierwheel.
func paired(g *synthetic, pending, goroutines int, goTakes float64, by []float64) {
	name := func(impl string) string {
		return fmt.Sprintf("op=%s impl=%s pending=%d goroutines=%d", rundata.OpLivePair, impl, pending, goroutines)
	}
	g.given(rundata.Cost, name(catalog.Hier), rundata.NsPerOp, heap...)
	g.given(rundata.Cost, name(catalog.RuntimeTimer), rundata.NsPerOp, scaled(goTakes, by...)...)
}

// scattered are figures that scatter too much to compare.
var scattered = []float64{50, 400, 90, 800, 20, 300}

// Beside time.AfterFunc both figures stand side by side: by one goroutine, and by the most.
func TestTimeAfterFuncByOneGoroutineAndByMany(t *testing.T) {
	of := func(make func(g *synthetic)) string {
		g := newSynthetic(6)
		make(g)
		v := newView(g.data, Options{})
		take := card.Take{Kind: card.TakeOne, Names: []string{catalog.Hier}}
		return paragraph(card.Card{Take: take, Because: v.because(catalog.Hier, v.family(nil))}, "BECAUSE")
	}
	near := nearly(heap)
	for name, c := range map[string]struct {
		make  func(g *synthetic)
		says  []string
		never []string
	}{
		"the other way round": {func(g *synthetic) { paired(g, 1000, 1, 2, near); paired(g, 1000, 2, 0.5, near) },
			[]string{"AfterFunc and Stop with 1k pending: by one goroutine time.AfterFunc takes 2× ", " as long as hierwheel; by 2 goroutines hierwheel takes 2× ", " as long as time.AfterFunc"}, []string{"unclear"}},
		"as fast": {func(g *synthetic) { paired(g, 1000, 1, 1, near); paired(g, 1000, 2, 1.01, near) },
			[]string{"time.AfterFunc and hierwheel are as fast, by one goroutine and by 2"}, []string{"×"}},
		"unclear by both": {func(g *synthetic) { paired(g, 1000, 1, 1, scattered); paired(g, 1000, 2, 1, scattered) },
			[]string{"it is unclear whether time.AfterFunc or hierwheel is faster, by one goroutine and by 2"}, []string{"×"}},
		"unclear by two": {func(g *synthetic) { paired(g, 1000, 1, 2, near); paired(g, 1000, 2, 1, scattered) },
			[]string{"; by 2 goroutines it is unclear which is faster"}, []string{"as fast", "hierwheel takes"}},
		"the most goroutines, the most timers of both": {func(g *synthetic) {
			g.data.Env["cpus"] = "4"
			for _, n := range []int{1000, 10_000, 100_000} {
				paired(g, n, 1, 2, near)
			}
			paired(g, 1000, 4, 3, near)
			paired(g, 10_000, 4, 4, near)
			paired(g, 100_000, 2, 5, near)
		}, []string{"with 10k pending: by one goroutine ", "; by 4 goroutines 4× ("}, []string{"5×"}},
		"behind by two with fewer timers": {func(g *synthetic) {
			paired(g, 1000, 1, 2, near)
			paired(g, 10_000, 1, 2, near)
			paired(g, 1000, 2, 0.5, near)
			paired(g, 10_000, 2, 1, scattered)
		}, []string{"AfterFunc and Stop: by one goroutine with 10k pending time.AfterFunc takes 2× ", "; by 2 with 1k pending hierwheel takes 2× ("}, []string{"unclear"}},
		"behind nowhere": {func(g *synthetic) {
			paired(g, 1000, 1, 2, near)
			paired(g, 10_000, 1, 2, near)
			paired(g, 1000, 2, 2, near)
			paired(g, 10_000, 2, 1, scattered)
		}, []string{"with 10k pending: by one goroutine time.AfterFunc takes 2× ", "; by 2 goroutines it is unclear which is faster"}, []string{"1k"}},
		"by one only": {func(g *synthetic) { paired(g, 1000, 1, 2, near) },
			[]string{"time.AfterFunc takes 2× ", "as hierwheel at AfterFunc and Stop with 1k pending, by one goroutine"}, []string{" by 2"}},
		"by two only": {func(g *synthetic) { paired(g, 1000, 2, 2, near) },
			[]string{"AfterFunc and Stop by 2 goroutines with 1k pending"}, []string{"one goroutine"}},
	} {
		t.Run(name, func(t *testing.T) {
			said := of(c.make)
			has(t, said, c.says...)
			lacks(t, said, c.never...)
		})
	}
}

// More goroutines than were measured are not answered, up to the usual number, and then more
// processors than the machine has.
func TestMoreGoroutinesAreNotAnswered(t *testing.T) {
	for _, c := range []struct {
		cpus       string
		goroutines int
		want       string
	}{
		{"2", 0, ""},
		{"2", 1, "more than 1 goroutine at once: bench --experiments parallel --goroutines 2,4,8\n"},
		{"2", 2, "more than 2 goroutines at once: bench --experiments parallel --goroutines 4,8\n"},
		{"2", 4, "more than 4 goroutines at once: bench --experiments parallel --goroutines 8\n"},
		{"2", 8, "more than 2 processors, on a machine that has them: bench --experiments parallel\n"},
		{"8", 8, ""},
	} {
		g := newSynthetic(6)
		g.data.Env["cpus"] = c.cpus
		g.inserted(1000, map[string][]float64{catalog.Hier: heap, catalog.Heap: heap})
		if c.goroutines > 0 {
			paired(g, 1000, c.goroutines, 2, heap)
		}
		said := cardText(t, NewCard(g.data, Options{}))
		require.Contains(t, said, c.want)
		require.Equal(t, c.want != "", strings.Contains(said, "parallel"))
	}
}
