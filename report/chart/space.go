package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
)

// freeSpace is what a panel has left for the names of its points.
type freeSpace struct {
	view vg.Rectangle
	// points and names are where there are some: no name goes there.
	points, names []vg.Rectangle
	// drawn is where something runs that is not to be written over if it can be
	// helped.
	drawn []vg.Rectangle
}

// free reports whether a box is in view and without points and names; if neat,
// also that nothing is drawn there.
func (r *freeSpace) free(box vg.Rectangle, neat bool) bool {
	in := box.Min.X >= r.view.Min.X && box.Max.X <= r.view.Max.X && box.Min.Y >= r.view.Min.Y && box.Max.Y <= r.view.Max.Y
	return in && !anyOver(r.points, box) && !anyOver(r.names, box) && !(neat && anyOver(r.drawn, box))
}

// anyOver reports whether any of some boxes overlaps one.
func anyOver(some []vg.Rectangle, box vg.Rectangle) bool {
	return slices.ContainsFunc(some, func(s vg.Rectangle) bool { return Overlap(box, s) })
}

// Overlap reports whether two boxes share more than an edge.
func Overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// beside puts each name of a group beside its point, or none of them if there is
// no room for all.
func (r *freeSpace) beside(group []*caption) bool {
	before := len(r.names)
	for _, c := range group {
		box, ok := r.besideOne(c)
		if !ok {
			r.names = r.names[:before]
			for _, c := range group {
				c.box = vg.Rectangle{}
			}
			return false
		}
		c.box = box
		r.names = append(r.names, box)
	}
	return true
}

func (r *freeSpace) besideOne(c *caption) (vg.Rectangle, bool) {
	for _, neat := range []bool{true, false} {
		for _, box := range c.places() {
			if r.free(box, neat) {
				return box, true
			}
		}
	}
	return vg.Rectangle{}, false
}

// places returns where a name may go beside its point: to the right, to the
// left, above, below, and between these.
func (c *caption) places() (found []vg.Rectangle) {
	away := vg.Points(captionAway)
	right, left, middle := c.at.X+away, c.at.X-away-c.size.X, c.at.X-c.size.X/2
	level, over, under := c.at.Y-c.size.Y/2, c.at.Y+away, c.at.Y-away-c.size.Y
	for _, p := range []vg.Point{
		{X: right, Y: level}, {X: left, Y: level}, {X: middle, Y: over}, {X: middle, Y: under},
		{X: right, Y: over}, {X: right, Y: under}, {X: left, Y: over}, {X: left, Y: under},
	} {
		found = append(found, vg.Rectangle{Min: p, Max: p.Add(c.size)})
	}
	return found
}

// stack puts the names of a group one below the other, as near as there is room
// for all, in two stacks if there is none, and so on. A single name for which
// there is no room in all of the panel covers another, since it is not to be
// lost.
func (r *freeSpace) stack(group []*caption) {
	slices.SortStableFunc(group, func(a, b *caption) int { return cmp.Compare(b.at.Y, a.at.Y) })
	for _, neat := range []bool{true, false} {
		for _, corner := range r.corners(group) {
			if boxes, ok := r.fits(group, corner, neat); ok {
				r.take(group, boxes)
				return
			}
		}
	}
	if len(group) == 1 {
		group[0].box = group[0].places()[0]
		return
	}
	r.stack(group[:len(group)/2])
	r.stack(group[len(group)/2:])
}

// stackSize returns the size of the stack of a group.
func stackSize(group []*caption) (size vg.Point) {
	for _, c := range group {
		size = vg.Point{X: max(size.X, c.size.X+vg.Points(captionSample)), Y: size.Y + c.size.Y}
	}
	return size
}

// corners returns the lower left corners to try for the stack of a group, in
// columns ever farther from the points, first to the right of them and then to
// the left, and in each column ever farther up and down.
func (r *freeSpace) corners(group []*caption) (found []vg.Point) {
	const near, step = 20, 4
	size, at := stackSize(group), group[len(group)/2].at
	level := min(max(at.Y-size.Y/2, r.view.Min.Y), r.view.Max.Y-size.Y)
	for away := vg.Points(near); away < r.view.Max.X-r.view.Min.X; away += vg.Points(near) {
		for _, x := range []vg.Length{at.X + away, at.X - away - size.X} {
			for shift := vg.Length(0); shift < r.view.Max.Y-r.view.Min.Y; shift += step {
				found = append(found, vg.Point{X: x, Y: level + shift}, vg.Point{X: x, Y: level - shift})
			}
		}
	}
	return found
}

// stacked returns the boxes of a group's stack above a corner, flush with the
// side on which the points are.
func stacked(group []*caption, corner vg.Point) []vg.Rectangle {
	boxes := make([]vg.Rectangle, len(group))
	width, y := stackSize(group).X, corner.Y
	for i, c := range slices.Backward(group) {
		x, wide := corner.X, c.size.X+vg.Points(captionSample)
		if x < c.at.X {
			x += width - wide
		}
		boxes[i] = vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + wide, Y: y + c.size.Y}}
		y += c.size.Y
	}
	return boxes
}

// fits returns the boxes of a group's stack above a corner, and whether all of
// them are free; if neat, so are the ways of their leaders.
func (r *freeSpace) fits(group []*caption, corner vg.Point, neat bool) ([]vg.Rectangle, bool) {
	boxes := stacked(group, corner)
	for _, box := range boxes {
		if !r.free(box, neat) {
			return nil, false
		}
	}
	if neat {
		for i, c := range group {
			if slices.ContainsFunc(along(c.way(boxes[i])), func(s vg.Rectangle) bool { return anyOver(r.names, s) }) {
				return nil, false
			}
		}
	}
	return boxes, true
}

// take gives a group its boxes.
func (r *freeSpace) take(group []*caption, boxes []vg.Rectangle) {
	for i, c := range group {
		from, to := c.way(boxes[i])
		c.box, c.leader = boxes[i], []vg.Point{from, to}
		r.names = append(r.names, c.box)
		r.drawn = append(r.drawn, along(from, to)...)
	}
}

// way returns the ends of the leader from a point to a box beside which it is.
func (c *caption) way(box vg.Rectangle) (from, to vg.Point) {
	to = vg.Point{X: box.Min.X, Y: (box.Min.Y + box.Max.Y) / 2}
	if box.Max.X < c.at.X {
		to.X = box.Max.X + vg.Points(1.5)
	}
	way := to.Sub(c.at)
	length := max(way.X, -way.X, way.Y, -way.Y)
	return c.at.Add(way.Scale(min(1, vg.Points(4)/max(length, 1)))), to
}
