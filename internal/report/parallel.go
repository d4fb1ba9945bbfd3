package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// parallelQuestion is what becomes of AfterFunc and Stop when more goroutines call
// them, for each number pending.
var parallelQuestion = question{
	section: whichFastest, experiments: []string{rundata.Parallel},
	figures: func(v *view) []*chart.Figure {
		f := &chart.Figure{
			Name:  "parallel",
			Title: "Which inbox lets many goroutines start and stop timers at once?",
			Subtitle: "AfterFunc and Stop on the real clock, each goroutine with timers of its own, one driver for all; " +
				"median and 95 % interval",
			Width: chart.Inches(9.6), Height: chart.Inches(1.6),
		}
		for _, n := range integers(v.data.Select(rundata.Parallel), "pending") {
			f.Rows = append(f.Rows, []*chart.Panel{
				v.parallelPanel(n, "time for a pair", nanosAxis("time over pairs of all, lower is better"),
					func(w way, g int) judge.Summary { return summary(v.parallelAt(w, n, g), rundata.NsPerOp) }),
				v.parallelPanel(n, "throughput against that of 1 goroutine",
					chart.Axis{Label: "times as many pairs a second, higher is better", WithZero: true, Format: words.Times},
					func(w way, g int) judge.Summary { return v.speedup(w, n, g) }),
			})
			f.Height += chart.Inches(3.4)
		}
		return []*chart.Figure{f}
	},
	tables: func(v *view) []*text.Table {
		all := v.data.Select(rundata.Parallel)
		var series []*rundata.Series
		for _, n := range integers(all, "pending") {
			for _, g := range integers(all, "goroutines") {
				series = append(series, v.ofWays(v.inboxWays(), rundata.Parallel, fmt.Sprintf("pending=%d", n), fmt.Sprintf("goroutines=%d", g))...)
			}
		}
		t := tableOf("AfterFunc and Stop by many goroutines at once, through one driver", 2, series, []column{
			contender, param("inbox", "inbox"), amount("pending", "pending"), amount("goroutines", "goroutines"),
			median("time for a pair", rundata.NsPerOp, words.Nanos),
			{"pairs a second", func(s *rundata.Series) string { return words.PerSecond(1e9 / summary(s, rundata.NsPerOp).Median) }},
			median("CPU of a pair", rundata.CPUPerOp, words.Nanos),
		})
		t.Notes = []string{"The time is that of the whole over the pairs of all goroutines. " +
			"The CPU time is of the process, with its worker and garbage collection."}
		return []*text.Table{t}
	},
	// Which inbox is the fastest with the most goroutines.
	topics: func(v *view) []topic {
		series := v.data.Select(rundata.Parallel)
		counts := integers(series, "goroutines")
		if len(counts) == 0 {
			return nil
		}
		most := counts[len(counts)-1]
		t := topic{name: "AfterFunc and Stop by " + words.Many(most, "goroutine") + " at once", takes: "as long", where: "with %s pending",
			yardstick: catalog.RuntimeTimer}
		for _, n := range integers(series, "pending") {
			t.addWays(v, words.Count(float64(n)), v.inboxWays(), rundata.Parallel, rundata.NsPerOp,
				fmt.Sprintf("pending=%d", n), fmt.Sprintf("goroutines=%d", most))
		}
		return []topic{t}
	},
}

// inboxStyles distinguish the inboxes of one contestant. Its own style is that of
// the first.
var inboxStyles = map[string]chart.Style{
	rundata.InboxSharded: {Colour: chart.RGB(0xAA4499), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	rundata.InboxQueued:  {Colour: chart.RGB(0x999933), Glyph: draw.PyramidGlyph{}, Dashes: chart.Dash(3, 2)},
}

// inboxWays returns the ways of a parallel cell.
func (v *view) inboxWays() []way {
	return v.ways(v.data.Select(rundata.Parallel), "inbox", inboxStyles, ofRuntime)
}

// parallelAt returns the series of a way, or nil.
func (v *view) parallelAt(w way, pending, goroutines int) *rundata.Series {
	return v.ofWay(w, rundata.Parallel, fmt.Sprintf("pending=%d", pending), fmt.Sprintf("goroutines=%d", goroutines))
}

// parallelPanel shows something of each way against the number of goroutines.
func (v *view) parallelPanel(pending int, title string, y chart.Axis, of func(w way, goroutines int) judge.Summary) *chart.Panel {
	counts := integers(v.data.Select(rundata.Parallel), "goroutines")
	p := &chart.Panel{
		Title: title + ", " + words.Count(float64(pending)) + " pending", Y: y,
		X: chart.Axis{Label: "goroutines", Log: true, At: floats(counts), Format: words.Count},
	}
	for _, w := range v.inboxWays() {
		l := v.line(w.name, p.X.At, func(g float64) judge.Summary { return of(w, int(g)) })
		l.Style = w.style
		p.Lines = append(p.Lines, l)
	}
	return p
}

// speedup is the throughput as a multiple of that of one goroutine.
func (v *view) speedup(w way, pending, goroutines int) judge.Summary {
	alone := summary(v.parallelAt(w, pending, 1), rundata.NsPerOp).Median
	var gains []float64
	for _, ns := range samples(v.parallelAt(w, pending, goroutines), rundata.NsPerOp) {
		if g := alone / ns; g > 0 && !math.IsInf(g, 0) {
			gains = append(gains, g)
		}
	}
	return summarize(gains)
}
