package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
)

// said fails unless some line of the verdict has all the words.
func said(t *testing.T, lines []string, words ...string) {
	t.Helper()
	for _, l := range lines {
		all := true
		for _, w := range words {
			all = all && strings.Contains(l, w)
		}
		if all {
			return
		}
	}
	t.Errorf("nothing says %q in:\n%s", words, strings.Join(lines, "\n"))
}

// unclearAt returns among whom it is unclear who leads at a place of a topic, the first of them in front.
func unclearAt(t *testing.T, d *rundata.Data, opt Options, name, place string) []string {
	t.Helper()
	v := newView(d, opt)
	i := slices.IndexFunc(v.topics, func(of topic) bool { return of.name == name })
	require.GreaterOrEqual(t, i, 0, "no topic %s", name)
	p := v.topics[i].at(place)
	if open := p.Others(judge.Unclear); len(open) > 0 {
		return append([]string{p.First().Name}, namesOf(open)...)
	}
	return nil
}

func TestVerdictOfFullData(t *testing.T) {
	lines := Verdict(fullData(), Options{Requirement: Requirement{P99: 10 * time.Millisecond, CPUShare: 0.01}})
	said(t, lines, "Pair: singlewheel leads with 100 to 1M pending, and the next (", "× as long; listsched and singlewheel are in front, within 10 % of each other, with 10 pending")
	said(t, lines, "listsched loses to container-heap: it takes 42", "as long at ", ", and significantly more in ", " other comparisons.")
	said(t, lines, "Reset: hierwheel", "with 10 pending", "100k pending")
	said(t, lines, "Reset by 2 goroutines: ")
	said(t, lines, "AfterFunc and Stop by 8 goroutines at once: hierwheel, sharded leads with 1k and 100k pending, and the next (time.AfterFunc) takes 3")
	said(t, lines, "A burst, until the last has run: heapsched leads with 100k timers, and the next (listsched) takes 1.")
	said(t, lines, "Running out, CPU time: heapsched leads with 100k timers")
	said(t, lines, "Measured twice, a contestant seems to differ from itself in ", " places")
	said(t, lines, "comparisons with the best of a cell, ", "unclear; 13 were not measured")
}

func TestEqualsAreTheSame(t *testing.T) {
	g := newSynthetic(15)
	g.costs([]string{"pair"}, []string{"uniform"}, []int{100, 1000}, rundata.EmptyControl, "roundswheel", "hierwheel")
	said(t, Verdict(g.data, Options{}), "Pair: hierwheel and roundswheel are in front, within 10 % of each other, with 100 and 1k pending")
	for _, place := range []string{"100", "1k"} {
		require.ElementsMatch(t, []string{"hierwheel", "roundswheel"}, unclearAt(t, g.data, Options{Margin: 1.001}, "pair", place))
	}
}

// A contestant that differs from itself by more than from another is unclear beside all.
func TestLeadWithinNoiseIsNoLead(t *testing.T) {
	g := newSynthetic(15)
	g.noise = 0.001
	g.costs([]string{"pair"}, []string{"uniform"}, []int{100}, rundata.EmptyControl, "heapsched", "hierwheel")
	said(t, Verdict(g.data, Options{}), "hierwheel leads with 100 pending")
	again := *g.data.Series[2]
	again.Params = []rundata.Param{{Key: "op", Value: "pair"}, {Key: "impl", Value: "hierwheel-again"},
		{Key: "pending", Value: "100"}, {Key: "delay", Value: "uniform"}}
	again.Values = map[string][]float64{}
	for _, ns := range g.data.Series[2].Values[rundata.NsPerOp] {
		again.Values[rundata.NsPerOp] = append(again.Values[rundata.NsPerOp], ns*3)
	}
	g.data.Series = append(g.data.Series, &again)
	lines := Verdict(g.data, Options{})
	require.Equal(t, []string{"hierwheel", "heapsched"}, unclearAt(t, g.data, Options{}, "pair", "100"))
	said(t, lines, "Measured twice, a contestant seems to differ from itself in 1 of 1 place", "by 3")
}

func TestOneBlockTellsNothing(t *testing.T) {
	g := newSynthetic(12)
	g.costs([]string{"pair"}, []string{"uniform"}, []int{10, 100, 1000}, rundata.EmptyControl, "heapsched", "hierwheel")
	for _, s := range g.data.Series {
		s.Block = make([]int, len(s.Iterations))
	}
	lines := Verdict(g.data, Options{})
	said(t, lines, "Pair: unclear, since one block has no interval")
	said(t, lines, "Of 3 comparisons with the best of a cell, 0 are", "3 unclear")
	for _, l := range lines {
		require.NotContains(t, l, "leads")
		require.NotContains(t, l, "loses")
	}
}

// A contestant within the margin of the first may lead as well, if that is unclear.
func TestWhoIsAsFastMayLeadToo(t *testing.T) {
	g := newSynthetic(15)
	g.noise = 0.01
	g.costs([]string{"pair"}, []string{"uniform"}, []int{1000}, rundata.EmptyControl, "roundswheel", "hierwheel")
	g.noise = 0.3
	g.costs([]string{"pair"}, []string{"uniform"}, []int{1000}, "mine")
	require.Contains(t, unclearAt(t, g.data, Options{}, "pair", "1k"), "mine")
	silent(t, Verdict(g.data, Options{}), "Pair: ")
}

func TestWrongAnswersAreSaid(t *testing.T) {
	g := newSynthetic(6)
	g.jitters("hierwheel")
	said(t, Verdict(g.data, Options{}), "Every one of ", "timers fired once and not early.")
	g.data.Series[1].Values[rundata.Lost][2] = 3
	g.data.Series[1].Values[rundata.Early][0] = 1
	lines := Verdict(g.data, Options{})
	said(t, lines, "The answers are WRONG: hierwheel (jitter 1ms ", ") lost 3 timers and fired 1 timer early.")
	silent(t, lines, "fired once")
}

func TestIncompleteRunIsSaid(t *testing.T) {
	d := fullData()
	d.Complete = false
	said(t, Verdict(d, Options{}), "not complete")
}

// What is unclear has a table: among whom, and how many more blocks would settle it.
func TestWhatIsUnclearHasATable(t *testing.T) {
	g := newSynthetic(3)
	g.noise = 0.4
	g.costs([]string{"pair"}, []string{"uniform"}, []int{1000}, rundata.EmptyControl, "heapsched", "singlewheel", "roundswheel", "hierwheel", catalog.ContainerHeap)
	silent(t, Verdict(g.data, Options{}), "Pair: ")
	var b strings.Builder
	require.NoError(t, Tables(&b, g.data, Options{}))
	_, table, _ := strings.Cut(b.String(), "Unclear who leads\n")
	require.Regexp(t, `pair +1k +\w+ and \d others +3 +\d+`, table)
}

// Every experiment whose contestants are compared has a topic, with the contestant that
// is measured twice.
func TestLiveTopicsAreJudged(t *testing.T) {
	lines := Verdict(fullData(), Options{})
	said(t, lines, "Lateness beside slow tasks, 99th percentile: ", "hierwheel, pool-4", "where slow tasks sleep")
	said(t, lines, "hierwheel, inline loses to time.AfterFunc: it takes 9", "as long at lateness beside slow tasks")
	said(t, lines, "Catching up: heapsched leads after a stop of 500ms")
	said(t, lines, "Lateness by way of sleeping, median: ", "hierwheel, precise", "with 0 and 100k others pending")
	said(t, lines, "Lateness without ticks, 99th percentile: ", "with delays of 1 to 100 ms")
	said(t, lines, "Memory of a timer, bare schedulers: heapsched leads")
	said(t, lines, "A garbage collection, bare schedulers: ")
}

// A structure's own slots are much for a thousand timers, and nothing to notice.
func TestMemoryTooLittleToNoticeIsTheSame(t *testing.T) {
	for _, c := range []struct {
		pending int
		says    string
	}{
		{1000, "heapsched and singlewheel differ by too little to notice, with 1k pending; differences under 1 MB"},
		{100_000, "heapsched leads with 100k pending, and the next (singlewheel) takes 30"},
	} {
		g := newSynthetic(6)
		g.series(rundata.Memory, fmt.Sprintf("impl=heapsched pending=%d", c.pending), map[string]float64{rundata.ChurnedPerTimer: 20})
		g.series(rundata.Memory, fmt.Sprintf("impl=singlewheel pending=%d", c.pending), map[string]float64{rundata.ChurnedPerTimer: 600})
		said(t, Verdict(g.data, Options{}), "Memory of a timer, bare schedulers: ", c.says)
	}
}
