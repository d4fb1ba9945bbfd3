package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/font"

	"schedbench/internal/words"
)

// The fonts of all text must be there: a missing one is replaced in silence.
func TestFonts(t *testing.T) {
	for _, bold := range []bool{false, true} {
		require.True(t, font.DefaultCache.Has(sans(9, bold)), "bold: %v", bold)
	}
}

func TestAxisNeverFails(t *testing.T) {
	values := [][]float64{
		nil, {0}, {-1}, {1}, {5, 5}, {math.NaN()}, {math.Inf(1), math.Inf(-1)}, {0, 1e-300, 1e300},
		{math.SmallestNonzeroFloat64, math.MaxFloat64}, {1, 1.0001}, {-3, 4}, {0, 10, 1000},
	}
	for _, vs := range values {
		for _, a := range []Axis{
			{Format: words.Count}, {Format: words.Count, Log: true}, {Format: words.Count, Log: true, WithZero: true},
			{Format: words.Count, WithZero: true}, {Format: words.Count, Log: true, WithZero: true, At: vs},
		} {
			a.fit(vs)
			require.Less(t, a.lo, a.hi, "%v", vs)
			require.LessOrEqual(t, len(a.Ticks(0, 0)), 200, "marks of %v", vs)
		}
	}
}

// Where there is nothing but zeros, a logarithmic axis shows a whole decade above
// them, since marks between 0.8 and 1.4 would look as if something had been counted.
func TestZerosStandBelowADecade(t *testing.T) {
	a := Axis{Format: words.Count, Log: true, WithZero: true}
	a.fit([]float64{0, 0})
	var labels []string
	for _, tick := range a.Ticks(0, 0) {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	require.Equal(t, []string{"0", "1", "2", "5", "10"}, labels)
}

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
