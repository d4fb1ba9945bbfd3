package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/report"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
)

func TestATableAloneIsUnfoldedByOneClick(t *testing.T) {
	require.True(t, part{Tables: make([]*text.Table, 1)}.Lone())
	require.False(t, part{Tables: make([]*text.Table, 2)}.Lone())
	require.False(t, part{Tables: make([]*text.Table, 1), Further: []string{"a"}}.Lone())
}

func TestOnlyPartsWithSomethingToReadHaveColumns(t *testing.T) {
	read, folded := part{Sentences: []string{"a"}}, part{Tables: make([]*text.Table, 1)}
	require.Equal(t, 2, pageSection{Parts: []part{read, folded, {Broad: true}, read}}.Columns())
	require.Equal(t, 1, pageSection{Parts: []part{folded}}.Columns())
}

func TestTheQuestionOfAChartAloneIsTheHeading(t *testing.T) {
	f := &chart.Figure{Title: "Which is best?", Rows: [][]*chart.Panel{{{}}}}
	p := partOf(report.Part{Heading: "Best", Figures: []*chart.Figure{f}}, &classes{})
	require.Equal(t, "Which is best?", p.Heading)
	require.Empty(t, p.Drawings[0].Title)
}
