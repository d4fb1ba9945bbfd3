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
