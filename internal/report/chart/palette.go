package chart

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// near is how far apart two colours may be, in steps of 256 in each of red, green and blue together, to share one of a
// palette. That is too little to see at the edge of a letter or a line, where most colours of a chart are.
const near = 12

// withPalette returns the image with at most 256 colours, which takes a third of the size as PNG: the most frequent ones
// that are not near each other. An image with more of these is returned as it is.
func withPalette(from *image.RGBA) image.Image {
	counts := map[color.RGBA]int{}
	each(from, func(_, _ int, c color.RGBA) { counts[c]++ })
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), slices.Compare([]uint8{a.R, a.G, a.B, a.A}, []uint8{b.R, b.G, b.B, b.A}))
	})
	var palette color.Palette
	entry := make(map[color.RGBA]uint8, len(counts))
	for _, c := range frequent {
		i := nearest(palette, c)
		if i < 0 || distance(palette[i].(color.RGBA), c) > near*near {
			if i = len(palette); i == 256 {
				return from
			}
			palette = append(palette, c)
		}
		entry[c] = uint8(i)
	}
	to := image.NewPaletted(from.Bounds(), palette)
	each(from, func(x, y int, c color.RGBA) { to.SetColorIndex(x, y, entry[c]) })
	return to
}

func each(of *image.RGBA, do func(x, y int, c color.RGBA)) {
	for y := of.Rect.Min.Y; y < of.Rect.Max.Y; y++ {
		for x := of.Rect.Min.X; x < of.Rect.Max.X; x++ {
			do(x, y, of.RGBAAt(x, y))
		}
	}
}

// nearest returns the index of the nearest colour, -1 if there is none.
func nearest(palette color.Palette, c color.RGBA) int {
	best, least := -1, 0
	for i, p := range palette {
		if d := distance(p.(color.RGBA), c); best < 0 || d < least {
			best, least = i, d
		}
	}
	return best
}

// distance returns the square of the distance of two colours.
func distance(a, b color.RGBA) int {
	red, green, blue, alpha := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B), int(a.A)-int(b.A)
	return red*red + green*green + blue*blue + alpha*alpha
}
