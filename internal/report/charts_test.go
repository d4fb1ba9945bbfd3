package report

import (
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
)

func TestCharts(t *testing.T) {
	dpi := charttest.DPI()
	dir, opt := charttest.Dir(t), Options{SVG: true, DPI: dpi, Requirement: Requirement{P99: 10e6, CPUShare: 0.01}}
	names := must.Get(Judge(fullData(), opt).Charts(dir))(t)
	for _, name := range []string{
		"cost-insert", "cost-pair", "cost-reset", "cost-expire", "cost-tick", "live-pair", "parallel", "tails", "work", "map",
		"lateness-spectrum", "slow", "burst", "tradeoff", "systems", "waiting", "slack", "memory",
	} {
		require.Contains(t, names, name+".png")
		charttest.Decode(t, filepath.Join(dir, name+".png"), dpi)
		require.Contains(t, names, name+".svg")
	}
}

// figureCalled returns a chart by its name, nil if there is none.
func figureCalled(d *rundata.Data, name string, opt Options) *chart.Figure {
	all := Judge(d, opt).figures()
	if i := slices.IndexFunc(all, func(f *chart.Figure) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// texts returns all that is written on a chart.
func texts(t *testing.T, d *rundata.Data, name string, opt Options) []string {
	t.Helper()
	f := figureCalled(d, name, opt)
	require.NotNil(t, f, name)
	return wording(f)
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

func TestLabels(t *testing.T) {
	figures := map[string]*chart.Figure{}
	for _, f := range Judge(fullData(), Options{Requirement: Requirement{P99: 10e6, CPUShare: 0.01}}).figures() {
		figures[f.Name] = f
	}
	for name, labels := range map[string][]string{
		"cost-insert": {
			"10", "1k", "1M", "10 ns", "100 ns", "1 µs", "O(1)", "O(log n)", "O(n)", "the loop alone",
			"hierwheel", catalog.RuntimeTimer, catalog.ContainerHeap, "timers pending", "time per operation, lower is better",
			"What does inserting a timer cost, with n others pending?",
		},
		"cost-pair":         {"uniform delays", "times the best; listsched goes beyond 20×", "by delays, with 100k pending", "uniform", "expon.", "constant", "bimodal", "within 10 %"},
		"lateness-spectrum": {"50 %", "99 %", "99.9 %", "hierwheel by tick", "5ms tick", rundata.SleepControl, "sleeping until due, delays up to 5 ms"},
		"slow":              {"slow tasks sleep", "slow tasks burn CPU", "hierwheel, inline", "hierwheel, pool-4", catalog.RuntimeTimer, "99 %", "10 ms"},
		"burst":             {"share of timers", "100 %", "20 ms", "hierwheel"},
		"systems":           {"netty", "kafka", "jdk-timer", catalog.RuntimeTimer, "hierwheel 5ms", "hierwheel sleeping", "at most 10 ms", "0 %"},
		"waiting":           {"0 others pending", "100k others pending", "hierwheel, precise", "heapsched, runtime", catalog.RuntimeTimer, "100 µs"},
		"slack":             {"median", "99th percentile", "0s", "500µs", "5ms", "hierwheel, precise"},
		"tradeoff":          {"recommended: 5ms", "at most 10 ms", "at most 1 %", "sleeping until due", "100ms", "10 ms"},
		"live-pair":         {"time of the caller, 1 goroutine", "CPU time of the process, 2 goroutines at once", "AfterFunc and Stop, lower is better", "Timer.Reset, lower is better"},
		"parallel": {"hierwheel, locked", "hierwheel, sharded", "hierwheel, queued", catalog.RuntimeTimer, "8", "2×",
			"time for a pair, 1k pending", "throughput against that of 1 goroutine, 100k pending"},
		"tails": {"Schedule", "Expire", "AfterFunc, on the real clock", "50 %", "99.9 %", "growing", "shrinking", "cascade", "the clock alone", catalog.RuntimeTimer, "100 µs"},
		"work":  {"insert (one more timer)", "steps per operation", "0"},
	} {
		require.Contains(t, figures, name)
		got := wording(figures[name])
		has(t, got, labels...)
		all := strings.Join(got, " ")
		has(t, all, "Made-up CPU", "0123abc") // where it is from
		lacks(t, all, rundata.AASuffix)
	}
}

// A style is the same on every chart, and each contestant has its own.
func TestLooks(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range standing {
		if s.name == "" {
			continue
		}
		require.False(t, seen[colourName(s.Style)], "%s has the colour of another", s.name)
		seen[colourName(s.Style)] = true
	}
	for inbox, s := range inboxStyles {
		require.False(t, seen[colourName(s)], "the %s inbox has the colour of a contestant", inbox)
	}
	for _, l := range chart.Reserve {
		require.False(t, seen[colourName(l)], "the reserve has a colour that is taken: %s", colourName(l))
	}
}
