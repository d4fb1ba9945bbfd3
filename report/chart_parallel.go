package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/harness"
)

// inboxLooks tell the inboxes of one contestant apart. Its own look is that of
// the first.
var inboxLooks = map[string]look{
	harness.InboxSharded: {rgb(0x882255), draw.SquareGlyph{}, dash(8, 2)},
	harness.InboxQueued:  {rgb(0x999933), draw.PyramidGlyph{}, dash(3, 2)},
}

// way is a contender in one of the ways in which it was measured.
type way struct {
	name   string
	look   look
	params []string
}

// inboxWays returns the ways of a parallel cell, contestants before baselines.
func (v *view) inboxWays() (ways []way) {
	for _, name := range v.names {
		for _, inbox := range harness.Distinct(v.data.Select(harness.Parallel, "impl="+name), "inbox") {
			w := way{name: name, look: v.looks[name], params: []string{"impl=" + name, "inbox=" + inbox}}
			if name != runtimeTimer {
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
func (v *view) parallelFigure() *figure {
	series := v.data.Select(harness.Parallel)
	f := &figure{
		name:  "parallel",
		title: "Which inbox lets many goroutines start and stop timers at once?",
		subtitle: "AfterFunc and Stop on the real clock, each goroutine with timers of its own, one driver for all; " +
			"median and 95 % interval",
		width: inches(9.6), height: inches(1.6),
	}
	for _, n := range integers(series, "pending") {
		f.rows = append(f.rows, []*panel{v.pairTimePanel(series, n), v.speedupPanel(series, n)})
		f.height += inches(3.4)
	}
	return f
}

func goroutineAxis(series []*harness.Series) axis {
	return axis{label: "goroutines", log: true, at: floats(integers(series, "goroutines")), format: count}
}

func (v *view) pairTimePanel(series []*harness.Series, n int) *panel {
	p := &panel{
		title: "time for a pair, " + count(float64(n)) + " pending",
		x:     goroutineAxis(series),
		y:     axis{label: "time over pairs of all, lower is better", log: true, format: tidy(nanos)},
	}
	for _, w := range v.inboxWays() {
		l := line{name: w.name, look: w.look}
		for _, g := range integers(series, "goroutines") {
			if s := summary(v.parallelAt(w, n, g), harness.NsPerOp); s.N > 0 {
				l.pts = append(l.pts, at(float64(g), s))
			}
		}
		p.lines = append(p.lines, l)
	}
	return p
}

// speedupPanel shows the throughput as a multiple of that of one goroutine.
func (v *view) speedupPanel(series []*harness.Series, n int) *panel {
	p := &panel{
		title: "throughput against that of 1 goroutine, " + count(float64(n)) + " pending",
		x:     goroutineAxis(series),
		y:     axis{label: "times as many pairs a second, higher is better", withZero: true, format: times},
	}
	for _, w := range v.inboxWays() {
		l := line{name: w.name, look: w.look}
		alone := summary(v.parallelAt(w, n, 1), harness.NsPerOp).Median
		for _, g := range integers(series, "goroutines") {
			gains := gainsOver(alone, samples(v.parallelAt(w, n, g), harness.NsPerOp))
			if s := summarize(gains); s.N > 0 {
				l.pts = append(l.pts, at(float64(g), s))
			}
		}
		p.lines = append(p.lines, l)
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
