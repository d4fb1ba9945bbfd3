package card

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
