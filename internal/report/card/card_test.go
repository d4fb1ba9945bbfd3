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

// A card without room keeps the rows of the user's own contestants.
func TestRowsOfOwnContestantsStay(t *testing.T) {
	c := Card{Own: []Own{{Name: "mine", Counts: Counts{Cells: 1}}}, Worst: Table{Columns: []string{"pair"}}}
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
	require.Contains(t, Table{Explain: []string{"tail"}}.Legend(), "; tail does not vote")
	require.Contains(t, Table{Explain: []string{"insert", "tail"}}.Legend(), "; insert and tail do not vote")
}

func TestTheNextIsAfterAllThatAreNamed(t *testing.T) {
	all := []Average{{Name: "a", Ratio: 1.1, Low: 1, High: 1.2}, {Name: "b", Ratio: 1.1, Low: 1, High: 1.2}, {Name: "c", Ratio: 2, Low: 2, High: 2}}
	said := func(names ...string) string { return (&Take{Names: names, Averages: all, Asked: true}).averageWords() }
	require.Contains(t, said("a", "b"), "(the next not in TAKE: c, 2×)")
	require.Contains(t, said("a"), "(next: b, 1.1×")
}

func TestWhatWasMeasuredBesideSlowTasksIsSaidIfItIsNotTheChoice(t *testing.T) {
	said := func(choice string) string {
		slow := &Factor{Name: "hierwheel", Against: "time.AfterFunc", Cell: "where slow tasks sleep", Ratio: 6, Low: 2, High: 9, Blocks: 8}
		return (&Card{Take: Take{Names: []string{choice}}, Slow: slow}).unlessWords()
	}
	require.Contains(t, said("hierwheel"), "inline, hierwheel is 6× (2× to 9×) as late at 99 % as time.AfterFunc where slow tasks sleep")
	require.Contains(t, said("heapsched"), "inline, a driver is 6× (2× to 9×) as late at 99 % as time.AfterFunc where slow tasks sleep (measured with hierwheel)")
}

func TestALossThatDoesNotDecideIsCalledThat(t *testing.T) {
	said := func(asked, explains bool) string {
		worst := &Factor{Cell: "expire with 1k pending", Ratio: 99, Explains: explains}
		return (&Take{Asked: asked, Counts: Counts{Cells: 9, Behind: 2, AtWorst: worst}}).countWords()
	}
	require.Equal(t, "clearly behind in 2 of 9 cells (at worst 99× at expire, which does not vote)", said(true, true))
	require.Equal(t, "clearly behind in 2 of 9 cells (at worst 99× at expire)", said(true, false))
	require.Equal(t, "clearly behind in 2 of 9 cells (at worst 99× at expire)", said(false, true), "nothing decides")
}
