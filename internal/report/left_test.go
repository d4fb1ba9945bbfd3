package report

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// cannotHold adds a series of a contender that was left out, with why.
func (g *synthetic) cannotHold(experiment, params, why string) {
	g.rounds = 1
	s := g.series(experiment, params, map[string]float64{rundata.ToHold: 1e8})
	s.Note = rundata.CannotHold + " " + why
}

// leftOut are data of cells of very many timers, in which some are left out.
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
	lines := Verdict(g.data, Options{})
	said(t, lines, "Left out: container-heap cannot hold 100M timers: that would take about 14 GB of memory, and 9 GB are available (cost and memory).")
	g.cannotHold(rundata.Idle, "impl=singlewheel waking=tickless pending=5", "5 timers: too many pending: 4")
	said(t, Verdict(g.data, Options{}), "Left out: singlewheel cannot hold 5 timers: too many pending: 4 (idle); container-heap cannot hold 100M")

	var tables strings.Builder
	require.NoError(t, Tables(&tables, g.data, Options{}))
	for _, title := range []string{"Cost of pair", "Memory of timers pending in bare schedulers"} {
		_, table, found := strings.Cut(tables.String(), title)
		require.True(t, found)
		table, _, _ = strings.Cut(table, "\n\n\n")
		require.Contains(t, table, rundata.CannotHold, title)
	}
	silent(t, Verdict(newSynthetic(6).data, Options{}), "Left out")
	sound := newSynthetic(6)
	sound.costs([]string{"pair"}, []string{"uniform"}, []int{1000}, rundata.EmptyControl, "hierwheel", "heapsched")
	silent(t, Verdict(sound.data, Options{}), "Left out")
}

// A workload is named as every other experiment is.
func TestWhoCannotHoldAWorkloadIsSaid(t *testing.T) {
	g := newSynthetic(6)
	g.cannotHold(rundata.Profiles, "profile=heartbeat impl=singlewheel tick=1ms", "delays of 1h")
	said(t, Verdict(g.data, Options{}), "Left out: singlewheel cannot hold delays of 1h (profiles).")
}

// A run of which everybody was left out has that to say, and everything else still works.
func TestARunWithoutFiguresSaysWhy(t *testing.T) {
	g := newSynthetic(1)
	for experiment, params := range map[string]string{
		rundata.Cost: "op=pair pending=100000000 delay=uniform", rundata.Memory: "pending=100000000", rundata.Idle: "waking=tickless pending=100000000",
		rundata.Parallel: "inbox=locked pending=100000000 goroutines=2", rundata.Burst: "waking=tickless pending=100000000", rundata.Drain: "waking=tickless pending=100000000",
	} {
		g.cannotHold(experiment, "impl=hierwheel "+params, "100M timers: mine: too many pending")
	}
	g.cannotHold(rundata.Cost, "op=live-pair impl=hierwheel pending=100000000 delay=uniform goroutines=1", "100M timers: mine: too many pending")
	said(t, Verdict(g.data, Options{}), "Left out: hierwheel cannot hold 100M timers: mine: too many pending (", "burst")
	_, err := Charts(g.data, t.TempDir(), Options{})
	require.NoError(t, err)
	require.NoError(t, Tables(io.Discard, g.data, Options{}))
	require.NoError(t, WriteAnswers(io.Discard, g.data, Options{}))
	require.NoError(t, WriteRegret(io.Discard, g.data, Options{}))
}

// One block at 100M decides nothing, and that is said.
func TestOneBlockOfVeryManyDecidesNothing(t *testing.T) {
	lines := Verdict(leftOut().data, Options{})
	require.Len(t, unclearAt(t, leftOut().data, Options{}, "pair", "100M"), 2)
	silent(t, lines, "leads with 1M and 100M")
}
