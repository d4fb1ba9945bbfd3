package report

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"schedbench/workload"
)

// wording returns all that is written on a figure.
func wording(f *figure) (found []string) {
	var c recorder.Canvas
	f.draw(draw.NewCanvas(&c, f.width, f.height))
	for _, a := range c.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			found = append(found, s.String)
		}
	}
	return found
}

func TestTheChartOfProfilesShowsAllOfThem(t *testing.T) {
	dir := *lookAt
	if dir == "" {
		dir = t.TempDir()
	}
	all := workload.Builtin()
	names, err := ProfileCharts(all, dir, true)
	require.NoError(t, err)
	require.Equal(t, []string{"profiles.png", "profiles.svg"}, names)
	decode(t, filepath.Join(dir, "profiles.png"))

	f, err := profileFigure(all)
	require.NoError(t, err)
	require.True(t, f.prepare())
	got := wording(f)
	for _, p := range all {
		require.Contains(t, got, p.Name)
	}
	for _, text := range []string{
		"delay", "time to cancel", "time to reset", "schedule", "reset", "cancel", "fire",
		"2/s, 1 pending", "100µs", "100ms", "1m", "50 %", "> 99 %",
	} {
		require.Contains(t, got, text)
	}
}

func TestAProfilePanelShowsWhatTheProfileHas(t *testing.T) {
	has := func(text string) []string {
		p, err := workload.Parse(strings.NewReader(text), "p.toml")
		require.NoError(t, err)
		drawn, err := profilePanel(p)
		require.NoError(t, err)
		require.True(t, drawn.fit())
		var names []string
		for _, l := range drawn.lines {
			names = append(names, l.name)
			require.True(t, slices.IsSortedFunc(l.pts, func(a, b point) int { return int(b.y*-1e6) - int(a.y*-1e6) }))
			require.Equal(t, 1.0, l.pts[len(l.pts)-1].y)
		}
		return names
	}
	const head = "name = \"p\"\nabout = \"a\"\nlength = \"10s\"\ntick = \"1ms\"\n[[timers]]\nname = \"t\"\narrivals = \"poisson(100/s)\"\ndelay = \"5s\"\n"
	require.Equal(t, []string{"delay"}, has(head))
	require.Equal(t, []string{"delay", "time to cancel"}, has(head+"cancel = { share = \"50%\", after = \"1s\" }\n"))
	require.Equal(t, []string{"delay", "time to reset"}, has(head+"reset = { share = \"50%\", after = \"1s\" }\n"))
}

func TestNoProfilesHaveNoChart(t *testing.T) {
	names, err := ProfileCharts(nil, filepath.Join(t.TempDir(), "none"), false)
	require.NoError(t, err)
	require.Empty(t, names)
}

func TestTimesAreWrittenInTheUnitOfTheirSize(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1e3: "1µs", 30e6: "30ms", 600e9: "10m", 4 * 3600e9: "4h", 4 * 86400e9: "4d", 3 * 365 * 86400e9: "3y",
	} {
		require.Equal(t, want, timeUnit(v))
	}
}

func TestMarksOfTimeAreFewAndInRange(t *testing.T) {
	for _, c := range []struct{ least, greatest float64 }{{1, math.MaxInt64}, {5e8, 5e8}, {3e3, 8e6}, {1e9, 3.2e16}, {0, 0}} {
		marks := timeMarks(c.least, c.greatest, 6)
		require.LessOrEqual(t, len(marks), 6)
		for _, m := range marks {
			require.True(t, m >= c.least && m <= c.greatest)
		}
	}
	require.Equal(t, []float64{1e6, 1e8, 10e9, 600e9}, timeMarks(1e6, 3600e9, 4))
}
