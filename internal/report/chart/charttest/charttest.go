// Package charttest reads, for tests, what charts draw.
package charttest

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Texts returns all that is written where something is painted on a canvas of a size, with where it is.
func Texts(paint func(draw.Canvas), width, height vg.Length) (texts []string, at map[string]vg.Point) {
	at = map[string]vg.Point{}
	for _, a := range actions(paint, width, height) {
		if s, ok := a.(*recorder.FillString); ok {
			texts, at[s.String] = append(texts, s.String), s.Point
		}
	}
	return texts, at
}

// Fills returns how many shapes are filled with each colour.
func Fills(paint func(draw.Canvas), width, height vg.Length) map[color.Color]int {
	filled, now := map[color.Color]int{}, color.Color(nil)
	for _, a := range actions(paint, width, height) {
		switch a := a.(type) {
		case *recorder.SetColor:
			now = a.Color
		case *recorder.Fill:
			filled[now]++
		}
	}
	return filled
}

func actions(paint func(draw.Canvas), width, height vg.Length) []recorder.Action {
	var c recorder.Canvas
	paint(draw.NewCanvas(&c, width, height))
	return c.Actions
}
