package chart

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
)

// ramp returns an image with the given number of greys, each step apart, and one colour that is rare.
func ramp(greys, step int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, greys*step, 20))
	each(img, func(x, y int, _ color.RGBA) {
		shade := uint8(x / step * step)
		img.SetRGBA(x, y, color.RGBA{shade, uint8(y * 13), shade, 255})
	})
	img.SetRGBA(3, 3, color.RGBA{255, 0, 0, 255})
	return img
}

func TestAPaletteKeepsEachColourNearly(t *testing.T) {
	from := ramp(256, 1)
	each(from, func(x, y int, c color.RGBA) { from.SetRGBA(x, y, color.RGBA{c.R, c.R, c.B, 255}) })
	from.SetRGBA(3, 3, color.RGBA{255, 0, 0, 255})
	to, ok := withPalette(from).(*image.Paletted)
	require.True(t, ok)
	require.Equal(t, from.Bounds(), to.Bounds())
	require.LessOrEqual(t, len(to.Palette), 256)
	each(from, func(x, y int, c color.RGBA) {
		require.LessOrEqual(t, distance(c, to.At(x, y).(color.RGBA)), near*near)
	})
	require.Equal(t, color.RGBA{255, 0, 0, 255}, to.At(3, 3), "a rare colour has its own entry")
}

func TestAnImageOfTooManyColoursStaysAsItIs(t *testing.T) {
	from := ramp(32, 8) // 640, most of them further apart than near
	require.Same(t, from, withPalette(from))
}
