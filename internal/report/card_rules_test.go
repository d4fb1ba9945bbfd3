package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/card"
)

// takes is what contestants take, and scatter how much blocks scatter of those that scatter more than 1 %.
type takes map[string]float64

// asks adds a cell of 24 blocks: what contestants take of a unit.
func (g *synthetic) asks(experiment, params, unit string, of takes, scatter takes) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		s := g.series(experiment, params+" impl="+name, nil)
		by := max(scatter[name], 0.01)
		for range 24 {
			s.Iterations = append(s.Iterations, 1000)
			s.Values[unit] = append(s.Values[unit], 100*of[name]*math.Exp(by*g.rng.NormFloat64()))
		}
	}
}

// programs makes up replays in which all take the same multiples.
func (g *synthetic) programs(n int, of, scatter takes) *synthetic {
	for i := range n {
		g.asks(rundata.Profiles, fmt.Sprintf("profile=p%d tick=1ms", i), rundata.NsPerOp, of, scatter)
	}
	return g
}

func paragraph(c card.Card, label string) string {
	for _, p := range c.Answers() {
		if p.Label == label {
			return p.Text
		}
	}
	return ""
}

// cardOf makes a card, and checks that it has room.
func cardOf(t *testing.T, g *synthetic) card.Card {
	t.Helper()
	c := Judge(g.data, Options{}).Card()
	cardText(t, c)
	return c
}

// Scatter does not make an average better: ratios count at face value, whether they are significant or not.
func TestNoiseIsNotRewarded(t *testing.T) {
	g := newSynthetic(0).programs(8, takes{catalog.Hier: 1, catalog.Heap: 1.2, catalog.Rounds: 1.4}, takes{catalog.Rounds: 0.5})
	g.asks(rundata.Profiles, "profile=far tick=1ms", rundata.NsPerOp, takes{catalog.Hier: 200, catalog.Heap: 1, catalog.Rounds: 1.2}, nil)
	c := cardOf(t, g)
	require.Equal(t, []card.Left{{Name: catalog.Hier, Why: "200× as long as heapsched at replays in far"}}, c.Take.Out)
	require.Equal(t, catalog.Heap, c.Take.Names[0])
	require.Equal(t, catalog.Heap, c.Take.Averages[0].Name)
	require.InDelta(t, 1.17, float64(c.Take.Averages[1].Ratio), 0.15)
	require.Contains(t, paragraph(c, "TAKE"), "not hierwheel: 200× as long as heapsched at replays in far")
}

// A loss of 20 times or more excludes, and if each contestant has one, none. Then the line says so.
func TestALargeLossIsNotAveragedAway(t *testing.T) {
	g := newSynthetic(0).programs(20, takes{catalog.Hier: 1, catalog.Heap: 2}, nil)
	g.asks(rundata.Profiles, "profile=far tick=1ms", rundata.NsPerOp, takes{catalog.Hier: 30, catalog.Heap: 1}, nil)
	c := cardOf(t, g)
	require.Equal(t, []any{card.TakeOne, []string{catalog.Heap}}, []any{c.Take.Kind, c.Take.Names})
	require.Contains(t, paragraph(c, "TAKE"), "not hierwheel: 30× as long as heapsched at replays in far")

	g.asks(rundata.Profiles, "profile=further tick=1ms", rundata.NsPerOp, takes{catalog.Hier: 1, catalog.Heap: 300}, nil)
	c = cardOf(t, g)
	require.Empty(t, c.Take.Out)
	require.Equal(t, []string{catalog.Hier}, c.Take.Names)
	require.Contains(t, paragraph(c, "TAKE"), "hierwheel; but 30× as long as heapsched at replays in far (every contestant has such a fault)")

	near := newSynthetic(0).programs(20, takes{catalog.Hier: 1, catalog.Heap: 2}, nil)
	near.asks(rundata.Profiles, "profile=far tick=1ms", rundata.NsPerOp, takes{catalog.Hier: 19, catalog.Heap: 1}, nil)
	require.Equal(t, []string{catalog.Hier}, cardOf(t, near).Take.Names)
	unclear := newSynthetic(0).programs(20, takes{catalog.Hier: 1, catalog.Heap: 2}, nil)
	unclear.asks(rundata.Profiles, "profile=far tick=1ms", rundata.NsPerOp, takes{catalog.Hier: 30, catalog.Heap: 1}, takes{catalog.Hier: 15})
	require.Empty(t, cardOf(t, unclear).Take.Out, "it is not significant")
}

// Contestants that averages do not separate are named, the simplest first, as equally good or as unclear.
func TestWhatAveragesDoNotSeparateIsNamed(t *testing.T) {
	made := func(heap, scatter float64) card.Card {
		g := newSynthetic(0).programs(6, takes{catalog.Hier: 1, catalog.Heap: heap, catalog.Rounds: 2}, takes{catalog.Heap: scatter})
		return cardOf(t, g)
	}
	as, unclear, apart := made(1.02, 0.01), made(1.15, 1), made(1.2, 0.05)
	for _, c := range []card.Card{as, unclear} {
		require.Equal(t, []any{card.TakeSeveral, []string{catalog.Heap, catalog.Hier}}, []any{c.Take.Kind, c.Take.Names})
	}
	require.Equal(t, "heapsched, the simplest; or hierwheel: their averages are within 10 % of each other", paragraph(as, "TAKE"))
	require.Equal(t, "heapsched, the simplest; or hierwheel: it is unclear which takes less on average", paragraph(unclear, "TAKE"))
	require.Contains(t, fmt.Sprint(unclear.Open), "which is better on average")
	require.NotContains(t, fmt.Sprint(as.Open), "which is better on average")
	require.Equal(t, []any{card.TakeOne, []string{catalog.Hier}}, []any{apart.Take.Kind, apart.Take.Names})
	require.Regexp(t, `on average hierwheel takes as much as the best scheduler of each cell \(next: heapsched, 1\.2.?× \(1\.\d+× to 1\.\d+×\)\)`, paragraph(apart, "BECAUSE"))
}

// What programs ask decides, with equal weight of groups. Without that, bare operations do, and the card says so.
func TestWhatProgramsAskDecides(t *testing.T) {
	g := newSynthetic(0)
	for _, op := range []string{rundata.OpInsert, rundata.OpPair, rundata.OpReset} {
		g.asks(rundata.Cost, "op="+op+" pending=1000 delay=uniform", rundata.NsPerOp, takes{catalog.Hier: 3, catalog.Heap: 1}, nil)
	}
	bare := cardOf(t, g)
	require.Equal(t, []string{catalog.Heap}, bare.Take.Names)
	require.False(t, bare.Take.Asked)
	require.Contains(t, paragraph(bare, "BECAUSE"), "of bare operations, since nothing was measured that programs ask")
	g.programs(1, takes{catalog.Hier: 1, catalog.Heap: 1.5}, nil)
	asked := cardOf(t, g)
	require.Equal(t, []string{catalog.Hier}, asked.Take.Names)
	require.True(t, asked.Take.Asked)
	require.NotContains(t, paragraph(asked, "BECAUSE"), "bare operations")

	g.programs(9, takes{catalog.Hier: 1, catalog.Heap: 1.5}, nil)
	for _, n := range []int{1000, 10_000} {
		for i, hier := range []float64{2, 2, 9} {
			g.asks(rundata.Cost, fmt.Sprintf("op=live-pair goroutines=%d pending=%d", 1<<i, n), rundata.NsPerOp, takes{catalog.Hier: hier, catalog.Heap: 1}, nil)
		}
	}
	weighed := cardOf(t, g).Take
	require.Equal(t, catalog.Heap, weighed.Averages[0].Name)
	require.InDelta(t, math.Sqrt(1.5), float64(weighed.Averages[0].Ratio), 0.02, "ten replays count as one group; four goroutines on two processors do not")
	require.InDelta(t, math.Sqrt2, float64(weighed.Averages[1].Ratio), 0.02)
}

// A difference too small to notice is no ratio, of idle CPU and of lateness.
func TestUnnoticedDifferencesDoNotCount(t *testing.T) {
	made := func(heapIdle, heapLate float64) card.Take {
		g := newSynthetic(0)
		g.asks(rundata.Idle, "waking=tickless pending=100000", rundata.CPUPerSecond, takes{catalog.Hier: 1, catalog.Heap: heapIdle}, nil)
		g.asks(rundata.Jitter, "waking=tickless rate=1000", rundata.P99Late, takes{catalog.Hier: 10, catalog.Heap: heapLate}, nil)
		return cardOf(t, g).Take
	}
	same := made(9e3, 900)
	require.Equal(t, []card.Figure{1, 1}, []card.Figure{same.Averages[0].Ratio, same.Averages[1].Ratio}, "0.09 % of a core, and 89 µs")
	require.Equal(t, card.TakeSeveral, same.Kind)
	more := made(2e4, 10e3)
	require.InDelta(t, math.Sqrt(2*10), float64(more.Averages[1].Ratio), 0.1, "to what is noticed: 0.2 % to 0.1 % of a core, and 1 ms to 100 µs")
}

// Who is named instead is nowhere clearly behind in the group, and took part in all of it. TAKE does not leave it out.
func TestUnlessNamesWhoIsNowhereBehind(t *testing.T) {
	list := 5.0 // how many times as long as hierwheel it takes in programs
	made := func(listElsewhere float64) card.Card {
		g := newSynthetic(0).programs(4, takes{catalog.Hier: 1, catalog.List: list}, nil)
		g.asks(rundata.Cost, "op=insert pending=1000 delay=uniform", rundata.NsPerOp, takes{catalog.Hier: 3, catalog.List: 1}, nil)
		elsewhere := takes{catalog.Hier: 1}
		if listElsewhere > 0 {
			elsewhere[catalog.List] = listElsewhere
		} else {
			elsewhere[catalog.Heap] = 2
		}
		g.asks(rundata.Cost, "op=insert pending=100000 delay=uniform", rundata.NsPerOp, elsewhere, nil)
		return cardOf(t, g)
	}
	require.Equal(t, []string{catalog.Hier}, made(1.01).Take.Names)
	require.Contains(t, paragraph(made(1.01), "UNLESS"), "timers are mostly started: take listsched; hierwheel takes 3×")
	require.Empty(t, paragraph(made(1.5), "UNLESS"), "it is behind there by less than it is ahead here, and yet behind")
	require.Empty(t, paragraph(made(0), "UNLESS"), "it was not measured there")
	list = 30
	require.Contains(t, paragraph(made(1.01), "TAKE"), "not listsched")
	require.Empty(t, paragraph(made(1.01), "UNLESS"), "TAKE leaves it out")
}

// needs makes up what AfterFunc and Stop take of CPU time, in ns: of time.AfterFunc as a multiple of hierwheel's 100.
func needs(of map[string]takes) *synthetic {
	g := newSynthetic(0).programs(2, takes{catalog.Hier: 1, catalog.Heap: 3}, nil)
	for _, params := range slices.Sorted(maps.Keys(of)) {
		g.asks(rundata.Cost, "op=live-pair "+params, rundata.CPUPerOp, of[params], takes{catalog.RuntimeTimer: 0.02})
		for _, s := range g.data.Series {
			if s.Get("op") == rundata.OpLivePair {
				s.Values[rundata.NsPerOp] = slices.Repeat([]float64{200}, 24)
			}
		}
	}
	return g
}

// The first line says from how many starts and stops on a scheduler saves something, by one
// goroutine and by as many as processors, with the pending count nearest to 100k.
func TestTheFirstLineSaysWhetherASchedulerIsNeeded(t *testing.T) {
	dear, cheap := takes{catalog.Hier: 1, catalog.RuntimeTimer: 3}, takes{catalog.Hier: 2, catalog.RuntimeTimer: 1.4}
	c := cardOf(t, needs(map[string]takes{"goroutines=1 pending=1000": cheap, "goroutines=1 pending=50000": dear, "goroutines=2 pending=50000": cheap, "goroutines=4 pending=50000": dear}))
	require.Equal(t, []string{catalog.Hier}, c.Take.Names)
	require.Len(t, c.Needed, 2)
	lines := strings.Split(paragraph(c, "NEEDED?"), "\n")
	require.Regexp(t, `^one goroutine, 50k pending: from about 5k timers/s \(started and stopped\) hierwheel saves 0\.1 % of a core over time\.AfterFunc; at 100k/s 2 % \((1\.9\d|2) % to (2|2\.1) %\)$`, lines[0])
	require.Regexp(t, `^2 goroutines, 50k pending: no: at 100k timers/s \(started and stopped\) time\.AfterFunc costs 0\.\d+ % of a core less than hierwheel \(0\.\d+ % to 0\.\d+ %\)$`, lines[1])
	require.Equal(t, []any{"slower", true, 50_000, 24}, []any{c.Needed[0].Answer, c.Needed[0].CPU, c.Needed[0].Pending, c.Needed[0].Blocks})
	require.InDelta(t, 200, float64(c.Needed[0].More), 5)
	require.InDelta(t, 5000, float64(c.Needed[0].Rate), 150)
	require.Equal(t, "NEEDED?", c.Answers()[0].Label, "it is the first line")

	g := needs(map[string]takes{"goroutines=1 pending=100000": {catalog.Hier: 1, catalog.RuntimeTimer: 1.001}})
	require.Regexp(t, `^one goroutine, 100k pending: unclear; at 100k timers/s hierwheel takes between 0\.\d+ % of a core more than time\.AfterFunc and 0\.\d+ % less$`,
		paragraph(cardOf(t, g), "NEEDED?"))

	for i, s := range g.data.Select(rundata.Cost) {
		for j := range s.Values[rundata.CPUPerOp] {
			s.Values[rundata.CPUPerOp][j] *= 50 * (1 + 4*float64((i+j)%2))
		}
	}
	require.Regexp(t, `^one goroutine, 100k pending: unclear whether time\.AfterFunc costs more than hierwheel: \d+ blocks are too few$`,
		paragraph(cardOf(t, g), "NEEDED?"), "a fifth of a core says nothing")

	g = needs(map[string]takes{"goroutines=1 pending=100000": dear})
	for _, s := range g.data.Select(rundata.Cost) {
		s.Values[rundata.NsPerOp], s.Values[rundata.CPUPerOp] = s.Values[rundata.CPUPerOp], nil
	}
	require.Contains(t, paragraph(cardOf(t, g), "NEEDED?"), "0.1 % of the caller's time over time.AfterFunc", "CPU time was not measured")

	g = newSynthetic(0).programs(2, takes{catalog.Hier: 1, catalog.Heap: 3}, nil)
	require.Empty(t, paragraph(cardOf(t, g), "NEEDED?"), "time.AfterFunc was not measured")
}

func TestNoNeedForASchedulerNeedsEvidence(t *testing.T) {
	made := func(runtime, scatter float64) card.Card {
		g := newSynthetic(0).programs(3, takes{catalog.Hier: 1, catalog.Heap: 1.5}, nil)
		for _, n := range []int{1000, 100_000} {
			g.asks(rundata.Cost, fmt.Sprintf("op=live-pair goroutines=1 pending=%d", n), rundata.NsPerOp,
				takes{catalog.Hier: 1, catalog.Heap: 1, catalog.RuntimeTimer: runtime}, takes{catalog.RuntimeTimer: scatter})
		}
		return cardOf(t, g)
	}
	enough := made(1, 0.01)
	require.Equal(t, []any{card.TakeGo, []string{catalog.RuntimeTimer}}, []any{enough.Take.Kind, enough.Take.Names})
	require.Equal(t, "time.AfterFunc, you need no other: on average it takes at most 10 % more than any scheduler, and nowhere clearly more", paragraph(enough, "TAKE"))
	require.Equal(t, card.TakeGo, made(0.5, 0.01).Take.Kind)
	require.Equal(t, []string{catalog.Hier}, made(1, 0.8).Take.Names, "nothing is clear of it")
	require.Equal(t, []string{catalog.Hier}, made(2, 0.01).Take.Names)
}

// A driver that runs tasks inline is a trap where tasks are slow, if it is clearly later.
func TestSlowTasksAreATrap(t *testing.T) {
	made := func(inline, scatter float64) card.Card {
		g := newSynthetic(0).programs(2, takes{catalog.Hier: 1, catalog.Heap: 2}, nil)
		g.asks(rundata.Slow, "running=inline task=sleep rate=1000", rundata.P99Late, takes{catalog.Hier: 1e4 * inline}, takes{catalog.Hier: scatter})
		g.asks(rundata.Slow, "running=runtime task=sleep rate=1000", rundata.P99Late, takes{catalog.RuntimeTimer: 1e4}, nil)
		return cardOf(t, g)
	}
	require.Regexp(t, `^tasks are slow: use goroutines or a pool \(driver\.WithRunning\); inline, hierwheel is 8\.3× \(8\.\d× to 8\.\d×\) as late at 99 % as time\.AfterFunc where slow tasks sleep$`,
		paragraph(made(8.3, 0.01), "UNLESS"))
	require.Nil(t, made(8.3, 4).Slow, "it is not significant")
	require.Nil(t, made(1.02, 0.01).Slow)
}

func TestTheGeometryIsSaid(t *testing.T) {
	g := newSynthetic(0).programs(2, takes{catalog.Hier: 1, catalog.Single: 2, catalog.Heap: 2}, nil)
	without := cardText(t, cardOf(t, g))
	has(t, without, "TAKE          hierwheel\n")
	lacks(t, without, "MEASURED")
	g.data.Env["geometry-hierwheel"] = "tick 1ms, 4 levels of 256 slots, horizon 1h2m"
	g.data.Env["geometry-singlewheel"] = "tick 1ms, 4194304 slots, horizon 1h10m"
	has(t, cardText(t, cardOf(t, g)), "TAKE          hierwheel\n", "MEASURED      singlewheel: tick 1ms, 4194304 slots, horizon 1h10m; hierwheel: tick 1ms, 4 levels of")
}

// The map leaves out a scheduler that is far behind there. TAKE leaves out one that gave up on a workload.
func TestGivingUpOnTheMapExcludesNobodyFromTake(t *testing.T) {
	for experiment, excluded := range map[string]bool{rundata.Map: false, rundata.Profiles: true} {
		g := newSynthetic(0).programs(8, takes{catalog.Hier: 1.2, catalog.Heap: 1.2, catalog.Rounds: 1}, nil)
		s := g.series(experiment, "impl="+catalog.Rounds+" profile=far tick=1ms", nil)
		s.Note = rundata.GaveUp + ": a timer took more than 20µs in half of its epochs"
		take := paragraph(cardOf(t, g), "TAKE")
		require.Equal(t, excluded, strings.Contains(take, "exceeded the time limit"), take)
		require.Equal(t, !excluded, strings.HasPrefix(take, catalog.Rounds), take)
	}
}
