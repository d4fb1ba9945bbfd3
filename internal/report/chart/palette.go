package chart

import (
	"image/color"
	"math"
)

// sequence is a palette for amounts, from little to much: one that grows darker
// all the way: it can be read without seeing hues, and in print. It
// goes through the yellow, green and blue of Brewer's YlGnBu.
var sequence = []color.NRGBA{
	RGB(0xFFFBE0), RGB(0xD9EFB4), RGB(0x97D6B9), RGB(0x4DB8C1), RGB(0x2391C0), RGB(0x2260A8), RGB(0x1A2F73),
}

// shade returns the colour of a share of the way through the sequence.
func shade(share float64) color.NRGBA {
	at := min(max(share, 0), 1) * float64(len(sequence)-1)
	i := min(int(at), len(sequence)-2)
	part := at - float64(i)
	blend := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*part)) }
	a, b := sequence[i], sequence[i+1]
	return color.NRGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), 255}
}

// luminance returns how bright a colour is, from 0 to 1, as contrast is reckoned.
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// inkOn returns black or white, whichever stands out more from a colour.
func inkOn(c color.NRGBA) color.NRGBA {
	l := luminance(c)
	if (l+0.05)/0.05 >= 1.05/(l+0.05) {
		return RGB(0x000000)
	}
	return RGB(0xFFFFFF)
}
