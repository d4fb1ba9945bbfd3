package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// controlled makes up a control that was built to be something, and what was read of it.
func controlled(params string, known float64, read ...float64) *rundata.Data {
	g := newSynthetic(0)
	g.given(rundata.Control, params, rundata.ReadNs, read...).Values[rundata.KnownNs] = slices.Repeat([]float64{known}, len(read))
	return g.data
}

func TestControlsAreJudged(t *testing.T) {
	built := controlled("what=slow-call known=50µs", 50e3, 50e3, 50e3, 50e3, 50e3, 50e3, 50e3)
	built.Series[0].Values[rundata.KnownNs] = []float64{30e3, 70e3, 50e3, 50e3, 75e3, 32e3}
	for name, c := range map[string]struct {
		data *rundata.Data
		want string
	}{
		"built to scatter":     {built, "readings of a known figure scatter: a call of 30 µs to 75 µs was read as 50 µs"},
		"right":                {controlled("what=spin known=50ns", 50, 49, 51, 50, 52, 48, 50), ""},
		"a little off":         {controlled("what=spin known=50ns", 50, 54, 54, 54, 54, 54, 54), ""},
		"off":                  {controlled("what=spin known=50ns", 50, 60, 61, 59, 60, 61, 59), "the harness misreads a known figure: a spin of 50 ns was read as 59 ns to 61 ns"},
		"off the other way":    {controlled("what=slow-call known=50µs", 50e3, 40e3, 41e3, 40e3, 41e3, 40e3, 40e3), "the harness misreads a known figure: a call of 50 µs was read as 40 µs to 41 µs"},
		"perhaps off":          {controlled("what=spin known=50ns", 50, 61, 50, 62, 52, 60, 51), ""},
		"scatters":             {controlled("what=spin known=50ns", 50, 34, 72, 50, 45, 60, 40), "readings of a known figure scatter: a spin of 50 ns was read as 34 ns to 72 ns"},
		"reads nothing":        {controlled("what=spin known=50ns", 50, 50, 51, 50, -3, 49, 50), "readings of a known figure scatter: a spin of 50 ns was read as -3 ns to 51 ns"},
		"late by more":         {controlled("what=lateness known=3ms", 3e6, 3.5e6, 3.51e6, 3.5e6), "the harness misreads a known figure: a lateness of 3 ms was read as 3.5 ms to 3.51 ms"},
		"late as it is":        {controlled("what=lateness known=3ms", 3e6, 3.01e6, 3.02e6, 3.01e6), ""},
		"burnt less":           {controlled("what=burn", 0.25e9, 0.2e9, 0.2e9, 0.2e9), "the harness misreads a known figure: CPU time of 250 ms a second was read as 200 ms"},
		"one block says least": {controlled("what=spin known=50ns", 50, 80), ""},
	} {
		t.Run(name, func(t *testing.T) {
			made := Judge(c.data, Options{}).Card()
			others := paragraph(made, "CAUTION")
			require.Empty(t, paragraph(made, "DO NOT TRUST"))
			if c.want == "" {
				require.NotContains(t, others, "known figure")
			} else {
				require.Contains(t, others, c.want)
			}
		})
	}
}

func TestTheFirstTouchOfAPageIsShown(t *testing.T) {
	without := controlled("what=spin known=50ns", 50, 49, 51, 50, 52, 48, 50)
	require.NotContains(t, tablesOf(t, without), firstTouch)
	g := newSynthetic(6)
	g.given(rundata.Control, "what="+firstTouch, rundata.NsPerOp, 11600, 3300, 2200, 3800, 11000, 2500)
	got := tablesOf(t, g.data)
	require.Regexp(t, firstTouch+` .*3\.55 µs`, got)
	require.Contains(t, got, "is the first write to a page of 4 KiB")
	require.Empty(t, Judge(g.data, Options{}).Card().Cautions)
}

// cannotHold adds a series of a contestant that was left out, with why.
func (g *synthetic) cannotHold(experiment, params, why string) {
	g.rounds = 1
	s := g.series(experiment, params, map[string]float64{rundata.ToHold: 1e8})
	s.Note = rundata.CannotHold + " " + why
}

// leftOut are data with cells of very many timers, which some contestants cannot hold.
func leftOut() *synthetic {
	g := newSynthetic(6)
	g.costs([]string{"pair"}, []string{"uniform"}, []int{1_000_000}, rundata.EmptyControl, "heapsched", "hierwheel", catalog.ContainerHeap)
	g.memories([]int{1_000_000}, "heapsched", "hierwheel", catalog.ContainerHeap)
	g.rounds = 1
	g.costs([]string{"pair"}, []string{"uniform"}, []int{100_000_000}, rundata.EmptyControl, "heapsched", "hierwheel")
	g.memories([]int{100_000_000}, "heapsched", "hierwheel")
	const much = "100M timers: that would take about 14 GB of memory, and 9 GB are available"
	g.cannotHold(rundata.Cost, "op=pair impl="+catalog.ContainerHeap+" pending=100000000 delay=uniform", much)
	g.cannotHold(rundata.Memory, "impl="+catalog.ContainerHeap+" pending=100000000", much)
	return g
}

func TestWhoIsLeftOutIsSaidWithTheReason(t *testing.T) {
	g := leftOut()
	lines := Judge(g.data, Options{}).Verdict()
	said(t, lines, "Left out: container-heap cannot hold 100M timers: that would take about 14 GB of memory, and 9 GB are available (cost and memory).")
	g.cannotHold(rundata.Idle, "impl=singlewheel waking=tickless pending=5", "5 timers: too many pending: 4")
	said(t, Judge(g.data, Options{}).Verdict(), "Left out: singlewheel cannot hold 5 timers: too many pending: 4 (idle); container-heap cannot hold 100M")

	tables := tablesOf(t, g.data)
	for _, title := range []string{"Cost of pair", "Memory of timers pending in bare schedulers"} {
		_, table, found := strings.Cut(tables, title)
		require.True(t, found)
		table, _, _ = strings.Cut(table, "\n\n\n")
		require.Contains(t, table, rundata.CannotHold, title)
	}
	workload := newSynthetic(6)
	silent(t, Judge(workload.data, Options{}).Verdict(), "Left out")
	workload.cannotHold(rundata.Profiles, "profile=heartbeat impl=singlewheel tick=1ms", "delays of 1h")
	said(t, Judge(workload.data, Options{}).Verdict(), "Left out: singlewheel cannot hold delays of 1h (profiles).")
	sound := newSynthetic(6)
	sound.costs([]string{"pair"}, []string{"uniform"}, []int{1000}, rundata.EmptyControl, "hierwheel", "heapsched")
	silent(t, Judge(sound.data, Options{}).Verdict(), "Left out")
	said(t, Judge(partial()["all are left out"], Options{}).Verdict(), "Left out: ", "hierwheel cannot hold 100M timers: mine: too many pending (", "burst")
}

func (g *synthetic) leaveOut() {
	for _, s := range [][2]string{
		{rundata.Cost, "op=pair delay=uniform"}, {rundata.Cost, "op=live-pair delay=uniform goroutines=1"}, {rundata.Memory, ""},
		{rundata.Idle, "waking=tickless"}, {rundata.Parallel, "inbox=locked goroutines=2"},
		{rundata.Burst, "waking=tickless"}, {rundata.Drain, "waking=tickless"},
	} {
		g.cannotHold(s[0], "impl=hierwheel pending=100000000 "+s[1], "100M timers: mine: too many pending")
		g.cannotHold(s[0], "impl=heapsched pending=100000000 "+s[1], "100M timers: mine: too many pending")
	}
}

func TestOneBlockOfVeryManyDecidesNothing(t *testing.T) {
	lines := Judge(leftOut().data, Options{}).Verdict()
	require.Len(t, unclearAt(t, leftOut().data, "pair", "100M"), 2)
	silent(t, lines, "leads with 1M and 100M")
}

// withAA is the full data with a second measurement of one contestant wherever it was measured.
func withAA() *rundata.Data {
	d := fullData()
	for _, s := range d.Select("", "impl=hierwheel") {
		aa := with(s, "impl", "hierwheel"+rundata.AASuffix)
		if !slices.ContainsFunc(d.Series, func(have *rundata.Series) bool { return have.Name() == aa.Name() }) {
			d.Series = append(d.Series, aa)
		}
	}
	return d
}

func TestSecondMeasurementsAreNoContestants(t *testing.T) {
	d := withAA()
	v := Judge(d, Options{})
	for _, f := range v.figures() {
		require.NotContains(t, strings.Join(wording(f), "\n"), rundata.AASuffix, "on the chart %s", f.Name)
	}
	for _, q := range v.chapters {
		for _, table := range ask(q.tables, v) {
			require.NotContains(t, strings.Join(firstCells(table), " "), rundata.AASuffix, table.Title)
		}
	}
	lacks(t, strings.Join(Judge(d, Options{}).Verdict(), "\n"), rundata.AASuffix)
}
