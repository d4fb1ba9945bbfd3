package report

import (
	"strings"
	"testing"
	"time"

	"schedbench/harness"
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

func TestVerdictOfFullData(t *testing.T) {
	lines := Verdict(fullData(), Options{Requirement: Requirement{P99: 10 * time.Millisecond, CPUShare: 0.01}}).Lines
	said(t, lines, "Pair: singlewheel leads at 10 to 1M pending", "as fast as the next")
	said(t, lines, "listsched loses to time.AfterFunc beyond 100 pending", "insert, pair, reset")
	said(t, lines, "Times as fast as time.AfterFunc with 1M pending: insert singlewheel 7.", "pair singlewheel 7.")
	said(t, lines, "Timers started and stopped by 8 goroutines at once: hierwheel, sharded leads with 1k pending", "as fast as time.AfterFunc")
	said(t, lines, "When one task in every 100 ms takes 10 ms", "hierwheel inline by 9.", "time.AfterFunc by 1.0")
	said(t, lines, "When 100k timers are due at once, the last has run after 10.", "with heapsched and 30.", "with time.AfterFunc; the CPU time of each is ")
	said(t, lines, "Sleeping precisely, hierwheel is late by ", "µs (99 %: 13", "on the runtime's timers by 5", "of a core")
	said(t, lines, "When 100k timers run out within two seconds, each takes CPU time of", "with heapsched and 30", "with time.AfterFunc")
	said(t, lines, "After half a second's stop of the process", "timers came due, these had run: with heapsched in 10")
	said(t, lines, "Measured against itself, hierwheel differs by up to")
	said(t, lines, "fired once and not early")
	said(t, lines, "While nothing is due, hierwheel takes of one core, beyond an idle process: 1.2", "told from noise without ticks")
	if len(lines) > 19 {
		t.Errorf("%d lines are too many to read", len(lines))
	}
}

// Nobody leads by less than a contestant differs from itself, or by less than
// the interval.
func TestEqualsAreNotSeparated(t *testing.T) {
	g := newSynthetic(15)
	g.costs([]string{"pair"}, []string{"uniform"}, []int{100, 1000}, harness.EmptyControl, "roundswheel", "hierwheel")
	said(t, Verdict(g.data, Options{}).Lines, "Pair: hierwheel and roundswheel in front and not separated at 100 and 1k pending")
}

func TestLeadWithinNoiseIsNoLead(t *testing.T) {
	g := newSynthetic(15)
	g.noise = 0.001
	g.costs([]string{"pair"}, []string{"uniform"}, []int{100}, harness.EmptyControl, "roundswheel", "hierwheel")
	said(t, Verdict(g.data, Options{}).Lines, "hierwheel leads at 100 pending")
	again := *g.data.Series[2]
	again.Params = []harness.Param{{Key: "op", Value: "pair"}, {Key: "impl", Value: "hierwheel-again"},
		{Key: "pending", Value: "100"}, {Key: "delay", Value: "uniform"}}
	again.Values = map[string][]float64{}
	for _, ns := range g.data.Series[2].Values[harness.NsPerOp] {
		again.Values[harness.NsPerOp] = append(again.Values[harness.NsPerOp], ns*1.2)
	}
	g.data.Series = append(g.data.Series, &again)
	said(t, Verdict(g.data, Options{}).Lines, "not separated at 100 pending")
}

func TestTooFewRoundsAreSaid(t *testing.T) {
	g := newSynthetic(5)
	g.costs([]string{"pair"}, []string{"uniform"}, []int{10, 100, 1000}, harness.EmptyControl, "heapsched", "hierwheel")
	lines := Verdict(g.data, Options{}).Lines
	said(t, lines, "5 rounds are too few to separate anybody at 3 sizes; it takes 7")
	said(t, lines, "not separated")
}

func TestWrongAnswersAreSaid(t *testing.T) {
	g := newSynthetic(6)
	g.jitters("hierwheel")
	g.data.Series[1].Values[harness.Lost][2] = 3
	g.data.Series[1].Values[harness.Early][0] = 1
	said(t, Verdict(g.data, Options{}).Lines, "WRONG", "1 were early", "3 were lost", "hierwheel (1ms)")
	g.slows("hierwheel")
	g.data.Series[len(g.data.Series)-1].Values[harness.Doubled][1] = 2
	said(t, Verdict(g.data, Options{}).Lines, "WRONG", "2 doubled", "time.AfterFunc (slow runtime busy 1000)")
}

func TestIncompleteRunIsSaid(t *testing.T) {
	d := fullData()
	d.Complete = false
	said(t, Verdict(d, Options{}).Lines, "not complete")
}
