package chart

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
)

// coloured returns an image of 256 by 20 pixels with a rare red one.
func coloured(colour func(x, y int) color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 256, 20))
	each(img, func(x, y int, _ color.RGBA) { img.SetRGBA(x, y, colour(x, y)) })
	img.SetRGBA(3, 3, color.RGBA{255, 0, 0, 255})
	return img
}

func TestAPaletteKeepsEachColourNearly(t *testing.T) {
	grey := func(x, _ int) color.RGBA { return color.RGBA{uint8(x), uint8(x), uint8(x), 255} }
	many := func(x, y int) color.RGBA { return color.RGBA{uint8(x), uint8(13 * y), uint8(x), 255} }
	for _, c := range []struct {
		colour func(x, y int) color.RGBA
		far    int
	}{{grey, nearest}, {many, 24 * nearest}} {
		from := coloured(c.colour)
		to := withPalette(from)
		require.Equal(t, from.Bounds(), to.Bounds())
		require.LessOrEqual(t, len(to.Palette), 256)
		each(from, func(x, y int, is color.RGBA) {
			require.Less(t, distance(is, to.At(x, y).(color.RGBA)), c.far*c.far)
		})
		require.Equal(t, color.RGBA{255, 0, 0, 255}, to.At(3, 3), "a rare colour that is far from others has its own entry")
	}
	few := coloured(func(x, _ int) color.RGBA { return color.RGBA{uint8(x / 64 * 64), 0, 255, 255} })
	exact := withPalette(few)
	each(few, func(x, y int, is color.RGBA) { require.Equal(t, is, exact.At(x, y)) })
}
