package report

import (
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/internal/tune"
)

// partial are data of which something is missing or odd, as interrupted, narrow and broken runs leave them.
func partial() map[string]*rundata.Data {
	built := func(build func(g *synthetic)) *rundata.Data {
		g := newSynthetic(8)
		build(g)
		return g.data
	}
	odd := func(values ...float64) *rundata.Data {
		return built(func(g *synthetic) {
			g.costs([]string{"pair"}, []string{"uniform"}, []int{10, 100}, "hierwheel", "heapsched", rundata.EmptyControl)
			g.jitters("hierwheel")
			g.idles([]int{0}, "hierwheel")
			g.memories([]int{1000}, "hierwheel")
			for i, s := range g.data.Series {
				for unit := range s.Values {
					s.Values[unit] = []float64{values[i%len(values)], values[(i+1)%len(values)]}
				}
			}
		})
	}
	replayed := func(keep func(s *rundata.Series) bool) *rundata.Data {
		return without(replayData(), func(s *rundata.Series) bool { return !keep(s) })
	}
	return map[string]*rundata.Data{
		"replays":                  replayed(func(s *rundata.Series) bool { return s.Experiment == rundata.Profiles }),
		"replays on the clock":     replayed(func(s *rundata.Series) bool { return s.Experiment == rundata.Live }),
		"replays by one":           replayed(func(s *rundata.Series) bool { return s.Get("impl") == "hierwheel" }),
		"replays of the control":   replayed(func(s *rundata.Series) bool { return s.Get("impl") == rundata.EmptyControl }),
		"replays by who is out":    replayed(func(s *rundata.Series) bool { return s.Note != "" }),
		"replays by the baselines": replayed(func(s *rundata.Series) bool { return baseline(s.Get("impl")) }),
		"all are left out":         built((*synthetic).leaveOut),

		"nothing":    {},
		"no such":    nil,
		"one sample": odd(3),
		"zeros":      odd(0),
		"negative":   odd(-1, 2),
		"NaN":        odd(math.NaN()),
		"infinite":   odd(math.Inf(1), 1, math.Inf(-1)),
		"huge":       odd(math.MaxFloat64, math.SmallestNonzeroFloat64),
		"single point": built(func(g *synthetic) {
			g.costs([]string{"pair"}, []string{"uniform"}, []int{1000}, "hierwheel")
		}),
		"no control": built(func(g *synthetic) {
			g.costs([]string{"insert", "pair"}, []string{"uniform", "bimodal"}, []int{10, 1000}, "hierwheel", "heapsched")
		}),
		"only the control": built(func(g *synthetic) {
			g.costs([]string{"insert"}, []string{"uniform"}, []int{10, 1000}, rundata.EmptyControl)
		}),
		"only jitter":     built(func(g *synthetic) { g.jitters("roundswheel") }),
		"only idle":       built(func(g *synthetic) { g.idles([]int{0}, "hierwheel") }),
		"only parallel":   built(func(g *synthetic) { g.parallels("hierwheel") }),
		"only slow tasks": built(func(g *synthetic) { g.slows("hierwheel") }),
		"only a burst":    built(func(g *synthetic) { g.bursts("hierwheel") }),
		"only tails":      built(func(g *synthetic) { g.tails(1_000, 500, 0.1, nil) }),
		"few tails":       built(func(g *synthetic) { g.rounds = 2; g.tails(1_000, 2_000, 0.1, nil) }),
		"only systems":    built(func(g *synthetic) { g.systems() }),
		"only waiting":    built(func(g *synthetic) { g.waits("hierwheel") }),
		"only memory":     built(func(g *synthetic) { g.memories([]int{1000}, "hierwheel") }),
		"only controls":   built(func(g *synthetic) { g.controls() }),
		"strangers": built(func(g *synthetic) {
			g.costs([]string{"pair", "shuffle"}, []string{"uniform"}, []int{0, 1, 1000}, "mine", "yours", "hierwheel", rundata.EmptyControl)
			g.jitter("mine", "7ms", 7e6)
		}),
		"senseless parameters": built(func(g *synthetic) {
			g.series(rundata.Cost, "op=pair impl=hierwheel pending=many", map[string]float64{rundata.NsPerOp: 1})
			g.series(rundata.Cost, "impl=hierwheel", map[string]float64{rundata.NsPerOp: 1})
			g.series(rundata.Jitter, "impl=hierwheel waking=often", map[string]float64{rundata.P99Late: 1})
			g.series(rundata.Idle, "impl=hierwheel waking=-1ms pending=-1", map[string]float64{rundata.CPUPerSecond: 1})
			g.series(rundata.Memory, "impl=hierwheel horizon=far", map[string]float64{rundata.BytesPerWheel: 1})
		}),
	}
}

func TestPartial(t *testing.T) {
	for name, d := range partial() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			opt := Options{Requirement: tune.Requirements{Lateness: 1e6, CPU: 0.01}, DPI: fewDots}
			names := must.Get(Judge(d, opt).Charts(dir))(t)
			require.Len(t, must.Get(os.ReadDir(dir))(t), len(names))
			require.NoError(t, Judge(d, Options{}).Tables(io.Discard))
			require.NoError(t, Judge(d, Options{}).WriteAnswers(io.Discard))
			Judge(d, Options{}).Verdict()
			for _, req := range []tune.Requirements{{}, opt.Requirement, {Lateness: 1}, {CPU: 1e-9}} {
				Judge(d, Options{Requirement: req}).Card()
			}
		})
	}
}

func TestEmptyChartsAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, []string{"tradeoff.png"}, must.Get(Judge(partial()["only idle"], Options{}).Charts(dir))(t))
	decodes(t, filepath.Join(dir, "tradeoff.png"), 192)
}

func TestStrangersGetALookOfTheirOwn(t *testing.T) {
	v := Judge(partial()["strangers"], Options{})
	require.Equal(t, []string{"hierwheel", "mine", "yours"}, v.names)
	seen := map[color.NRGBA]bool{}
	for _, name := range v.names {
		require.False(t, seen[v.styles[name].Colour], "%s has the same colour", name)
		seen[v.styles[name].Colour] = true
		require.NotNil(t, v.styles[name].Glyph)
	}
}
