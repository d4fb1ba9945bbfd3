package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/report"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
)

func TestAPartAloneShowsARowOfPanelsAndItsWholeSentence(t *testing.T) {
	p := part{Sentences: []string{"a …"}, Further: []string{"a; b", "c"}, Drawings: []pageChart{{Panels: make([]drawing, 1), Further: make([]drawing, 6)}}}
	p.widen([]string{"a; b", "c"})
	require.Equal(t, []string{"a; b"}, p.Sentences)
	require.Equal(t, []string{"c"}, p.Further)
	require.Len(t, p.Drawings[0].Panels, rowOfPanels)
	require.Len(t, p.Drawings[0].Further, 3)
	p.widen(nil)
	require.Len(t, p.Drawings[0].Panels, rowOfPanels)
}

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
