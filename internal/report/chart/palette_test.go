package chart

import (
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Text is legible on every colour of the sequence, and the colours grow darker all
// the way.
func TestThePaletteIsLegible(t *testing.T) {
	last := math.Inf(1)
	for i := range 101 {
		c := shade(float64(i) / 100)
		require.LessOrEqual(t, luminance(c), last, "shade %d is brighter than the one before", i)
		last = luminance(c)
		require.GreaterOrEqual(t, contrast(c, inkOn(c)), 4.5, "at %d %%", i)
	}
	require.Equal(t, []color.NRGBA{shade(0), shade(1)}, []color.NRGBA{shade(-1), shade(2)}, "beyond the ends")
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
