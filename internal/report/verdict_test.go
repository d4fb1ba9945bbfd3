package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/tune"
)

// said fails unless some line of the verdict has all the words.
func said(t *testing.T, lines []string, words ...string) {
	t.Helper()
	require.True(t, slices.ContainsFunc(lines, func(l string) bool { return hasAll(l, words) }), "nothing says %q in:\n%s", words, strings.Join(lines, "\n"))
}

func hasAll(line string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) })
}

// unclearAt returns among whom it is unclear who leads at a cell of a measure, the first of them in front.
func unclearAt(t *testing.T, d *rundata.Data, name, cell string) []string {
	t.Helper()
	v := Judge(d, Options{})
	i := slices.IndexFunc(v.measures, func(of measure) bool { return of.name == name })
	require.GreaterOrEqual(t, i, 0, "no measure %s", name)
	p := v.measures[i].at(cell)
	if open := p.Others(judge.Unclear); len(open) > 0 {
		return append([]string{p.First().Name}, namesOf(open)...)
	}
	return nil
}

func TestVerdictOfFullData(t *testing.T) {
	lines := Judge(fullData(), Options{Requirement: tune.Requirements{Lateness: 10 * time.Millisecond, CPU: 0.01}}).Verdict()
	said(t, lines, "Pair: singlewheel leads with 100 to 1M pending, and the next (", "× as long; listsched and singlewheel are in front, within 10 % of each other, with 10 pending")
	said(t, lines, "listsched loses to container-heap: it takes 42", "as long at ", ", and significantly more in ", " other comparisons.")
	said(t, lines, "Reset: singlewheel leads with ", "1M pending, and the next (", "hierwheel")
	said(t, lines, "Reset by 2 goroutines: ")
	said(t, lines, "AfterFunc and Stop by 8 goroutines at once: hierwheel, sharded leads with 1k and 100k pending, and the next (time.AfterFunc) takes 3")
	said(t, lines, "A burst, until the last has run: heapsched leads with 100k timers, and the next (listsched) takes 1.")
	said(t, lines, "Running out, CPU time: heapsched leads with 100k timers")
	said(t, lines, " cells one contestant was measured twice. The two measurements differ significantly in ")
	said(t, lines, "comparisons with the best of a cell, ", "unclear; 13 were not measured")
	said(t, lines, "Lateness beside slow tasks, 99th percentile: ", "hierwheel, pool-4", "where slow tasks sleep")
	said(t, lines, "hierwheel, inline loses to time.AfterFunc: it takes 9", "as long at lateness beside slow tasks")
	said(t, lines, "Median lateness by way of waiting: ", "hierwheel, precise", "with 0 and 100k others pending")
	said(t, lines, "Lateness without ticks, 99th percentile: ", "with delays of 1 to 100 ms")
	said(t, lines, "Memory of a timer, bare schedulers: heapsched leads")
	said(t, lines, "A garbage collection, bare schedulers: ")
	silent(t, lines, "not complete")
	d := fullData()
	d.Complete = false
	said(t, Judge(d, Options{}).Verdict(), "not complete")
}

func TestWrongAnswersAreSaid(t *testing.T) {
	g := newSynthetic(6)
	g.jitters("hierwheel")
	said(t, Judge(g.data, Options{}).Verdict(), "Every one of ", "timers fired once and not early.")
	g.data.Series[1].Values[rundata.Lost][2] = 3
	g.data.Series[1].Values[rundata.Early][0] = 1
	lines := Judge(g.data, Options{}).Verdict()
	said(t, lines, "The answers are WRONG: hierwheel (jitter 1ms ", ") lost 3 timers and fired 1 timer early.")
	silent(t, lines, "fired once")
}

// What is unclear has a table: among whom, and how many more blocks would settle it.
func TestWhatIsUnclearHasATable(t *testing.T) {
	g := newSynthetic(3)
	g.noise = 0.4
	g.costs([]string{"pair"}, []string{"uniform"}, []int{1000}, rundata.EmptyControl, "heapsched", "singlewheel", "roundswheel", "hierwheel", catalog.ContainerHeap)
	silent(t, Judge(g.data, Options{}).Verdict(), "Pair: ")
	_, table, _ := strings.Cut(tablesOf(t, g.data), "Where the leader is unclear\n")
	require.Regexp(t, `pair +1k +\w+ and \d others +3 +\d+`, table)
}

// A structure's own slots are much for a thousand timers, and nothing to notice.
func TestMemoryTooLittleToNoticeIsTheSame(t *testing.T) {
	for pending, says := range map[int]string{
		1000:    "heapsched and singlewheel differ by too little to notice, with 1k pending; differences under 1 MB",
		100_000: "heapsched leads with 100k pending, and the next (singlewheel) takes 30",
	} {
		g := newSynthetic(6)
		g.series(rundata.Memory, fmt.Sprintf("impl=heapsched pending=%d", pending), map[string]float64{rundata.ChurnedPerTimer: 20})
		g.series(rundata.Memory, fmt.Sprintf("impl=singlewheel pending=%d", pending), map[string]float64{rundata.ChurnedPerTimer: 600})
		said(t, Judge(g.data, Options{}).Verdict(), "Memory of a timer, bare schedulers: ", says)
	}
}

// given adds a series of blocks of one round each, as they are.
func (g *synthetic) given(experiment, params, unit string, figures ...float64) *rundata.Series {
	g.rounds = len(figures)
	s := g.series(experiment, params, map[string]float64{unit: 1})
	s.Values[unit] = figures
	return s
}

func (g *synthetic) inserted(pending int, blocks map[string][]float64) {
	for _, name := range measured {
		if ns, ok := blocks[name]; ok {
			g.given(rundata.Cost, fmt.Sprintf("op=insert impl=%s pending=%d", name, pending), rundata.NsPerOp, ns...)
		}
	}
}

// scaled are figures so many times as great.
func scaled(by float64, figures ...float64) []float64 {
	return lists.Each(figures, func(f float64) float64 { return by * f })
}

// silent fails if some line of the verdict has all the words.
func silent(t *testing.T, lines []string, words ...string) {
	t.Helper()
	i := slices.IndexFunc(lines, func(l string) bool { return hasAll(l, words) })
	require.Negative(t, i, "%q is said in:\n%s", words, strings.Join(lines, "\n"))
}

// heap are insertions in six blocks.
var heap = []float64{196, 201, 199, 204, 188, 195}

// A wide interval puts none in front: one that is surely 1.19 times as slow is not named, nor one that may be 1.53 times.
func TestAWideIntervalIsNoLead(t *testing.T) {
	g := newSynthetic(6)
	for name, ns := range map[string][]float64{
		"hierwheel": scaled(20, 1, 1.01, 0.99, 1, 1.02, 0.98), "heapsched": scaled(23.8, 1, 1.01, 0.99, 1, 1.02, 0.98),
		"singlewheel": {20, 45, 19, 50, 21, 48},
	} {
		g.given(rundata.Profiles, "profile=heartbeat impl="+name+" tick=1ms", rundata.NsPerOp, ns...)
	}
	lines := Judge(g.data, Options{}).Verdict()
	require.Equal(t, []string{catalog.Hier, catalog.Single}, unclearAt(t, g.data, "replays", "heartbeat"))
	silent(t, lines, "Replays", "in front")
	silent(t, lines, "Replays", "heapsched")
	require.Equal(t, tally{different: 1, unclear: 1}, Judge(g.data, Options{}).tally())
}

// everyMeasure are data of each experiment that compares contestants, in which one is twice as fast as another. The
// figures of a contestant measured again are so many times as great as of itself.
func everyMeasure(apart float64) *rundata.Data {
	g := newSynthetic(0)
	for name, by := range map[string]float64{catalog.Hier: 1, catalog.Hier + rundata.AASuffix: apart, catalog.Heap: 2} {
		add := func(experiment, params, unit string) {
			g.given(experiment, "impl="+name+" "+params, unit, scaled(by, heap...)...)
		}
		add(rundata.Cost, "op=insert pending=1000 delay=uniform", rundata.NsPerOp)
		add(rundata.Cost, "op=live-pair pending=1000 goroutines=1", rundata.NsPerOp)
		add(rundata.Parallel, "inbox=locked pending=1000 goroutines=8", rundata.NsPerOp)
		add(rundata.Profiles, "profile=heartbeat tick=1ms", rundata.NsPerOp)
		add(rundata.Live, "profile=heartbeat waking=tickless tick=1ms", rundata.P99Late)
		add(rundata.Burst, "waking=tickless pending=1000", rundata.DoneNs)
		add(rundata.Drain, "waking=tickless pending=1000", rundata.CPUPerTimer)
		g.tail("op=cancel during=hold pending=1000 impl="+name, 1000, 5e3*by, 0.01)
	}
	return g.data
}

var hierLeads = regexp.MustCompile(`hierwheel(, locked)? leads`)

func TestNoiseCountsInEveryMeasure(t *testing.T) {
	const asked = 8
	quiet, noisy := Judge(everyMeasure(1.01), Options{}), Judge(everyMeasure(3), Options{})
	require.Len(t, quiet.measures, asked)
	for i, measure := range quiet.measures {
		require.Regexp(t, hierLeads, quiet.measureSentence(measure))
		require.Positive(t, measure.cells[0].aa.Blocks, "%s is measured twice", measure.name)
		require.Empty(t, noisy.measureSentence(noisy.measures[i]), "a contestant that differs from itself by more says nothing of %s", measure.name)
	}
	require.Empty(t, noisy.losses())
	require.Equal(t, tally{unclear: asked}, noisy.tally())
	require.Contains(t, noisy.aaLine(), "The largest ratio of the two is 3")
}

// What is significant in one comparison is not in twelve: by chance one of so many looks like it.
func TestComparisonsAreCountedInEveryMeasure(t *testing.T) {
	params := map[string]string{
		rundata.Cost: "op=live-pair pending=%d goroutines=1", rundata.Parallel: "inbox=locked pending=%d goroutines=8", rundata.Burst: "waking=tickless pending=%d",
		rundata.Live: "profile=p%d waking=tickless tick=1ms", rundata.Profiles: "profile=p%d tick=1ms",
	}
	for experiment, form := range params {
		sentences := func(cells int) (said string) {
			g := newSynthetic(0)
			for cell := range cells {
				for name, blocks := range map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(1.2, uneven(0.13, heap)...)} {
					unit := rundata.ExperimentOf(experiment).Unit
					g.given(experiment, "impl="+name+" "+fmt.Sprintf(form, 1000*(cell+1)), unit, blocks...)
				}
			}
			v := Judge(g.data, Options{})
			require.Len(t, v.measures, 1)
			return v.measureSentence(v.measures[0])
		}
		require.Regexp(t, hierLeads, sentences(1))
		require.NotRegexp(t, hierLeads, sentences(12))
	}
}
