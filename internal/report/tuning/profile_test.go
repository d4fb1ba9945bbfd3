package tuning

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/internal/report/chart"
	"schedbench/workload"
)

// wording returns all that is written on a figure.
func wording(f *chart.Figure) (found []string) {
	var c recorder.Canvas
	f.Draw(draw.NewCanvas(&c, f.Width, f.Height))
	for _, a := range c.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			found = append(found, s.String)
		}
	}
	return found
}

func TestTheChartOfProfilesShowsAllOfThem(t *testing.T) {
	dir := chartsDirOf(t)
	all := workload.Builtin()
	names := must.Get(ProfileCharts(all, dir, true))(t)
	require.Equal(t, []string{"profiles.png", "profiles.svg"}, names)
	decode(t, filepath.Join(dir, "profiles.png"))

	f := must.Get(profileFigure(all))(t)
	require.True(t, f.Prepare())
	names = lists.Each(all, func(p *workload.Profile) string { return p.Name })
	require.Subset(t, wording(f), append(names, "delay", "time to cancel", "time to reset", "2/s, 1 pending", "100µs", "100ms", "1m", "50 %"))
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
