package chart

import (
	"image/color"
	"math"
	"testing"
)

// Text is legible on every colour of the sequence, and the colours grow darker all
// the way.
func TestThePaletteIsLegible(t *testing.T) {
	last := math.Inf(1)
	for i := range 101 {
		c := shade(float64(i) / 100)
		l := luminance(c)
		if l > last {
			t.Errorf("shade %d is brighter than the one before", i)
		}
		last = l
		if got := contrast(c, inkOn(c)); got < 4.5 {
			t.Errorf("contrast %.2f at %d %%, want 4.5 at least", got, i)
		}
	}
	if shade(-1) != shade(0) || shade(2) != shade(1) {
		t.Error("beyond the ends the colours are not those of the ends")
	}
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
