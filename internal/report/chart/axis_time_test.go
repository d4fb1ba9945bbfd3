package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimesAreWrittenInTheUnitOfTheirSize(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1e3: "1µs", 30e6: "30ms", 600e9: "10m", 4 * 3600e9: "4h", 4 * 86400e9: "4d", 3 * 365 * 86400e9: "3y",
	} {
		require.Equal(t, want, timeUnit(v))
	}
}

func TestMarksOfTimeAreFewAndInRange(t *testing.T) {
	for _, c := range []struct{ least, greatest float64 }{{1, math.MaxInt64}, {5e8, 5e8}, {3e3, 8e6}, {1e9, 3.2e16}, {0, 0}} {
		marks := timeMarks(c.least, c.greatest, 6)
		require.LessOrEqual(t, len(marks), 6)
		for _, m := range marks {
			require.True(t, m >= c.least && m <= c.greatest)
		}
	}
	require.Equal(t, []float64{1e6, 1e8, 10e9, 600e9}, timeMarks(1e6, 3600e9, 4))
}
