package chart

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// What is allowed is shaded up to the lines that say so.
func TestShadingEndsAtTheFirstLines(t *testing.T) {
	level, upright := []Rule{{At: 1e7}}, []Rule{{At: 0.1}}
	for _, c := range []struct{ levels, uprights []Rule }{{level, nil}, {nil, upright}, {level, upright}} {
		p := scatter(At(0.01, 1e6), At(1, 1e8))
		p.Levels, p.Uprights, p.Shaded = c.levels, c.uprights, true
		b := canvasOf(p)
		var rec recorder.Canvas
		b.c = draw.Canvas{Canvas: &rec, Rectangle: b.c.Rectangle}
		b.shade()
		fill, ok := rec.Actions[slices.IndexFunc(rec.Actions, func(a recorder.Action) bool { _, ok := a.(*recorder.Fill); return ok })].(*recorder.Fill)
		require.True(t, ok)
		want := b.c.Rectangle
		corner, _ := b.place(0.1, 1e7)
		if c.levels != nil {
			want.Max.Y = corner.Y
		}
		if c.uprights != nil {
			want.Max.X = corner.X
		}
		require.Equal(t, want, boundsOf(fill.Path))
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
