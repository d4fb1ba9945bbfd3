package report

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/judge"
)

// point is a value with its interval; lo and hi are NaN where there is none.
type point struct{ x, y, lo, hi float64 }

// at returns a summary as a point.
func at(x float64, s judge.Summary) point {
	if !s.Bounded() {
		return point{x, s.Median, math.NaN(), math.NaN()}
	}
	return point{x, s.Median, s.Low, s.High}
}

// line is what one contender shows.
type line struct {
	name string
	look look
	pts  []point
	// marked are the points with a glyph. Nil means all of them.
	marked []point
	// captions are written beside the points, and the line is named nowhere else.
	captions []string
	// dispensable captions are left out where there is no room beside their points.
	dispensable bool
	// filled fills what is below the line, and draws no line.
	filled bool
	// dense has glyphs small, since there are many close together.
	dense bool
}

// radius returns that of the line's glyphs.
func (l *line) radius() vg.Length {
	if l.dense {
		return vg.Points(2)
	}
	return vg.Points(3)
}

// stretch is a control drawn as a band between the ends of its intervals.
type stretch struct {
	name string
	pts  []point
}

// guide is a complexity to compare slopes with.
type guide struct {
	name string
	f    func(float64) float64
}

// rule is a line across the panel: level at a height, upright at a value of x.
type rule struct {
	at     float64
	name   string
	colour color.Color
}

// panel is one plot of a figure.
type panel struct {
	title    string
	x, y     axis
	bands    []stretch
	guides   []guide
	lines    []line
	levels   []rule
	uprights []rule
	zone     *zone
	// bar is drawn above the data.
	bar     *bar
	reaches []reach
	// abreast draws the contenders side by side, where there is only one x and
	// they would cover each other.
	abreast bool
	// anchor is where the guides meet; if not set, it is where the lines begin.
	anchor point
}

// fit leaves out lines without points, sets the axes to what the panel shows,
// and reports whether it shows any contender at all.
func (p *panel) fit() bool {
	p.lines = slices.DeleteFunc(p.lines, func(l line) bool { return !slices.ContainsFunc(l.pts, p.drawable) })
	var xs, ys []float64
	for _, l := range p.lines {
		for _, pt := range l.pts {
			if !p.drawable(pt) {
				continue
			}
			xs = append(xs, pt.x)
			ys = append(ys, pt.y, pt.lo, pt.hi)
		}
	}
	if len(xs) == 0 {
		return false
	}
	ys = p.presentable(ys)
	if p.zone != nil {
		xs, ys = append(xs, p.zone.xs()...), append(ys, p.zone.ys()...)
	}
	for _, b := range p.bands {
		for _, pt := range b.pts {
			ys = append(ys, pt.y)
		}
	}
	for _, r := range p.levels {
		ys = append(ys, r.at)
	}
	p.abreast = slices.Min(xs) == slices.Max(xs)
	p.x.fit(xs)
	p.y.fit(ys)
	if p.anchor.x == 0 {
		p.anchor = p.origin()
	}
	return true
}

// drawable reports whether both axes have a place for a point.
func (p *panel) drawable(pt point) bool {
	return placeable(&p.x, pt.x) && placeable(&p.y, pt.y)
}

func placeable(a *axis, v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.log || v > 0 || a.withZero)
}

// presentable leaves out ends of intervals that would stretch a logarithmic
// axis beyond use: low ends at or near zero.
func (p *panel) presentable(ys []float64) []float64 {
	if !p.y.log {
		return ys
	}
	least := math.Inf(1)
	for _, l := range p.lines {
		for _, pt := range l.pts {
			if pt.y > 0 {
				least = min(least, pt.y)
			}
		}
	}
	var kept []float64
	for _, y := range ys {
		if y >= least/3 || y <= 0 && p.y.withZero {
			kept = append(kept, y)
		}
	}
	return kept
}

// origin returns where guides begin: the middle of the lines at the left end.
func (p *panel) origin() point {
	left := math.Inf(1)
	for _, l := range p.lines {
		for _, pt := range l.pts {
			if pt.x > 0 && pt.y > 0 {
				left = min(left, pt.x)
			}
		}
	}
	var sum, n float64
	for _, l := range p.lines {
		for _, pt := range l.pts {
			if pt.x == left && pt.y > 0 {
				sum, n = sum+math.Log(pt.y), n+1
			}
		}
	}
	return point{x: left, y: math.Exp(sum / n)}
}

// plot returns the panel as a plot with everything but the names.
func (p *panel) plot(titles bool) *plot.Plot {
	plt := plot.New()
	if p.title != "" {
		plt.Title.Text = " " // only room: the title itself goes above the data
		plt.Title.TextStyle.Font = sans(titleSize, true)
		plt.Title.Padding = p.headroom()
	}
	dress(&plt.X, &p.x)
	dress(&plt.Y, &p.y)
	if !titles {
		plt.Y.Label.Text = ""
	}
	plt.Add(p)
	return plt
}

// titleSize is the size of a panel's title.
const titleSize = 9.5

// headroom is the space above the data: guides and upright lines are named
// there.
func (p *panel) headroom() vg.Length {
	if p.bar != nil {
		return vg.Points(barRoom)
	}
	if len(p.guides)+len(p.uprights) > 0 || p.zone != nil && p.zone.right.name != "" {
		return vg.Points(14)
	}
	return vg.Points(6)
}

// dress gives a plot's axis its ends, marks and text.
func dress(to *plot.Axis, from *axis) {
	to.Min, to.Max = from.lo, from.hi
	to.Tick.Marker = from
	to.Tick.Label.Font = sans(8.5, false)
	to.Tick.Label.Color = ink
	to.Tick.Length = vg.Points(5)
	to.Tick.Color, to.LineStyle.Color = pale, pale
	to.Label.Text = from.label
	to.Label.TextStyle.Font = sans(9, false)
	to.Label.TextStyle.Color = ink
	to.Label.Padding = vg.Points(4)
	to.Padding = 0
}

// Plot draws the panel from the back to the front.
func (p *panel) Plot(c draw.Canvas, plt *plot.Plot) {
	b := &brush{panel: p, c: c}
	b.tx, b.ty = plt.Transforms(&c)
	if p.zone != nil {
		b.zone(p.zone)
	}
	b.grid()
	if p.zone != nil {
		b.zoneSides(p.zone)
	}
	for _, s := range p.bands {
		b.band(s)
	}
	for _, g := range p.guides {
		b.guide(g)
	}
	for _, r := range p.levels {
		b.level(r)
	}
	for _, r := range p.uprights {
		b.upright(r)
	}
	for _, paths := range []bool{true, false} { // points by themselves go on top
		for i, l := range p.lines {
			if (len(l.pts) > 1) == paths {
				b.line(l, p.shift(i))
			}
		}
	}
	for _, r := range p.reaches {
		b.reach(r)
	}
	if p.bar != nil {
		b.bar(p.bar)
	}
	b.captions()
}

// nan stands for no interval.
var nan = math.NaN()

// shift returns how far to the right of its place a line is drawn.
func (p *panel) shift(i int) vg.Length {
	if !p.abreast {
		return 0
	}
	return vg.Points(min(20, 160/float64(len(p.lines)))) * vg.Length(2*i-len(p.lines)+1) / 2
}
