package tuning

import (
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
	"schedbench/internal/report/chart/charttest"
	"schedbench/workload"
	"schedbench/workload/trace"
)

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
