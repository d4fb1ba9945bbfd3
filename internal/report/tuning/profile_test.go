package tuning

import (
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/chart/charttest"
	"schedbench/workload"
	"schedbench/workload/trace"
)

func TestTheChartOfProfilesShowsAllOfThem(t *testing.T) {
	dir := charttest.Dir(t)
	all := workload.Builtin()
	names := must.Get(ProfileCharts(all, dir, true))(t)
	require.Equal(t, []string{"profiles.png", "profiles.svg"}, names)
	charttest.Decode(t, filepath.Join(dir, "profiles.png"), charttest.UsualDPI)

	f := must.Get(profileFigure(all))(t)
	require.True(t, f.Prepare())
	names = lists.Each(all, func(p *workload.Profile) string { return p.Name })
	shown, _ := charttest.Texts(f.Draw, f.Width, f.Height)
	require.Subset(t, shown, append(names, "delay", "time to cancel", "time to reset", "2/s, 1 pending", "100µs", "100ms", "1m", "50 %"))
}

func TestAProfilePanelShowsWhatTheProfileHas(t *testing.T) {
	has := func(text string) []string {
		drawn := must.Get(profilePanel(must.Get(workload.Parse(strings.NewReader(text), "p.toml"))(t)))(t)
		require.True(t, drawn.Fit())
		var names []string
		for _, l := range drawn.Lines {
			names = append(names, l.Name)
			require.True(t, slices.IsSortedFunc(l.Points, func(a, b chart.Point) int { return int(b.Y*-1e6) - int(a.Y*-1e6) }))
			require.Equal(t, 1.0, l.Points[len(l.Points)-1].Y)
		}
		return names
	}
	const head = "name = \"p\"\nabout = \"a\"\nlength = \"10s\"\ntick = \"1ms\"\n[[timers]]\nname = \"t\"\narrivals = \"poisson(100/s)\"\ndelay = \"5s\"\n"
	require.Equal(t, []string{"delay"}, has(head))
	require.Equal(t, []string{"delay", "time to cancel"}, has(head+"cancel = { share = \"50%\", after = \"1s\" }\n"))
	require.Equal(t, []string{"delay", "time to reset"}, has(head+"reset = { share = \"50%\", after = \"1s\" }\n"))
}

func TestNoProfilesHaveNoChart(t *testing.T) {
	require.Empty(t, must.Get(ProfileCharts(nil, filepath.Join(t.TempDir(), "none"), false))(t))
}

func summarizedProfile(t *testing.T, name string) *trace.Info {
	t.Helper()
	s := must.Get(must.Get(workload.Find(name))(t).Stream(workload.Options{Seed: 1, Scale: 0.01}))(t)
	return must.Get(trace.Summarize(trace.Events(s)))(t)
}

func TestTheChartOfATraceShowsWhatItHas(t *testing.T) {
	dir := charttest.Dir(t)
	for name, texts := range map[string][]string{
		"tcp-rto": {"delay", "schedule", "cancel", "reset", "fire", "pending", "10/s", "100 s", "100ms"},
		"idle":    {"delay", "schedule", "fire"},
	} {
		info := summarizedProfile(t, name)
		names := must.Get(TraceChart(info, name, "facts", dir, true))(t)
		require.Equal(t, []string{"trace-" + name + ".png", "trace-" + name + ".svg"}, names)
		charttest.Decode(t, filepath.Join(dir, names[0]), charttest.UsualDPI)
		f := traceFigure(info, name, "facts")
		require.True(t, f.Prepare())
		shown, _ := charttest.Texts(f.Draw, f.Width, f.Height)
		require.Subset(t, shown, append(texts, "facts", "timers pending", "events per second", "What does the trace "+name+" ask of its timers?"))
	}
}

func TestATraceWithoutEventsHasNoChart(t *testing.T) {
	names := must.Get(TraceChart(must.Get(trace.Summarize(trace.Events(nothingToDo{})))(t), "none", "", filepath.Join(t.TempDir(), "none"), false))(t)
	require.Empty(t, names)
}

func TestJoinedStepsHaveAllEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sum := func(steps []trace.Step) (all trace.Step) {
		for _, s := range steps {
			all.Schedules, all.Resets = all.Schedules+s.Schedules, all.Resets+s.Resets
			all.Cancels, all.Fires = all.Cancels+s.Cancels, all.Fires+s.Fires
		}
		return all
	}
	for _, n := range []int{1, 63, 64, 65, 1000, 1024} {
		c := trace.Course{Step: time.Millisecond}
		for range n {
			c.Steps = append(c.Steps, trace.Step{Schedules: rng.Uint64N(9), Resets: rng.Uint64N(9), Cancels: rng.Uint64N(9), Fires: rng.Uint64N(9)})
		}
		joined := wide(c)
		require.LessOrEqual(t, len(joined.Steps), rateSteps)
		require.GreaterOrEqual(t, joined.Step*time.Duration(len(joined.Steps)), c.Step*time.Duration(n))
		require.Equal(t, sum(c.Steps), sum(joined.Steps))
	}
}

type nothingToDo struct{}

func (nothingToDo) Read([]workload.Op) (int, error) { return 0, io.EOF }
