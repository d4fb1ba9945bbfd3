package chart

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// nearest is how far apart two colours of a palette are at least: the length of their difference in red, green and blue. A
// chart with many colours needs more. Then rare colours, at the edges of letters and lines, share an entry.
const nearest = 2

// withPalette returns the image with at most 256 colours, which takes a third of the size as PNG: the most frequent ones
// that are not near each other.
func withPalette(from *image.RGBA) *image.Paletted {
	counts := map[color.RGBA]int{}
	each(from, func(_, _ int, c color.RGBA) { counts[c]++ })
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), slices.Compare([]uint8{a.R, a.G, a.B, a.A}, []uint8{b.R, b.G, b.B, b.A}))
	})
	palette, entry := color.Palette(nil), map[color.RGBA]uint8(nil)
	for apart := nearest; palette == nil; apart += apart / 2 {
		palette, entry = paletteOf(frequent, apart)
	}
	to := image.NewPaletted(from.Bounds(), palette)
	each(from, func(x, y int, c color.RGBA) { to.SetColorIndex(x, y, entry[c]) })
	return to
}

// paletteOf returns colours that are so far apart, and the entry of each of some colours. It is nil if 256 are too few.
func paletteOf(colours []color.RGBA, apart int) (palette color.Palette, entry map[color.RGBA]uint8) {
	entry = make(map[color.RGBA]uint8, len(colours))
	for _, c := range colours {
		best, least := len(palette), apart*apart
		for i, p := range palette {
			if d := distance(p.(color.RGBA), c); d < least {
				best, least = i, d
			}
		}
		if best == 256 {
			return nil, nil
		}
		if best == len(palette) {
			palette = append(palette, c)
		}
		entry[c] = uint8(best)
	}
	return palette, entry
}

func each(of *image.RGBA, do func(x, y int, c color.RGBA)) {
	for y := of.Rect.Min.Y; y < of.Rect.Max.Y; y++ {
		for x := of.Rect.Min.X; x < of.Rect.Max.X; x++ {
			do(x, y, of.RGBAAt(x, y))
		}
	}
}

// distance returns the square of the distance of two colours.
func distance(a, b color.RGBA) int {
	red, green, blue, alpha := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B), int(a.A)-int(b.A)
	return red*red + green*green + blue*blue + alpha*alpha
}
