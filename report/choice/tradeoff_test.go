package choice

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"schedbench/catalog"
	"schedbench/report/chart"
	"schedbench/tune"
)

// The charts of a choice, kept with -charts DIR.
func TestTuneCharts(t *testing.T) {
	dir := *lookAt
	if dir == "" {
		dir = t.TempDir()
	}
	names, err := fullTuning().Chart(dir, true)
	require.NoError(t, err)
	require.Equal(t, []string{"tune.png", "tune.svg"}, names)
	decode(t, filepath.Join(dir, "tune.png"))
	names, err = ExplanationChart(fullExplanation(), "made-up", madeUpCalibration(), dir, false)
	require.NoError(t, err)
	require.Equal(t, []string{"occupancy.png"}, names)
	decode(t, filepath.Join(dir, "occupancy.png"))
}

// saidBy draws a figure and returns all that is written on it.
func saidBy(t *testing.T, f *chart.Figure) (said []string) {
	t.Helper()
	require.True(t, f.Prepare())
	var c recorder.Canvas
	f.Draw(draw.NewCanvas(&c, f.Width, f.Height))
	for _, a := range c.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			said = append(said, s.String)
		}
	}
	return said
}

func TestTheChartOfAChoiceNamesWhatIsMarked(t *testing.T) {
	said := saidBy(t, fullTuning().figure())
	for _, want := range []string{
		"Which scheduler and tick for made-up?", "pick, knee", "runner-up",
		"at most 5 ms", "at most 2 %", "measured", "hierwheel", "heapsched", "100µs", "1ms",
		"sleeps until something is due", "sleeps until something is due, precisely", "wakes up at every tick",
		"lateness of the 99th percentile, lower is better", "CPU of the timers, share of a core, lower is better",
	} {
		require.Contains(t, said, want)
	}
	require.Contains(t, strings.Join(said, " "), "Pick, knee: hierwheel, a tick of 5ms, 64 slots a level, sleeping until due, waiting precisely; runner-up: roundswheel, a tick of 2ms, 512 slots, sleeping until due. Predicted")
	require.NotContains(t, said, "", "names of ticks are not in the legend")
	times := 0
	for _, s := range said {
		if s == "hierwheel" {
			times++
		}
	}
	require.Equal(t, 1, times, "the legend names each once")
}

func TestAChartWithoutRequirementsShadesNothing(t *testing.T) {
	tg := fullTuning()
	tg.Choice.Requirements = tune.Requirements{Percentile: 0.999}
	tg.Proof = nil
	f := tg
	require.False(t, f.limited())
	said := strings.Join(saidBy(t, f.figure()), " ")
	require.NotContains(t, said, "shaded")
	require.NotContains(t, said, "at most")
	require.Contains(t, said, "lateness of the 99.9th percentile")
	require.Contains(t, said, "Nothing was measured")
}

func TestPointsThatTakeTooMuchMemoryHaveNoGlyph(t *testing.T) {
	p := fullTuning().panel(catalog.Tickless, catalog.Runtime)
	i := slices.IndexFunc(p.Lines, func(l chart.Line) bool { return l.Name == "singlewheel" })
	require.GreaterOrEqual(t, i, 0)
	require.Len(t, p.Lines[i].Points, len(ticksOfTuning)-1, "the last is far from what is asked for")
	require.Len(t, p.Lines[i].Marked, len(ticksOfTuning)-5, "64 MB do for ticks of more than 1 ms")
	require.InDelta(t, p.Lines[i].Points[4].X, p.Lines[i].Marked[0].X, 0)
}

func TestOnlyTheBestSlotsOfATickAreOnTheCurve(t *testing.T) {
	at := func(slots int, cpu float64, misses ...string) tune.Prediction {
		return tune.Prediction{Config: catalog.Config{Scheduler: "roundswheel", Tick: time.Millisecond, Slots: slots}, CPU: about(cpu, 0), Lateness: about(1, 0), Misses: misses}
	}
	best := bestAtTicks([]tune.Prediction{at(64, 0.1, "memory"), at(128, 0.3), at(256, 0.2), at(512, 0.2)})
	require.Len(t, best, 1)
	require.Equal(t, 256, best[0].Config.Slots)
}

func TestWhatCannotHoldTheWorkloadIsNotDrawn(t *testing.T) {
	tg := fullTuning()
	for i := range tg.Choice.All {
		if q := &tg.Choice.All[i]; q.Config.Scheduler == "listsched" || q.Config.Waking == catalog.Ticking {
			q.Impossible = "beyond the horizon"
		}
	}
	said := saidBy(t, tg.figure())
	require.NotContains(t, said, "listsched")
	require.NotContains(t, said, "wakes up at every tick")
}

func TestANamelessChoiceIsNoChart(t *testing.T) {
	tg := fullTuning()
	tg.Choice.All, tg.Proof = nil, nil
	tg.Choice.Pick, tg.Choice.RunnerUp, tg.Choice.Knee = nil, nil, nil
	names, err := tg.Chart(t.TempDir(), false)
	require.NoError(t, err)
	require.Empty(t, names)
	e := fullExplanation()
	e.Occupancy = nil
	names, err = ExplanationChart(e, "made-up", madeUpCalibration(), t.TempDir(), false)
	require.NoError(t, err)
	require.Empty(t, names)
}
