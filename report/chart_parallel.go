package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// inboxLooks tell the inboxes of one contestant apart. Its own look is that of
// the first.
var inboxLooks = map[string]chart.Style{
	harness.InboxSharded: {Colour: chart.RGB(0x882255), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	harness.InboxQueued:  {Colour: chart.RGB(0x999933), Glyph: draw.PyramidGlyph{}, Dashes: chart.Dash(3, 2)},
}

// way is a contender in one of the ways in which it was measured.
type way struct {
	name   string
	look   chart.Style
	params []string
}

// inboxWays returns the ways of a parallel cell, contestants before baselines.
func (v *view) inboxWays() (ways []way) {
	for _, name := range v.names {
		for _, inbox := range harness.Distinct(v.data.Select(harness.Parallel, "impl="+name), "inbox") {
			w := way{name: name, look: v.looks[name], params: []string{"impl=" + name, "inbox=" + inbox}}
			if name != catalog.RuntimeTimer {
				w.name += ", " + inbox
			}
			if own, ok := inboxLooks[inbox]; ok {
				w.look = own
			}
			ways = append(ways, w)
		}
	}
	return ways
}

// parallelAt returns the series of a way, or nil.
func (v *view) parallelAt(w way, pending, goroutines int) *harness.Series {
	return v.one(harness.Parallel, append([]string{
		fmt.Sprintf("pending=%d", pending), fmt.Sprintf("goroutines=%d", goroutines)}, w.params...)...)
}

// parallelFigure shows what becomes of AfterFunc and Stop when more goroutines
// call them: a row for each number pending.
func (v *view) parallelFigure() *chart.Figure {
	series := v.data.Select(harness.Parallel)
	f := &chart.Figure{
		Name:  "parallel",
		Title: "Which inbox lets many goroutines start and stop timers at once?",
		Subtitle: "AfterFunc and Stop on the real clock, each goroutine with timers of its own, one driver for all; " +
			"median and 95 % interval",
		Width: chart.Inches(9.6), Height: chart.Inches(1.6),
	}
	for _, n := range integers(series, "pending") {
		f.Rows = append(f.Rows, []*chart.Panel{v.pairTimePanel(series, n), v.speedupPanel(series, n)})
		f.Height += chart.Inches(3.4)
	}
	return f
}

func goroutineAxis(series []*harness.Series) chart.Axis {
	return chart.Axis{Label: "goroutines", Log: true, At: floats(integers(series, "goroutines")), Format: words.Count}
}

func (v *view) pairTimePanel(series []*harness.Series, n int) *chart.Panel {
	p := &chart.Panel{
		Title: "time for a pair, " + words.Count(float64(n)) + " pending",
		X:     goroutineAxis(series),
		Y:     chart.Axis{Label: "time over pairs of all, lower is better", Log: true, Format: words.Tidy(words.Nanos)},
	}
	for _, w := range v.inboxWays() {
		l := chart.Line{Name: w.name, Style: w.look}
		for _, g := range integers(series, "goroutines") {
			if s := summary(v.parallelAt(w, n, g), harness.NsPerOp); s.N > 0 {
				l.Points = append(l.Points, at(float64(g), s))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

// speedupPanel shows the throughput as a multiple of that of one goroutine.
func (v *view) speedupPanel(series []*harness.Series, n int) *chart.Panel {
	p := &chart.Panel{
		Title: "throughput against that of 1 goroutine, " + words.Count(float64(n)) + " pending",
		X:     goroutineAxis(series),
		Y:     chart.Axis{Label: "times as many pairs a second, higher is better", WithZero: true, Format: words.Times},
	}
	for _, w := range v.inboxWays() {
		l := chart.Line{Name: w.name, Style: w.look}
		alone := summary(v.parallelAt(w, n, 1), harness.NsPerOp).Median
		for _, g := range integers(series, "goroutines") {
			gains := gainsOver(alone, samples(v.parallelAt(w, n, g), harness.NsPerOp))
			if s := summarize(gains); s.N > 0 {
				l.Points = append(l.Points, at(float64(g), s))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

// gainsOver returns how many times as fast as base each of the samples is.
func gainsOver(base float64, values []float64) (gains []float64) {
	for _, v := range values {
		if g := base / v; g > 0 && !math.IsInf(g, 0) {
			gains = append(gains, g)
		}
	}
	return gains
}
