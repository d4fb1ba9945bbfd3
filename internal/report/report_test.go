package report

import (
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/chart/charttest"
	"schedbench/internal/tune"
)

// figureCalled returns a chart by its name, nil if there is none.
func figureCalled(d *rundata.Data, name string) *chart.Figure {
	all := Judge(d, Options{}).figures()
	if i := slices.IndexFunc(all, func(f *chart.Figure) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

func wording(f *chart.Figure) []string {
	found, _ := charttest.Texts(f.Draw, f.Width, f.Height)
	return found
}

// has fails unless a text, or a list of texts, has all of some others, and lacks if it has any.
func has(t *testing.T, in any, all ...string) {
	t.Helper()
	for _, one := range all {
		require.Contains(t, in, one)
	}
}

func lacks(t *testing.T, in any, all ...string) {
	t.Helper()
	for _, one := range all {
		require.NotContains(t, in, one)
	}
}

// fewDots is the resolution of the pictures of tests: large ones take long to write.
const fewDots = 24

// decodes checks that a file is a PNG, and how large it is at a resolution.
func decodes(t *testing.T, name string, dpi int) {
	t.Helper()
	file := must.Get(os.Open(name))(t)
	defer file.Close()
	size := must.Get(png.Decode(file))(t).Bounds().Size()
	require.True(t, size.X >= 1600*dpi/192 && size.Y >= 900*dpi/192, "%s is only %v", name, size)
}

func TestCharts(t *testing.T) {
	dir, v := t.TempDir(), Judge(fullData(), Options{DPI: fewDots, Requirement: tune.Requirements{Lateness: 10e6, CPU: 0.01}})
	names := must.Get(v.Charts(dir))(t)
	figures := map[string]*chart.Figure{}
	for _, f := range v.figures() {
		figures[f.Name] = f
	}
	for name, labels := range map[string][]string{
		"cost-insert": {
			"10", "1k", "1M", "10 ns", "100 ns", "1 µs", "O(1)", "O(log n)", "O(n)", "the loop alone",
			"hierwheel", catalog.RuntimeTimer, catalog.ContainerHeap, "timers pending", "time per operation, lower is better",
			"What does inserting a timer cost, with n others pending?",
		},
		"cost-pair":         {"uniform delays", "times the best; listsched goes beyond 20×", "by delays, with 100k pending", "uniform", "expon.", "constant", "bimodal", "within 10 %"},
		"lateness-spectrum": {"50 %", "90 %", "99 %", "99.9 %", "99.99 %", "hierwheel by tick", "5ms tick", rundata.SleepControl, "sleeping until due, delays up to 5 ms"},
		"slow":              {"slow tasks sleep", "slow tasks burn CPU", "hierwheel, inline", "hierwheel, pool-4", catalog.RuntimeTimer, "99 %", "10 ms"},
		"systems":           {"netty", "kafka", "jdk-timer", catalog.RuntimeTimer, "hierwheel 5ms", "hierwheel sleeping", "at most 10 ms", "0 %"},
		"tradeoff":          {"recommended: 5ms", "at most 10 ms", "at most 1 %", "sleeping until due", "100ms", "10 ms"},
		"live-pair":         {"time of the caller, 1 goroutine", "CPU time of the process, 2 goroutines at once", "AfterFunc and Stop, lower is better", "Timer.Reset, lower is better"},
		"parallel":          {"hierwheel, locked", "hierwheel, sharded", "hierwheel, queued", catalog.RuntimeTimer, "8", "1k pending", "100k pending"},
		"tails":             {"Schedule", "Expire", "AfterFunc, on the real clock", "50 %", "99.9 %", "growing", "shrinking", "cascade", "the clock alone", catalog.RuntimeTimer, "100 µs"},
		"work":              {"insert (one more timer)", "steps per operation", "0"},
		"cost-reset":        nil, "cost-expire": nil, "cost-tick": nil, "map": nil, "memory": nil,
	} {
		decodes(t, filepath.Join(dir, name+".png"), fewDots)
		has(t, names, name+".png")
		got := wording(figures[name])
		has(t, got, labels...)
		all := strings.Join(got, " ")
		has(t, all, "Made-up CPU", "0123abc") // where it is from
		lacks(t, all, rundata.AASuffix)
	}
}

// A style is the same on every chart, and each contestant has its own.
func TestLooks(t *testing.T) {
	seen := map[color.NRGBA]bool{}
	for name, s := range standing {
		require.False(t, seen[s.Colour], "%s has the colour of another", name)
		seen[s.Colour] = true
	}
	for _, inbox := range []string{rundata.InboxSharded, rundata.InboxQueued} {
		require.False(t, seen[wayStyles[inbox].Colour], "the %s inbox has the colour of a contestant", inbox)
	}
	for _, l := range chart.Reserve {
		require.False(t, seen[l.Colour], "the reserve has a colour that is taken: %v", l.Colour)
	}
}

func tablesOf(t *testing.T, d *rundata.Data) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, Judge(d, Options{}).Tables(&b))
	return b.String()
}

func TestTables(t *testing.T) {
	has(t, tablesOf(t, fullData()),
		"Cost of insert", "grows as", "n^0.9", "/ time.AfterFunc", "hierwheel-again", "Cost of pair", "bimodal delays",
		"Cost of AfterFunc and Stop in a running program, goroutines: 2", "Cost of Timer.Reset in a running program, goroutines: 2", "  CPU ", "run out on the real clock", "Ways of sleeping", "jdk-timer", "all due at once", "longest gap", "Lateness of the others", "pool-4", "through one driver", "sharded", "Steps of an operation", "Lateness after the planned deadline", "doubled",
		"beyond the idle process", "Memory of timers pending in bare schedulers", "Memory of timers pending behind a driver", "its name", "Memory of an empty scheduler", "Controls", "±",
		"Lateness with delays up to 5 ms", "kicks", "150/s", "armed late by, 50 %", "CPU of arriving", "12 %",
	)
}

func TestTablesReportsWriteErrors(t *testing.T) {
	r, w := io.Pipe()
	require.NoError(t, r.Close())
	require.ErrorIs(t, Judge(fullData(), Options{}).Tables(w), io.ErrClosedPipe)
}

// Whatever can be measured has a word and a line of explanation, and no two share a word.
func TestEveryOperationIsExplained(t *testing.T) {
	words := map[string]bool{}
	for _, o := range operations {
		require.NotEmpty(t, o.Word)
		require.NotEmpty(t, o.Brief, o.Word)
		require.NotEmpty(t, o.Meaning, o.Word)
		require.NotRegexp(t, `\.$|\n`, o.Meaning, "it goes on after a colon")
		require.False(t, words[o.Word], "%s is there twice", o.Word)
		words[o.Word] = true
	}
	for _, op := range append(rundata.Ops(), rundata.OpExpire, rundata.OpLiveReset) {
		require.NotEmpty(t, OperationOf(op).Meaning, op)
	}
	for _, k := range tailKinds {
		for _, op := range k.ops {
			require.NotEmpty(t, OperationOf(k.method(op)).Meaning, op)
		}
	}
	require.Equal(t, Operation{Name: "shake", Word: "shake"}, OperationOf("shake"))
	require.Equal(t, "What does shake cost, with n pending?", OperationOf("shake").title())
}

// An operation is explained with the first table that shows it, and with no other; data that
// do not have it say nothing of it.
func TestOperationsAreExplainedWhereFirstShown(t *testing.T) {
	all := tablesOf(t, fullData())
	for _, op := range append(rundata.Ops(), rundata.OpExpire, rundata.OpLiveReset) {
		o := OperationOf(op)
		line := "  " + o.Line() + ".\n"
		require.Equal(t, 1, strings.Count(all, line), o.Word)
		first := strings.Index(all, "Cost of "+o.Word)
		require.GreaterOrEqual(t, first, 0, o.Word)
		next := strings.Index(all[first+1:], "\nCost of ")
		at := strings.Index(all[first:], line)
		require.True(t, next < 0 || at <= next, "%s is explained under another table", o.Word)
	}
	g := newSynthetic(6)
	g.inserted(1_000, map[string][]float64{"hierwheel": heap, "heapsched": heap})
	only := tablesOf(t, g.data)
	require.Contains(t, only, OperationOf(rundata.OpInsert).Line())
	require.NotContains(t, only, OperationOf(rundata.OpPair).Meaning)
}

// All that is said of a run is in its sections too, and there once.
func TestSectionsHaveAllOfARun(t *testing.T) {
	v := Judge(fullData(), Options{})
	sections := v.Sections()
	var said, sentences, titles []string
	for _, s := range sections {
		titles = append(titles, s.Title)
		for _, p := range s.Parts {
			require.NotEmpty(t, p.Heading)
			sentences = append(sentences, p.Sentences...)
		}
	}
	for _, q := range v.chapters {
		said = append(said, v.sentences(q)...)
	}
	require.ElementsMatch(t, said, sentences)
	require.Equal(t, []string{
		"Which scheduler is fastest?", "How late are timers?", "What does idling cost, and which tick is worth it?", "How much memory does it take?",
		"How do presets of known systems compare?", "How far are these figures to be trusted?",
	}, titles, "in the order in which readers ask; there are no replays in these data")
	require.Equal(t, "Regret: the worst ratio of each choice to the best, by group", sections[0].Parts[0].Heading)
	require.Empty(t, Judge(nil, required).Sections())
	require.Empty(t, Judge(&rundata.Data{Complete: true}, Options{}).Sections())
}
