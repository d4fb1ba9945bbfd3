package card

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFactorsOfACardHaveNoExponent(t *testing.T) {
	require.Equal(t, "4490× (4100× to 4900×)", Average{Ratio: 4490, Low: 4100, High: 4900}.span())
	require.Equal(t, "4.49k× (4.1k× to 4.9k×)", (&Factor{Ratio: 4490, Low: 4100, High: 4900, Blocks: 6}).span())
	require.Equal(t, "140× (99× to 200×)", (&Factor{Ratio: 140, Low: 99, High: 200, Blocks: 6}).span())
	require.Equal(t, "0", Short(0))
}

func TestTheSpotOfACell(t *testing.T) {
	f := &Factor{Name: "a", Against: "b", Question: "insert with 1k pending", Ratio: 2.5, Low: 2, High: 3, Blocks: 8, Takes: "as long"}
	require.Equal(t, "2.5× (2× to 3×) as long as b at insert with 1k pending", Cell{State: CellBehind, Worst: f}.Spot())
	f.Against = "a"
	require.Empty(t, Cell{State: CellFront, Worst: f}.Spot())
	require.Empty(t, Cell{State: CellNone}.Spot())
}

// A card without room keeps the rows of the user's own contestants.
func TestRowsOfOwnContestantsStay(t *testing.T) {
	c := Card{Own: []Own{{Name: "mine", Counts: Counts{Questions: 1}}}, Worst: Table{Columns: []string{"pair"}}}
	for _, name := range []string{"heapsched", "listsched", "singlewheel", "roundswheel", "hierwheel", "fifosched", "mine", "time.AfterFunc"} {
		c.Worst.Rows = append(c.Worst.Rows, Row{Name: name, Cells: []Cell{{}}})
	}
	c.Cautions = slices.Repeat([]Caution{{What: strings.Repeat("x", Columns/2)}}, Lines)
	var b strings.Builder
	require.NoError(t, c.Write(&b, Style{}))
	require.Contains(t, b.String(), "\nmine ")
	require.NotContains(t, b.String(), "\ntime.AfterFunc ")
}

// A significant factor whose interval is rounded to 1 is over 1.
func TestTheIntervalOfASignificantFactorDoesNotReachOne(t *testing.T) {
	span := func(low Figure, answer string) string {
		return (&Factor{Ratio: 2, Low: low, High: 4.2, Blocks: 8, Answer: answer}).span()
	}
	require.Equal(t, "2× (over 1× to 4.2×)", span(1.001, "slower"))
	require.Equal(t, "2× (1.2× to 4.2×)", span(1.2, "slower"))
	require.Equal(t, "2× (1× to 4.2×)", span(1.001, "unclear"))
}

func TestTheLegendNamesWhatDoesNotDecide(t *testing.T) {
	require.NotContains(t, Table{}.Legend(), "decide")
	require.Contains(t, Table{Explain: []string{"tail"}}.Legend(), "; tail does not decide")
	require.Contains(t, Table{Explain: []string{"insert", "tail"}}.Legend(), "; insert and tail do not decide")
}

func TestTheNextIsAfterAllThatAreNamed(t *testing.T) {
	all := []Average{{Name: "a", Ratio: 1.1, Low: 1, High: 1.2}, {Name: "b", Ratio: 1.1, Low: 1, High: 1.2}, {Name: "c", Ratio: 2, Low: 2, High: 2}}
	said := func(names ...string) string { return (&Take{Names: names, Averages: all, Asked: true}).averageWords() }
	require.Contains(t, said("a", "b"), "(next after those: c, 2×)")
	require.Contains(t, said("a"), "(next: b, 1.1×")
}
