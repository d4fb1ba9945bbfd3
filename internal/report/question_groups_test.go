package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// Whatever asks whom to choose is in one group, and there are few.
func TestEveryChoiceIsInOneGroup(t *testing.T) {
	v := newView(fullData(), Options{})
	known, topics := questionGroups(), 0
	for _, g := range v.groups() {
		require.NotEmpty(t, g.meaning, "no group knows %s", g.word)
		topics += len(g.topics)
	}
	require.Len(t, v.choices(), topics)
	require.LessOrEqual(t, len(known), 10)
	seen := map[string]bool{}
	for _, g := range known {
		for _, l := range g.labels {
			require.False(t, seen[l], "%s is in two groups", l)
			seen[l] = true
		}
	}
}

// Delays of other kinds and running programs are no questions of their own; what none was
// asked is no group.
func TestGroupsTakeTopicsTogether(t *testing.T) {
	g := newSynthetic(6)
	g.costs([]string{"pair"}, []string{"uniform", "constant"}, []int{1000}, measured...)
	g.live(rundata.OpLivePair, []int{1000}, "heapsched", "hierwheel", catalog.RuntimeTimer)
	groups := newView(g.data, Options{}).groups()
	require.Len(t, groups, 1)
	require.Equal(t, "pair", groups[0].word)
	require.Len(t, groups[0].topics, 4, "two distributions, and one goroutine and two")
	require.Equal(t, 4, groups[0].places())
	require.Contains(t, groups[0].line(), "pair: cancel one, insert another")
}

// The worst of a group is the largest significant factor in any of its topics, and says in which.
func TestRegretOfAGroupIsTheWorstOfItsTopics(t *testing.T) {
	g := newSynthetic(6)
	g.inserted(1_000, map[string][]float64{catalog.Hier: heap, catalog.Heap: scaled(2, heap...)})
	for name, by := range map[string]float64{catalog.Hier: 1, catalog.Heap: 3, catalog.RuntimeTimer: 5} {
		g.series(rundata.Cost, "op=pair pending=1000 delay=uniform impl="+name, map[string]float64{rundata.NsPerOp: 100 * by})
		g.series(rundata.Cost, "op=live-pair pending=1000 goroutines=1 impl="+name, map[string]float64{rundata.NsPerOp: 100 + 100*by})
	}
	v := newView(g.data, Options{})
	groups := v.groups()
	require.Len(t, groups, 2)
	pair, insert := v.groupRegrets(groups[0]), v.groupRegrets(groups[1])
	require.Equal(t, "insert", insert[catalog.Heap].topic.name)
	require.NotContains(t, insert, catalog.RuntimeTimer)
	require.Equal(t, "pair", pair[catalog.Heap].topic.name)
	require.InDelta(t, 3, pair[catalog.Heap].Ratio, 0.1)
	require.Equal(t, "AfterFunc and Stop", pair[catalog.RuntimeTimer].topic.name, "it takes part there only")
	require.InDelta(t, 3, pair[catalog.RuntimeTimer].Ratio, 0.1)
	require.Equal(t, 1.0, pair[catalog.Hier].Ratio)
}

// The weights are said, of the questions that a run has.
func TestTheWeightsAreSaid(t *testing.T) {
	g := newSynthetic(6)
	g.programs(2, takes{catalog.Hier: 1, catalog.Heap: 2}, nil)
	g.live(rundata.OpLivePair, []int{1000}, catalog.Heap, catalog.Hier, catalog.RuntimeTimer)
	g.costs([]string{"insert"}, []string{"uniform"}, []int{1000}, measured...)
	said(t, Verdict(g.data, Options{}), "counts replay (replays) and pair (AfterFunc and Stop; AfterFunc and Stop by 2 goroutines), each with the same weight")
	bare := newSynthetic(6)
	bare.costs([]string{"insert"}, []string{"uniform"}, []int{1000}, measured...)
	silent(t, Verdict(bare.data, Options{}), "The average that decides")
}
