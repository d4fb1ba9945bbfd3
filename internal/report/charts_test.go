package report

import (
	"cmp"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/internal/report/chart"
)

// lookAt is for looking at the charts: go test -run TestCharts -charts DIR.
var lookAt = flag.String("charts", "", "keep the charts of made-up data in this directory")

func TestCharts(t *testing.T) {
	dir, opt := chartsDirOf(t), Options{SVG: *lookAt == "", Requirement: Requirement{P99: 10e6, CPUShare: 0.01}}
	if *lookAt == "" {
		opt.DPI = 24 // small pictures: to write large ones takes long
	}
	names := must.Get(Charts(fullData(), dir, opt))(t)
	for _, name := range []string{
		"cost-insert", "cost-pair", "cost-reset", "cost-expire", "cost-tick", "live-pair", "parallel", "tails", "work", "map",
		"lateness-spectrum", "slow", "burst", "tradeoff", "systems", "waiting", "slack", "memory",
	} {
		require.Contains(t, names, name+".png")
		decode(t, filepath.Join(dir, name+".png"), opt.DPI)
		require.Equal(t, opt.SVG, slices.Contains(names, name+".svg"), name)
	}
}

// chartsDirOf is where charts go: to be looked at with -charts.
func chartsDirOf(t *testing.T) string {
	if *lookAt != "" {
		return *lookAt
	}
	return t.TempDir()
}

// decode checks that a file is a picture, and how large it is at a resolution; 0 is the usual one, 192.
func decode(t *testing.T, name string, dpi int) {
	t.Helper()
	file := must.Get(os.Open(name))(t)
	defer file.Close()
	size := must.Get(png.Decode(file))(t).Bounds().Size()
	dpi = cmp.Or(dpi, 192)
	require.True(t, size.X >= 1600*dpi/192 && size.Y >= 900*dpi/192, "%s is only %v", name, size)
}

// figureCalled returns a chart by its name, nil if there is none.
func figureCalled(d *rundata.Data, name string, opt Options) *chart.Figure {
	all := newView(d, opt).figures()
	if i := slices.IndexFunc(all, func(f *chart.Figure) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// drawing returns how a figure is drawn, without a file.
func drawing(f *chart.Figure) []recorder.Action {
	var c recorder.Canvas
	f.Draw(draw.NewCanvas(&c, f.Width, f.Height))
	return c.Actions
}

// wording returns all that is written on a figure.
func wording(f *chart.Figure) (found []string) {
	for _, a := range drawing(f) {
		if s, ok := a.(*recorder.FillString); ok {
			found = append(found, s.String)
		}
	}
	return found
}

// texts returns all that is written on a chart.
func texts(t *testing.T, d *rundata.Data, name string, opt Options) []string {
	t.Helper()
	f := figureCalled(d, name, opt)
	require.NotNil(t, f, name)
	return wording(f)
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
	for _, f := range newView(fullData(), Options{Requirement: Requirement{P99: 10e6, CPUShare: 0.01}}).figures() {
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

// On the chart of known systems many are late by a millisecond and cost nothing.
func TestNamesOfSystemsDoNotOverlap(t *testing.T) {
	g := newSynthetic(6)
	names := []string{"jdk-timer", "jdk-executor", "jdk-executor-remove", "netty-schedule", "tokio-like", "netty", "kafka", catalog.RuntimeTimer}
	for _, name := range names {
		waking := rundata.PresetWaking
		if name == catalog.RuntimeTimer {
			waking = rundata.RuntimeWaking
		}
		g.series(rundata.Jitter, "impl="+name+" waking="+waking+" rate=1000", map[string]float64{rundata.P99Late: 1.08e6})
		g.series(rundata.Idle, "impl="+name+" waking="+waking+" pending=1000", map[string]float64{rundata.CPUPerSecond: 5e5})
	}
	g.series(rundata.Idle, "impl="+rundata.ProcessControl+" waking=none pending=1000", map[string]float64{rundata.CPUPerSecond: 5e5})
	boxes := written(t, figureCalled(g.data, "systems", Options{}))
	has(t, boxes, names...)
	for a, at := range boxes {
		for b, other := range boxes {
			require.False(t, a != b && overlap(at, other), "%q at %v covers %q at %v", a, at, b, other)
		}
	}
}

// written returns where the level texts of a figure are: what is written above its base line, by the text.
func written(t *testing.T, f *chart.Figure) map[string]vg.Rectangle {
	t.Helper()
	found, level := map[string]vg.Rectangle{}, true
	for _, a := range drawing(f) {
		switch a := a.(type) {
		case *recorder.Rotate:
			level = false
		case *recorder.Pop:
			level = true
		case *recorder.FillString:
			if level {
				require.NotContains(t, found, a.String, "written twice")
				style := plottext.Style{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: a.Font.Size}, Handler: plot.DefaultTextHandler}
				found[a.String] = vg.Rectangle{Min: a.Point, Max: a.Point.Add(vg.Point{X: style.Width(a.String), Y: style.FontExtents().Ascent})}
			}
		}
	}
	return found
}

// overlap reports whether two boxes share more than an edge.
func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
