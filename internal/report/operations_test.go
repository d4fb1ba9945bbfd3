package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

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
