package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// tablesOf returns all tables of a run.
func tablesOf(t *testing.T, d *rundata.Data) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, Judge(d, Options{}).Tables(&b))
	return b.String()
}

func TestTables(t *testing.T) {
	has(t, tablesOf(t, fullData()),
		"Cost of insert", "grows as", "n^0.9", "/ time.AfterFunc", "hierwheel-again", "Cost of pair", "bimodal delays",
		"Cost of AfterFunc and Stop in a running program, goroutines: 2", "Cost of Timer.Reset in a running program, goroutines: 2", "  CPU ", "caught up in", "stopped and continued by signals", "suspended the clock stands still", "run out on the real clock", "Ways of sleeping", "Slack: later", "500µs", "jdk-timer", "all due at once", "longest gap", "Lateness of the others", "pool-4", "through one driver", "sharded", "Steps of an operation", "Lateness after the planned deadline", "doubled",
		"beyond the idle process", "Memory of timers pending in bare schedulers", "Memory of timers pending behind a driver", "its name", "Memory of an empty scheduler", "Controls", "±",
		"Lateness with delays up to 5 ms", "kicks", "150/s", "armed late by, 50 %", "CPU of arriving", "12 %",
	)
}

type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestTablesReportsWriteErrors(t *testing.T) {
	require.ErrorIs(t, Judge(fullData(), Options{}).Tables(failing{}), errFull)
}

func TestFormatsOfSummaries(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percentile(2), "50 %"}, {percentile(10), "90 %"}, {percentile(1000), "99.9 %"}, {percentile(1e5), "99.999 %"},
		{within(judge.Summary{Median: 100, Low: 90, High: 105, N: 9}, words.Nanos), "100 ns ±10%"},
		{within(judge.Summary{}, words.Nanos), ""},
	} {
		require.Equal(t, c.want, c.got)
	}
}

// Whatever can be measured has a word and a line of explanation, and no two share a word.
func TestEveryOperationIsExplained(t *testing.T) {
	words := map[string]bool{}
	for _, o := range Operations() {
		require.NotEmpty(t, o.Word)
		require.NotEmpty(t, o.Brief, o.Word)
		require.NotEmpty(t, o.Meaning, o.Word)
		require.NotRegexp(t, `\.$|\n`, o.Meaning, "it goes on after a colon")
		require.False(t, words[o.Word], "%s is there twice", o.Word)
		words[o.Word] = true
	}
	for _, op := range append(rundata.Ops(), rundata.OpExpire, rundata.OpLiveReset) {
		require.NotEmpty(t, OperationOf(op).Meaning, op)
	}
	for _, k := range tailKinds {
		for _, op := range k.ops {
			require.NotEmpty(t, operationCalled(k.method(op)).Meaning, op)
		}
	}
	require.Equal(t, Operation{Name: "shake", Word: "shake"}, OperationOf("shake"))
	require.Equal(t, "What does shake cost, with n pending?", OperationOf("shake").title())
}

// An operation is explained with the first table that shows it, and with no other; data that
// do not have it say nothing of it.
func TestOperationsAreExplainedWhereFirstShown(t *testing.T) {
	all := tablesOf(t, fullData())
	for _, o := range costOperations {
		line := "  " + o.Line() + ".\n"
		require.Equal(t, 1, strings.Count(all, line), o.Word)
		first := strings.Index(all, "Cost of "+o.Word)
		require.GreaterOrEqual(t, first, 0, o.Word)
		next := strings.Index(all[first+1:], "\nCost of ")
		at := strings.Index(all[first:], line)
		require.True(t, next < 0 || at <= next, "%s is explained under another table", o.Word)
	}
	g := newSynthetic(6)
	g.inserted(1_000, map[string][]float64{"hierwheel": heap, "heapsched": heap})
	only := tablesOf(t, g.data)
	require.Contains(t, only, OperationOf(rundata.OpInsert).Line())
	require.NotContains(t, only, OperationOf(rundata.OpPair).Meaning)
}

// All that is said, drawn and listed of a run is in its sections too, and there once.
func TestSectionsHaveAllOfARun(t *testing.T) {
	d := fullData()
	var sentences, figures, titles []string
	for _, s := range Judge(d, Options{}).Sections() {
		titles = append(titles, s.Title)
		for _, p := range s.Parts {
			require.NotEmpty(t, p.Heading)
			sentences = append(sentences, p.Sentences...)
			for _, f := range p.Figures {
				figures = append(figures, f.Name)
			}
		}
	}
	v := Judge(d, Options{})
	var said []string
	for _, q := range v.chapters {
		said = append(said, v.sentences(q)...)
	}
	require.ElementsMatch(t, said, sentences)
	var drawn []string
	for _, f := range Judge(d, Options{}).figures() {
		drawn = append(drawn, f.Name)
	}
	require.ElementsMatch(t, drawn, figures)
	require.Equal(t, []string{
		"Which scheduler is fastest?", "How late are timers?", "What does idling cost, and which tick is worth it?", "How much memory does it take?",
		"How do presets of known systems compare?", "How far are these figures to be trusted?",
	}, titles, "in the order in which readers ask; there are no replays in these data")
	require.Equal(t, "Regret: the worst ratio of each choice to the best, by group", Judge(d, Options{}).Sections()[0].Parts[0].Heading)
}

func TestNothingHasNoSections(t *testing.T) {
	require.Empty(t, Judge(nil, Options{Requirement: Requirement{P99: 20e6}}).Sections())
	require.Empty(t, Judge(&rundata.Data{Complete: true}, Options{}).Sections())
}
