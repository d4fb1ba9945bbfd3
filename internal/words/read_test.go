package words

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFiguresOfCells(t *testing.T) {
	for cell, want := range map[string]float64{
		"1.5× ±3%": 1.5, "(1.04×) with 1k pending": 1.04, "same: 1.03× ±2% with 1k pending": 1.03, "n^0.36": 0.36,
		"29.8 ns ±21%": 29.8, "97.2 ns (70.0 ns to 239 ns)": 97.2, "1.80 µs ±19%": 1800, "2.5 s": 2.5e9,
		"2 ms": 2e6, "2ms": 2e6, "1m30s": 90e9, "720h0m0s": 720 * 3600e9, "4d": 96 * 3600e9,
		"0.241 % ±50%": 0.00241, "-0.028 %": -0.00028, "1k": 1000, "1.5M": 1.5e6, "671": 671, "1k/s": 1000, "5.0e-07": 5e-7,
		"64.0 B ±?": 64, "under 0.003 %": 0.00003, "3.2 MB": 3.2e6, "3 of 12": 3,
	} {
		v, ok := Figure(cell)
		require.True(t, ok, cell)
		require.InEpsilon(t, want, v, 1e-9, cell)
	}
	for _, cell := range []string{"", "-", "?", "gave up", "hierwheel", "a46592d63092", "46592d63092", "46e92d63092f", "×", "  / container-heap", "tickless", "1st"} {
		_, ok := Figure(cell)
		require.False(t, ok, cell)
	}
}

// Whatever a format writes is read back, as far as it was not rounded away.
func TestFiguresAreReadBack(t *testing.T) {
	formats := map[string]Format{
		"Nanos": Nanos, "Count": Count, "PerSecond": PerSecond, "Bytes": Bytes, "Percent": Percent, "Times": Times, "Significant": Significant,
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"Nanos", "Count", "PerSecond", "Bytes", "Percent", "Times", "Significant"}).Draw(t, "format")
		v := math.Pow(10, rapid.Float64Range(-1, 11).Draw(t, "exponent"))
		cell := Interval(v, 0.9*v, 1.1*v, formats[name])
		read, ok := Figure(cell)
		require.True(t, ok, cell)
		require.InEpsilon(t, v, read, 0.01, cell)
	})
}
