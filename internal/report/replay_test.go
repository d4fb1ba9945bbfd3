package report

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/card"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// replays adds made-up replays of some workloads: the factors say how much slower than 20 ns a contestant is.
func (g *synthetic) replays(profiles []string, factors map[string]float64) {
	for _, p := range profiles {
		for _, impl := range measured {
			if f, ok := factors[impl]; ok {
				g.replay(p, impl, 20*f)
			}
		}
	}
}

func (g *synthetic) replay(profile, impl string, ns float64) *rundata.Series {
	s := g.series(rundata.Profiles, fmt.Sprintf("profile=%s impl=%s tick=1ms", profile, impl), map[string]float64{
		rundata.NsPerOp: ns, rundata.VisitsPerOp: 1.5, rundata.SlotsPerOp: 0.5,
	})
	for unit, v := range map[string]float64{
		rundata.TotalOps: 1e6, rundata.TotalFired: 1000, rundata.TotalGranted: 9e5, rundata.TotalRefused: 3,
		rundata.WakeupsPerVirtual: 900, rundata.AnswerBits: 0xabcdef012345,
	} {
		s.Values[unit] = slices.Repeat([]float64{v}, g.rounds)
	}
	return s
}

func (g *synthetic) out(profile, impl, note string) {
	for _, s := range g.data.Select("", "profile="+profile, "impl="+impl) {
		s.Note = note
		s.Values = map[string][]float64{rundata.TotalOps: s.Values[rundata.TotalOps]}
	}
}

func (g *synthetic) onTheClock(profile, impl string, tick float64) *rundata.Series {
	s := g.jitter(impl, "tickless", tick)
	s.Experiment = rundata.Live
	s.Params = append([]rundata.Param{{Key: "profile", Value: profile}}, s.Params...)
	s.Params = append(s.Params, rundata.Param{Key: "tick", Value: "1ms"}, rundata.Param{Key: "scale", Value: "0.05"})
	return s
}

// replayData is of three workloads with a clear lead, a tie, and some that are out.
func replayData() *rundata.Data {
	g := newSynthetic(15)
	all := map[string]float64{"heapsched": 2, "listsched": 3, "singlewheel": 1.4, "roundswheel": 1.6, "hierwheel": 1, catalog.ContainerHeap: 4, "hierwheel-again": 1,
		rundata.EmptyControl: 0.2}
	g.replays([]string{"rpc-timeout", "idle-keepalive"}, all)
	all["singlewheel"] = 1
	g.replays([]string{"heartbeat"}, all)
	g.out("rpc-timeout", "singlewheel", "cannot hold delays of 8760h0m0s with a tick of 1ms: too many slots")
	g.out("rpc-timeout", "listsched", "gave up after 2s with 100 of 1000000 operations done, at 3s; its answers to the first 90 are right")
	for _, impl := range []string{"heapsched", "hierwheel", catalog.RuntimeTimer} {
		g.onTheClock("rpc-timeout", impl, 1e6)
		g.onTheClock("heartbeat", impl, 5e6).Note = "nothing due while the clock ran"
	}
	return g.data
}

func TestTheHeatMapSaysWhoIsInFrontAndWhoIsOut(t *testing.T) {
	v := Judge(replayData(), Options{})
	f, onClock := replayChapter.figures(v)[0], clockChapter.figures(v)[0]
	require.True(t, f.Prepare())
	require.True(t, onClock.Prepare())
	virtual, live := f.Heat.Panels[0], onClock.Heat.Panels[0]
	require.Equal(t, []string{"rpc-timeout", "idle-keepalive", "heartbeat"}, f.Heat.Rows)
	require.Equal(t, []string{"heapsched", "listsched", "singlewheel", "roundswheel", "hierwheel", catalog.ContainerHeap}, virtual.Columns)
	require.Equal(t, []string{"rpc-timeout", "heartbeat"}, onClock.Heat.Rows)
	require.Equal(t, []string{"heapsched", "hierwheel", catalog.RuntimeTimer}, live.Columns)
	for _, c := range []struct {
		panel    *chart.HeatPanel
		row, col int
		text     string
		mark     chart.Mark
	}{
		{virtual, 0, 4, "", chart.Leads},
		{virtual, 0, 0, "", chart.Unmarked},
		{virtual, 0, 5, "", chart.Unmarked},
		{virtual, 0, 1, "gave up", chart.Unmarked},
		{virtual, 0, 2, "cannot hold", chart.Unmarked},
		{live, 1, 0, "nothing due", chart.Unmarked},
	} {
		got := c.panel.Cells[c.row][c.col]
		require.Equal(t, c.mark, got.Mark, "cell %d, %d", c.row, c.col)
		require.Equal(t, c.text != "", math.IsNaN(got.Value), "cell %d, %d", c.row, c.col)
		if c.text != "" {
			require.Equal(t, c.text, got.Text)
		}
	}
	tied := []chart.Mark{virtual.Cells[2][2].Mark, virtual.Cells[2][4].Mark}
	require.ElementsMatch(t, []chart.Mark{chart.LeadsUnseparated, chart.Alike}, tied, "the two in front of heartbeat")
	require.Equal(t, words.Nanos(virtual.Cells[0][4].Value), virtual.Cells[0][4].Text)
	has(t, wording(f), "tick 1ms, on the clock 0.05×", "cannot hold", "significantly ahead of all others", "Which scheduler is fastest in which workload?")
}

func TestScaledWorkloadsAreExplained(t *testing.T) {
	const note = "@0.1: a tenth of the rates and of the timers, @0.6 six tenths"
	for profile, explained := range map[string]bool{"rpc-timeout@0.1": true, "rpc-timeout": false} {
		g := newSynthetic(15)
		g.replays([]string{profile}, map[string]float64{"heapsched": 2, "hierwheel": 1, "hierwheel-again": 1, rundata.EmptyControl: 0.2})
		if lines := Judge(g.data, Options{}).Verdict(); explained {
			said(t, lines, note)
		} else {
			silent(t, lines, note)
		}
	}
}

// A percentile of few timers is not judged. Their number stands beside it.
func TestAPercentileOfFewTimersIsNotJudged(t *testing.T) {
	of := func(due int) *Report {
		g := newSynthetic(6)
		for name, late := range map[string]float64{"hierwheel": 1e6, "heapsched": 5e6} {
			s := g.onTheClock("p", name, late)
			s.Late.Reset()
			for range due {
				_ = s.Late.RecordValue(int64(late))
			}
		}
		return Judge(g.data, Options{})
	}
	few, enough := of(fewFired-1), of(fewFired)
	require.Empty(t, few.decide(few.clockMeasure()).cells)
	require.Len(t, enough.decide(enough.clockMeasure()).cells, 1)
	require.Regexp(t, ` \(99\)$`, few.heatCell(rundata.Live, rundata.P99Late, "p", "hierwheel").Text)
	require.NotContains(t, enough.heatCell(rundata.Live, rundata.P99Late, "p", "hierwheel").Text, "(")
}

func TestReplaysAreJudged(t *testing.T) {
	lines := Judge(replayData(), Options{}).Verdict()
	said(t, lines, "Replays: hierwheel leads in rpc-timeout and idle-keepalive, and the next (roundswheel, singlewheel) takes 1.",
		"; hierwheel and singlewheel are in front, within 10 % of each other, in heartbeat.")
	said(t, lines, "Lateness on the real clock, 99th percentile: ", "within 10 % of it, in rpc-timeout")
}

func TestAWrongReplayIsSaid(t *testing.T) {
	d := replayData()
	require.Contains(t, Judge(d, Options{}).Card().Checked(), "21M replayed answers were right")
	const note = "wrong: operation 7, a cancel of timer 3 at 5ms, gives too much"
	d.Select(rundata.Profiles, "impl=heapsched")[0].Note = note
	c, lines := Judge(d, Options{}).Card(), Judge(d, Options{}).Verdict()
	require.NotContains(t, c.Checked(), "those of the model")
	said(t, lines, "The answers are WRONG: heapsched (profiles rpc-timeout 1ms) gave other answers than the model in rpc-timeout.")
	silent(t, lines, "those of the model")
	require.Equal(t, []card.Wrong{{Name: "heapsched", Replays: []string{"rpc-timeout"}}}, c.Wrong)
	require.Contains(t, tablesOf(t, d), "heapsched "+note)
}

func TestReplayTables(t *testing.T) {
	has(t, tablesOf(t, replayData()),
		"Replay of rpc-timeout, with a tick of 1ms", "Replay of heartbeat", "abcdef012345", "listsched gave up after 2s with 100",
		"singlewheel cannot hold delays", "empty", "1000000", "900000", "Workloads on the real clock", "0.05×", "nothing due",
	)
}
