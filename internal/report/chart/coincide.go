package chart

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/internal/words"
)

// How near to each other marks cover each other, and no eye sees ways apart, as shares
// of the height of a panel.
const (
	marksMeet = 0.025
	pathsMeet = 0.006
)

// What a figure says where lines or marks would hide others.
const (
	waysCoincide  = "Where lines coincide, their colours take turns and their marks stand side by side."
	marksCoincide = "Marks that would cover each other stand side by side."
)

// turn is one of several that take turns: the first of one is alone. room is how near the next
// place of the x axis is to that of a point, as a share of the axis.
type turn struct {
	at, of int
	room   float64
}

// turns are those of a line: of each point, and of the way from each point to the next.
type turns struct{ points, ways []turn }

// lineEnd is a point of a line as it is placed, in shares of the panel: with its mark and its
// interval it takes up what is between low and high.
type lineEnd struct {
	line, point     int
	x, y, low, high float64
}

// coincide finds what lines have in common: then all of them can be seen. Lines of many
// points differ where they are not together.
func (p *Panel) coincide() {
	p.turns = make([]turns, len(p.Lines))
	at := map[float64][]lineEnd{}
	for i, l := range p.Lines {
		p.turns[i] = turns{points: make([]turn, len(l.Points)), ways: make([]turn, len(l.Points))}
		if p.abreast || !l.sparse() {
			continue
		}
		for j, pt := range l.Points {
			if e, ok := p.ending(i, j); ok {
				at[pt.X] = append(at[pt.X], e)
			}
		}
	}
	xs := slices.Sorted(maps.Keys(at))
	for i, x := range xs {
		ends, room := at[x], p.apart(xs, i)
		for _, group := range together(ends, func(e lineEnd) (low, high float64) { return e.low, e.high }) {
			for k, e := range group {
				p.turns[e.line].points[e.point] = turn{k, len(group), room}
			}
		}
		for _, group := range together(ends, onPath) {
			p.shareWays(group)
		}
	}
}

// apart returns how near the next place of the x axis is to one of them, as a share of it.
func (p *Panel) apart(xs []float64, i int) float64 {
	least := 1.0
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j == len(xs) {
			continue
		}
		here, okh := p.X.pos(xs[i])
		there, okt := p.X.pos(xs[j])
		if okh && okt {
			least = min(least, math.Abs(there-here)/(p.X.hi-p.X.lo))
		}
	}
	return least
}

// sparse reports whether each point of a line has a mark of its own, and nothing written
// beside it.
func (l *Line) sparse() bool {
	_, unmarked := l.Style.Glyph.(NoGlyph)
	return l.Marked == nil && l.Captions == nil && !l.Dense && !l.Filled && !unmarked
}

// ending places a point of a line.
func (p *Panel) ending(line, point int) (lineEnd, bool) {
	pt := p.Lines[line].Points[point]
	x, okx := p.X.pos(pt.X)
	y, oky := p.Y.pos(pt.Y)
	share := func(a Axis, v float64) float64 { return (v - a.lo) / (a.hi - a.lo) }
	e := lineEnd{line: line, point: point, x: share(p.X, x), y: share(p.Y, y)}
	e.low, e.high = e.y-marksMeet/2, e.y+marksMeet/2
	if low, ok := p.Y.pos(pt.Low); ok {
		e.low = min(e.low, share(p.Y, low))
	}
	if high, ok := p.Y.pos(pt.High); ok {
		e.high = max(e.high, share(p.Y, high))
	}
	return e, okx && oky
}

// onPath is what the line itself takes up at a point.
func onPath(e lineEnd) (low, high float64) { return e.y - pathsMeet/2, e.y + pathsMeet/2 }

// together returns groups of ends whose extents meet, each in the order of the lines.
func together(ends []lineEnd, extent func(lineEnd) (low, high float64)) (groups [][]lineEnd) {
	slices.SortFunc(ends, func(a, b lineEnd) int {
		lowA, _ := extent(a)
		lowB, _ := extent(b)
		return cmp.Or(cmp.Compare(lowA, lowB), cmp.Compare(a.line, b.line))
	})
	top := math.Inf(-1)
	for _, e := range ends {
		low, high := extent(e)
		if low > top {
			groups = append(groups, nil)
		}
		top = max(top, high)
		last := len(groups) - 1
		groups[last] = append(groups[last], e)
	}
	for _, g := range groups {
		slices.SortFunc(g, func(a, b lineEnd) int { return cmp.Compare(a.line, b.line) })
	}
	return groups
}

// shareWays lets the lines of a group take turns on their ways to the next points, as far as
// these are together too. Steep ways lie side by side, as their points do.
func (p *Panel) shareWays(group []lineEnd) {
	const steep, high = 0.3, 0.7 // high is about how high a panel is for its width
	next := map[float64][]lineEnd{}
	from := map[int]lineEnd{}
	for _, e := range group {
		if e.point+1 == len(p.Lines[e.line].Points) {
			continue
		}
		if to, ok := p.ending(e.line, e.point+1); ok && high*math.Abs(to.y-e.y) < steep*math.Abs(to.x-e.x) {
			next[to.x] = append(next[to.x], to)
			from[e.line] = e
		}
	}
	for _, ends := range next {
		for _, g := range together(ends, onPath) {
			for k, to := range g {
				p.turns[to.line].ways[from[to.line].point] = turn{at: k, of: len(g)}
			}
		}
	}
}

// coincides reports whether some marks, and some lines, are where others are.
func (p *Panel) coincides() (marks, ways bool) {
	several := func(t turn) bool { return t.of > 1 }
	for _, t := range p.turns {
		marks = marks || slices.ContainsFunc(t.points, several)
		ways = ways || slices.ContainsFunc(t.ways, several)
	}
	return marks, ways
}

// subtitle returns that of the figure, with what is to be known of lines that coincide.
func (f *Figure) subtitle() string {
	note := ""
	for _, p := range f.panels() {
		switch marks, ways := p.coincides(); {
		case ways:
			note = waysCoincide
		case marks:
			note = cmp.Or(note, marksCoincide)
		}
	}
	if note == "" {
		return f.Subtitle
	}
	return words.Sentences(f.Subtitle, strings.TrimSuffix(note, "."))
}

// aside returns how far beside its place a point is drawn: there it covers no other, stays in
// view, and is nearer to its place than to the next.
func (b *canvas) aside(line, point int, at vg.Point) vg.Length {
	const step = 6.5
	t := b.panel.turns[line].points[point]
	if t.of < 2 {
		return 0
	}
	half := vg.Length(t.of-1) / 2
	free := min(at.X-b.c.Min.X, b.c.Max.X-at.X, 0.3*vg.Length(t.room)*(b.c.Max.X-b.c.Min.X))
	return min(vg.Points(step), free/half) * (vg.Length(t.at) - half)
}

// ways draws a line from point to point. Where it is on the way of others, it is drawn in
// dashes that leave room for theirs, from where all of them begin.
func (b *canvas) ways(i int, l Line) {
	shared := b.panel.turns[i].ways
	for from := 0; from+1 < len(l.Points); {
		to := from + 1
		for to+1 < len(l.Points) && shared[to] == shared[from] {
			to++
		}
		t, style := shared[from], stroke(l.Style.Colour, 1.5, l.Style.Dashes)
		if t.of > 1 {
			const long = 6
			style.Dashes = Dash(long, long*float64(t.of-1))
			style.DashOffs = vg.Points(long) * vg.Length((t.of-t.at)%t.of)
		}
		paths := paths(l.Points[from:to+1], func(j int, pt Point) (vg.Point, bool) {
			at, ok := b.place(pt.X, pt.Y)
			if ok && t.of < 2 {
				at.X += b.aside(i, from+j, at)
			}
			return at, ok
		})
		b.c.StrokeLines(style, b.c.ClipLinesXY(paths...)...)
		from = to
	}
}
