package chart

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// The fill of what is allowed has the corners that its sides say.
func TestWhatIsAllowedIsFilledToItsSides(t *testing.T) {
	for _, z := range []Allowed{{Top: Rule{At: 1e7}}, {Right: Rule{At: 0.1}}, {Top: Rule{At: 1e7}, Right: Rule{At: 0.1}}} {
		p := scatter(At(0.01, 1e6), At(1, 1e8))
		p.Allowed = &z
		b := canvasOf(p)
		var c recorder.Canvas
		b.c = draw.Canvas{Canvas: &c, Rectangle: b.c.Rectangle}
		b.allowed(&z)
		fill, ok := c.Actions[slices.IndexFunc(c.Actions, func(a recorder.Action) bool { _, ok := a.(*recorder.Fill); return ok })].(*recorder.Fill)
		require.True(t, ok)
		top, right := b.c.Max.Y, b.c.Max.X
		if z.Top.At > 0 {
			at, _ := b.place(0.1, z.Top.At)
			top = at.Y
		}
		if z.Right.At > 0 {
			at, _ := b.place(z.Right.At, 1e7)
			right = at.X
		}
		require.Equal(t, vg.Rectangle{Min: b.c.Min, Max: vg.Point{X: right, Y: top}}, boundsOf(fill.Path))
	}
}

// boundsOf returns the smallest box around a path.
func boundsOf(path vg.Path) vg.Rectangle {
	box := vg.Rectangle{Min: path[0].Pos, Max: path[0].Pos}
	for _, s := range path {
		if s.Type == vg.MoveComp || s.Type == vg.LineComp {
			box.Min.X, box.Min.Y = min(box.Min.X, s.Pos.X), min(box.Min.Y, s.Pos.Y)
			box.Max.X, box.Max.Y = max(box.Max.X, s.Pos.X), max(box.Max.Y, s.Pos.Y)
		}
	}
	return box
}
