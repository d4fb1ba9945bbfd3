package words

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnitsStayWithTheirNumbers(t *testing.T) {
	require.Equal(t, []string{"stopped", "for", "500 ms;", "95 %", "intervals", "%", "of", "s"}, Split(" stopped for  500 ms; 95 % intervals % of s"))
}

func TestWordsAreJoinedAsInSentences(t *testing.T) {
	require.Equal(t, "", List(nil))
	require.Equal(t, "a", List([]string{"a"}))
	require.Equal(t, "a, b and c", List([]string{"a", "b", "c"}))
	require.Equal(t, "a, b", Few(2, []string{"a", "b"}))
	require.Equal(t, "a, b and 2 more", Few(2, []string{"a", "b", "c", "d"}))
	require.Equal(t, "1 round", Many(1, "round"))
	require.Equal(t, "1 was", Verb(1, "was", "were"))
	require.Equal(t, "0 were", Verb(0, "was", "were"))
	require.Equal(t, "1234 were", Verb(1234, "was", "were"))
	require.Equal(t, "2k rounds", Many(2000, "round"))
	require.Equal(t, "One. Two.", Sentences("One", "", "Two."))
	require.Equal(t, "Tick", Capital("tick"))
}

func TestIntervalsAreWrittenAsFarAsTheyGo(t *testing.T) {
	for want, v := range map[string][3]float64{
		"100 ns ±10%":               {100, 90, 105},
		"100 ns ±?":                 {100, 90, math.Inf(1)},
		"1.00 ns (0 ns to 3.00 ns)": {1, 0, 3},
		"0 ns":                      {0, -1, 1},
		"":                          {math.NaN(), 0, 0},
	} {
		require.Equal(t, want, Interval(v[0], v[1], v[2], Nanos))
	}
	for want, v := range map[string][3]float64{
		"under 0.002 %": {-0.00001, -0.00003, 0.00002},
		"under 0.300 %": {0.001, -0.001, 0.003},
		"3.00 % ±10%":   {0.03, 0.027, 0.032},
		"0 %":           {-0.001, -0.003, -0.0001},
		"0.100 % ±?":    {0.001, math.Inf(-1), math.Inf(1)},
	} {
		require.Equal(t, want, Beyond(v[0], v[1], v[2], Percent))
	}
}
