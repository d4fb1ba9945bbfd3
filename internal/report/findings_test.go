package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// given adds a series of blocks of one round each, as they are.
func (g *synthetic) given(experiment, params, unit string, figures ...float64) {
	g.rounds = len(figures)
	g.series(experiment, params, map[string]float64{unit: 1}).Values[unit] = figures
}

// inserted adds insertions of contestants.
func (g *synthetic) inserted(pending int, blocks map[string][]float64) {
	for _, name := range measured {
		if ns, ok := blocks[name]; ok {
			g.given(rundata.Cost, fmt.Sprintf("op=insert impl=%s pending=%d", name, pending), rundata.NsPerOp, ns...)
		}
	}
}

// scaled are figures so many times as great.
func scaled(by float64, figures ...float64) (list []float64) {
	for _, f := range figures {
		list = append(list, by*f)
	}
	return list
}

// silent fails if some line of the verdict has all the words.
func silent(t *testing.T, lines []string, words ...string) {
	t.Helper()
	for _, l := range lines {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(l, w) }) {
			t.Errorf("%q is said in %s", words, l)
		}
	}
}

// heap are insertions in six blocks, and list takes 8921 times as long.
var (
	heap = []float64{196, 201, 199, 204, 188, 195}
	list = scaled(8921, 196*0.97, 201/0.97, 199*1.02, 204/1.02, 188*0.99, 195/0.99)
)

func TestTheWorstLossIsSaidHoweverFewBlocksThereAre(t *testing.T) {
	g := newSynthetic(6)
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		g.inserted(n, map[string][]float64{catalog.List: scaled(float64(n)/100, 20, 22, 19, 21, 20, 20), catalog.ContainerHeap: heap, catalog.Hier: scaled(0.5, heap...)})
	}
	g.inserted(1_000_000, map[string][]float64{catalog.List: list, catalog.ContainerHeap: heap, catalog.Hier: scaled(0.5, heap...)})
	lines := Verdict(g.data, Options{})
	said(t, lines, "listsched loses to container-heap: it takes 8921× (", "as long at insert with 1M pending, and significantly more in 2 other comparisons.")
}

// What a contestant costs at worst is the largest significant factor, even if it may be more elsewhere.
func TestWhatIsUnclearHidesNoLoss(t *testing.T) {
	g := newSynthetic(6)
	g.inserted(1_000, map[string][]float64{catalog.Hier: heap, catalog.List: scaled(1.5, heap...)})
	g.inserted(1_000_000, map[string][]float64{catalog.Hier: heap, catalog.List: {200, 800, 150, 900, 210, 950}})
	require.Equal(t, []string{catalog.Hier, catalog.List}, unclearAt(t, g.data, Options{}, "insert", "1M"))
	v := newView(g.data, Options{})
	worst := v.regrets(v.topics[0], 2)[catalog.List]
	require.Equal(t, "1k", worst.place)
	require.InDelta(t, 1.5, worst.Ratio, 1e-9)
}

func TestPlainDifferencesAreSignificantInSixBlocks(t *testing.T) {
	g := newSynthetic(6)
	six := []float64{10, 10.4, 9.8, 10.1, 9.7, 10.2}
	factors := []float64{1.46, 1.70, 1.78, 1.80, 1.86, 1.93}
	var slower []float64
	for i, f := range factors {
		slower = append(slower, f*six[i])
	}
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		g.inserted(n, map[string][]float64{
			catalog.Single: six, catalog.Rounds: scaled(2.2, six...), catalog.List: scaled(15, 10, 9.5, 10.3, 9.9, 10.1, 10), catalog.Hier: slower,
		})
	}
	lines := Verdict(g.data, Options{})
	said(t, lines, "Insert: singlewheel leads with 1k to 1M pending, and the next (hierwheel) takes 1.7")
	require.Zero(t, newView(g.data, Options{}).tally().unclear)
	silent(t, lines, "are in front")
}

// A wide interval puts none in front: one who is surely 1.19 times as slow is named as
// little as one who may be 1.53 times as slow is.
func TestAWideIntervalIsNoLead(t *testing.T) {
	g := newSynthetic(6)
	for name, ns := range map[string][]float64{
		"hierwheel": scaled(20, 1, 1.01, 0.99, 1, 1.02, 0.98), "heapsched": scaled(23.8, 1, 1.01, 0.99, 1, 1.02, 0.98),
		"singlewheel": {20, 45, 19, 50, 21, 48},
	} {
		g.given(rundata.Profiles, "profile=heartbeat impl="+name+" tick=1ms", rundata.NsPerOp, ns...)
	}
	lines := Verdict(g.data, Options{})
	require.Equal(t, []string{catalog.Hier, catalog.Single}, unclearAt(t, g.data, Options{}, "replays", "heartbeat"))
	silent(t, lines, "Replays", "in front")
	silent(t, lines, "Replays", "heapsched")
	require.Equal(t, tally{different: 1, unclear: 1}, newView(g.data, Options{}).tally())
}

// everyTopic are data of each experiment that compares contestants, in which one is twice
// as fast as another. The figures of a contestant measured again are so many times as
// great as of itself.
func everyTopic(apart float64) *rundata.Data {
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
	}
	return g.data
}

var hierLeads = regexp.MustCompile(`hierwheel(, locked)? leads`)

func TestNoiseCountsInEveryTopic(t *testing.T) {
	const asked = 7
	quiet, noisy := newView(everyTopic(1.01), Options{}), newView(everyTopic(3), Options{})
	require.Len(t, quiet.topics, asked)
	for i, topic := range quiet.topics {
		require.Regexp(t, hierLeads, quiet.topicSentence(topic))
		require.Positive(t, topic.places[0].twice.Blocks, "%s is measured twice", topic.name)
		require.Empty(t, noisy.topicSentence(noisy.topics[i]), "a contestant that differs from itself by more says nothing of %s", topic.name)
	}
	for _, l := range noisy.losses() {
		t.Errorf("said all the same: %s", l)
	}
	require.Equal(t, tally{unclear: asked}, noisy.tally())
}

// What is significant at one place is not at one of a dozen: by chance one of so many looks like it.
func TestComparisonsAreCountedInEveryTopic(t *testing.T) {
	params := map[string]string{
		rundata.Cost: "op=live-pair pending=%d goroutines=1", rundata.Parallel: "inbox=locked pending=%d goroutines=8", rundata.Burst: "waking=tickless pending=%d",
		rundata.Live: "profile=p%d waking=tickless tick=1ms", rundata.Profiles: "profile=p%d tick=1ms",
	}
	for experiment, form := range params {
		sentences := func(places int) (said string) {
			g := newSynthetic(0)
			for place := range places {
				for _, name := range []string{catalog.Hier, catalog.Heap} {
					var blocks []float64
					for i, v := range heap {
						if name == catalog.Heap {
							v *= 1.2 * math.Exp(0.13*float64(1-2*(i%2))) // significant in one comparison, and not in twelve
						}
						blocks = append(blocks, v)
					}
					unit := rundata.ExperimentOf(experiment).Unit
					g.given(experiment, "impl="+name+" "+fmt.Sprintf(form, 1000*(place+1)), unit, blocks...)
				}
			}
			v := newView(g.data, Options{})
			require.Len(t, v.topics, 1)
			return v.topicSentence(v.topics[0])
		}
		require.Regexp(t, hierLeads, sentences(1))
		require.NotRegexp(t, hierLeads, sentences(12))
	}
}
