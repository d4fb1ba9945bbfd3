package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// guides are the complexities to compare slopes with.
func guides() []chart.Guide {
	return []chart.Guide{
		{Name: "O(1)", Of: func(float64) float64 { return 1 }},
		{Name: "O(log n)", Of: func(n float64) float64 { return math.Log2(n + 1) }},
		{Name: "O(n)", Of: func(n float64) float64 { return n }},
	}
}

// costFigure shows the time of an operation by pending count, beside it multiples of the best, and both by delays.
func (v *Report) costFigure(op string) *chart.Figure {
	o, delays := OperationOf(op), v.delays(op)
	main := v.costPanel(op, delays[0])
	f := &chart.Figure{Name: "cost-" + op, Title: o.title(), Width: chart.Inches(10.4), Height: chart.Inches(5.4)}
	f.Words = lists.Each(v.geometry(), func(g card.Geometry) string { return g.Name + ": " + g.Text })
	f.Subtitle = "Median and 95 % interval of the time of an operation, without the loop around it"
	if v.lacksLoop(v.costGrid(op, delays[0], nil)) {
		f.Subtitle = "Median and 95 % interval; where no empty loop was measured, its time is included"
	}
	if o.Meaning != "" {
		f.Subtitle = words.Capital(o.Line()) + ". " + f.Subtitle
	}
	if delays[0] != "" {
		main.Title = delays[0] + " delays"
	}
	f.Rows = [][]*chart.Panel{{main}}
	if t := v.decide(v.costMeasure(op, delays[0])); len(t.cells) > 0 && t.cells[0].negligible == 0 {
		f.Rows[0] = append(f.Rows[0], v.ratioPanel(main, t.at))
		f.Subtitle += "; right: as a multiple of the best, intervals by blocks"
	}
	if len(f.Rows[0]) == 1 {
		f.Named, f.Width, f.Height = true, chart.Inches(8.6), chart.Inches(5.6)
		f.Subtitle, main.Title = f.Subtitle+", with "+delays[0]+" delays", ""
		return f
	}
	if len(delays) > 1 {
		f.Rows = append(f.Rows, v.delayPanels(op, delays))
		f.Height = chart.Inches(9)
	}
	return f
}

// costPanel is for one distribution of delays.
func (v *Report) costPanel(op, delay string) *chart.Panel {
	c := v.costGrid(op, delay, v.names)
	p := &chart.Panel{
		X: v.pendingAxis(op), Y: nanosAxis("time per operation, lower is better"), Guides: guides(), Lines: c.drawn(v.netSummary),
	}
	c.ways, c.unit = v.each([]string{rundata.EmptyControl}), rundata.NsPerOp
	if loop := c.medians()[0].Points; len(loop) > 0 {
		p.Bands = append(p.Bands, chart.Band{Name: "the loop alone", Points: loop})
	}
	return p
}

// farBehind is the multiple of the best beyond which a panel omits a contestant: the others would look alike.
const farBehind = 20

// ratioPanel shows a panel of times as multiples of the best. contest returns the decided cell of a label of x.
func (v *Report) ratioPanel(of *chart.Panel, contest func(cell string) cell) *chart.Panel {
	p := &chart.Panel{
		Title: "times the best", X: of.X, Own: true,
		Y:      chart.Axis{Label: "times as long as the best", Log: true, Format: words.Times},
		Levels: []chart.Rule{{At: v.marginRatio(), Name: "within " + v.margin(), Colour: chart.MarginColour}},
	}
	var beyond []string
	for _, l := range of.Lines {
		ratios := chart.Line{Name: l.Name, Style: l.Style, Loose: l.Loose}
		far := false
		for _, pt := range l.Points {
			r, stands := contest(of.X.Format(pt.X)).ratioTo(l.Name)
			if r.X = pt.X; stands && r.Y <= farBehind {
				ratios.Points = append(ratios.Points, r)
			}
			far = far || stands && r.Y > farBehind
		}
		if far {
			beyond = append(beyond, l.Name)
		}
		p.Lines = append(p.Lines, ratios)
	}
	switch n := len(beyond); {
	case n == 1:
		p.Title += fmt.Sprintf("; %s goes beyond %d×", beyond[0], farBehind)
	case n == 2:
		p.Title += fmt.Sprintf("; %s go beyond %d×", words.List(beyond), farBehind)
	case n > 2: // there is no room for names
		p.Title += fmt.Sprintf("; %d go beyond %d×", n, farBehind)
	}
	return p
}

// ratioTo returns a contestant's ratio to the best, as a point without its X, and whether the contestant
// competes. It leaves out an interval that means nothing.
func (p cell) ratioTo(name string) (pt chart.Point, competes bool) {
	i := slices.IndexFunc(p.Standings, func(s judge.Standing) bool { return s.Name == name })
	if i < 0 {
		return pt, false
	}
	c := p.Standings[i].ToFirst
	switch {
	case i == 0:
		return chart.At(0, 1), true
	case c.Blocks < 2 || c.High > judge.BeyondSense*c.Low:
		return chart.At(0, c.Value), true
	}
	return chart.Point{Y: c.Value, Low: c.Low, High: c.High}, true
}

// delayPanels compare delays at the pending count that most of them have: times, and multiples of the best.
func (v *Report) delayPanels(op string, delays []string) []*chart.Panel {
	n := v.widest(op)
	names := lists.Each(delays, func(d string) string { return strings.Replace(d, "exponential", "expon.", 1) }) // or they meet on a phone
	p := &chart.Panel{
		Title: "by delays, with " + valueWords(n) + " pending",
		X:     namesAxis(names), Y: nanosAxis("time per operation, lower is better"),
	}
	for _, w := range v.each(v.names) {
		l := chart.Line{Name: w.name, Style: w.style, Loose: true}
		for i, delay := range delays {
			if m := v.netSummary(v.costGrid(op, delay, nil).at(w.params, n)); m.N > 0 {
				l.Points = append(l.Points, at(p.X.At[i], m))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	decided := lists.Each(delays, func(delay string) measure { return v.decide(v.costMeasure(op, delay)) })
	return []*chart.Panel{p, v.ratioPanel(p, func(name string) cell { return decided[slices.Index(names, name)].at(valueWords(n)) })}
}

// widest returns the pending count with the most distributions of delays for an operation, the largest of several.
func (v *Report) widest(op string) (n string) {
	most := 0
	for _, size := range values(v.data.Select(rundata.Cost, "op="+op), "pending") {
		with := rundata.Distinct(v.data.Select(rundata.Cost, "op="+op, "pending="+size), "delay")
		if len(with) >= most {
			n, most = size, len(with)
		}
	}
	return n
}
