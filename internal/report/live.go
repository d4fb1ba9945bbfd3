package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// liveCall is what is called in a running program: the operation by which data name it,
// and a few letters for narrow columns.
type liveCall struct{ op, short string }

// calls names the functions.
func (c liveCall) calls() string { return OperationOf(c.op).Word }

// liveCalls are those that are timed on the same timers.
var liveCalls = []liveCall{
	{rundata.OpLivePair, "live pair"},
	{rundata.OpLiveReset, "live reset"},
}

// livePairQuestion is what starting and stopping a timer costs a program that runs, and
// what moving one does, for each number of goroutines doing it: what the caller waits for,
// and what the process works for it.
var livePairQuestion = question{
	section: whichFastest, experiments: []string{rundata.Cost},
	figures: func(v *view) []*chart.Figure {
		const most = 10 // lines that an eye distinguishes
		measured := rundata.Distinct(append(v.livePairs(liveCalls[0]), v.livePairs(liveCalls[1])...), "impl")
		names := slices.DeleteFunc(slices.Clone(v.names), func(name string) bool { return !slices.Contains(measured, name) })
		systems := v.systems(names)
		if len(names) <= most || len(systems) == 0 || len(systems) == len(names) {
			return []*chart.Figure{v.liveFigure("live-pair", "in a running program", names)}
		}
		rest := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(systems, name) })
		for _, name := range []string{catalog.Hier, catalog.RuntimeTimer} { // what both have, to compare with
			if slices.Contains(names, name) {
				systems = append(systems, name)
			}
		}
		return []*chart.Figure{
			v.liveFigure("live-pair", "in a running program", rest),
			v.liveFigure("live-pair-systems", "as known systems do it", systems),
		}
	},
	tables: func(v *view) (tables []*text.Table) {
		for _, c := range liveCalls {
			for i, goroutines := range v.goroutineCounts(c) {
				t := v.liveTable(c, goroutines)
				if i == 0 {
					explain(t, OperationOf(c.op))
				}
				tables = append(tables, t)
			}
		}
		return tables
	},
	topics: func(v *view) (all []topic) {
		for _, c := range liveCalls {
			for _, goroutines := range v.goroutineCounts(c) {
				all = append(all, v.liveTopic(c, goroutines))
			}
		}
		return all
	},
}

// systems returns those of some names that are of known systems: presets, originals, and
// whatever is shown beside one.
func (v *view) systems(names []string) []string {
	beside := besides(v.data, v.names)
	others := slices.Collect(maps.Values(beside))
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !preset(name) && beside[name] == "" && !slices.Contains(others, name)
	})
}

// liveFigure has a row for each call and number of goroutines, with the contenders of some
// names; how is the end of its title.
func (v *view) liveFigure(file, how string, names []string) *chart.Figure {
	f := &chart.Figure{
		Name: file, Alike: true,
		Title: "What do AfterFunc and Stop, and Reset, cost " + how + "?",
		Subtitle: "A timer stopped and another started on the real clock, or one moved, garbage collected as usual; median and 95 % interval. " +
			"Middle: the time of the caller as a multiple of the best. CPU time is of the whole process: the worker and the garbage collector are in it",
		Width: chart.Inches(13), Height: chart.Inches(1.8),
	}
	for _, c := range liveCalls {
		for _, goroutines := range v.goroutineCounts(c) {
			caller := v.livePanel(c, goroutines, "time of the caller", rundata.NsPerOp, names)
			f.Rows = append(f.Rows, []*chart.Panel{
				caller, v.ratioPanel(caller, v.decide(v.liveTopic(c, goroutines)).at),
				v.livePanel(c, goroutines, "CPU time of the process", rundata.CPUPerOp, names),
			})
			f.Height += chart.Inches(3.4)
		}
	}
	return f
}

// liveTable has a row for each number pending, with ratios and CPU times below it.
func (v *view) liveTable(c liveCall, goroutines string) *text.Table {
	series := v.livePairs(c)
	names := v.shown(series)
	t := &text.Table{
		Title: "Cost of " + c.calls() + " in a running program", Names: 1,
		Header: append([]string{"pending"}, names...),
		Notes:  []string{"CPU time is of the whole process, with the driver's worker and garbage collection."},
	}
	if goroutines != "" {
		t.Title += ", goroutines: " + goroutines
	}
	for _, n := range integers(series, "pending") {
		row, ratios, cpu := []string{words.Count(float64(n))}, []string{besideRuntime}, []string{"  CPU"}
		base := blocksOf(v.liveAt(c, catalog.RuntimeTimer, goroutines, n), rundata.NsPerOp)
		for _, name := range names {
			s := v.liveAt(c, name, goroutines, n)
			row = append(row, within(summary(s, rundata.NsPerOp), words.Nanos))
			ratios = append(ratios, against(blocksOf(s, rundata.NsPerOp), base, name == catalog.RuntimeTimer))
			cpu = append(cpu, within(summary(s, rundata.CPUPerOp), words.Nanos))
		}
		t.Add(row...)
		if len(base) > 0 {
			t.Add(ratios...)
		}
		if slices.ContainsFunc(cpu[1:], func(cell string) bool { return cell != "" }) {
			t.Add(cpu...)
		}
	}
	return t
}

// liveTopic is who takes least time.
func (v *view) liveTopic(c liveCall, goroutines string) topic {
	t := topic{name: c.calls(), short: c.short, takes: "as long", where: "with %s pending", baseline: catalog.RuntimeTimer,
		repeat: repeatOp(c.op)}
	t.votes = slices.Contains(v.goroutinesAsked(c), goroutines)
	if goroutines != "" && goroutines != "1" {
		t.name += " by " + goroutines + " goroutines"
		t.short += ", " + goroutines
	}
	if c == liveCalls[0] {
		t.goroutines = int(number(goroutines))
	}
	return t.over(v, v.liveCells(c, goroutines, rundata.NsPerOp, v.names))
}

// liveCells are those of a call by a number of goroutines, by what is pending.
func (v *view) liveCells(c liveCall, goroutines, unit string, names []string) cells {
	return cells{series: v.data.Select(rundata.Cost, "op="+c.op, "goroutines="+goroutines), key: "pending", unit: unit, ways: v.each(names)}
}

// livePairs returns the series of a call.
func (v *view) livePairs(c liveCall) []*rundata.Series {
	return v.data.Select(rundata.Cost, "op="+c.op)
}

// goroutineCounts returns [""] if the data do not say, and none if there are none.
func (v *view) goroutineCounts(c liveCall) []string {
	series := v.livePairs(c)
	if counts := rundata.Distinct(series, "goroutines"); len(counts) > 0 || len(series) == 0 {
		return counts
	}
	return []string{""}
}

// goroutinesAsked returns the numbers of goroutines that programs ask of a call: one, and as many as
// processors, as far as these were measured.
func (v *view) goroutinesAsked(c liveCall) (asked []string) {
	most := ""
	for _, g := range v.goroutineCounts(c) {
		switch n := int(number(g)); {
		case n <= 1:
			asked = append(asked, g)
		case (n <= v.cores() || v.cores() == 0) && n > int(number(most)):
			most = g
		}
	}
	if most != "" {
		asked = append(asked, most)
	}
	return asked
}

func (v *view) liveAt(c liveCall, impl, goroutines string, pending int) *rundata.Series {
	return v.one(rundata.Cost, "op="+c.op, "impl="+impl, "goroutines="+goroutines, fmt.Sprintf("pending=%d", pending))
}

func (v *view) livePanel(c liveCall, goroutines, what, unit string, names []string) *chart.Panel {
	p := &chart.Panel{
		Title: what, X: pendingAxis(v.livePairs(c)), Y: nanosAxis(c.calls() + ", lower is better"),
		Lines: v.liveCells(c, goroutines, unit, names).medians(),
	}
	switch goroutines {
	case "":
	case "1":
		p.Title += ", 1 goroutine"
	default:
		p.Title += ", " + goroutines + " goroutines at once"
	}
	return p
}

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
			c := v.parallelCells("goroutines", fmt.Sprintf("pending=%d", n))
			x := chart.Axis{Label: "goroutines", Log: true, At: floats(integers(v.data.Select(rundata.Parallel), "goroutines")), Format: words.Count}
			with := ", " + words.Count(float64(n)) + " pending"
			f.Rows = append(f.Rows, []*chart.Panel{
				{Title: "time for a pair" + with, X: x, Y: nanosAxis("time over pairs of all, lower is better"), Lines: c.medians()},
				{Title: "throughput against that of 1 goroutine" + with, X: x, Lines: c.drawn(v.speedup),
					Y: chart.Axis{Label: "times as many pairs a second, higher is better", WithZero: true, Format: words.Times}},
			})
			f.Height += chart.Inches(3.4)
		}
		return []*chart.Figure{f}
	},
	tables: func(v *view) []*text.Table {
		t := tableOf("AfterFunc and Stop by many goroutines at once, through one driver", 2, v.ordered(v.data.Select(rundata.Parallel), "pending", "goroutines"), []column{
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
		counts := integers(v.data.Select(rundata.Parallel), "goroutines")
		if len(counts) == 0 {
			return nil
		}
		most := counts[len(counts)-1]
		t := topic{name: "AfterFunc and Stop by " + words.Many(most, "goroutine") + " at once", takes: "as long", where: "with %s pending",
			baseline: catalog.RuntimeTimer, ways: true}
		return []topic{t.over(v, v.parallelCells("pending", fmt.Sprintf("goroutines=%d", most)))}
	},
}

// inboxStyles distinguish the inboxes of one contestant. Its own style is that of
// the first.
var inboxStyles = map[string]chart.Style{
	rundata.InboxSharded: {Colour: chart.RGB(0xAA4499), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	rundata.InboxQueued:  {Colour: chart.RGB(0x999933), Glyph: draw.PyramidGlyph{}, Dashes: chart.Dash(3, 2)},
}

// parallelCells are those of the inboxes, by a parameter.
func (v *view) parallelCells(key string, params ...string) cells {
	return cells{
		series: v.data.Select(rundata.Parallel, params...), key: key, unit: rundata.NsPerOp,
		ways: v.ways(v.data.Select(rundata.Parallel), "inbox", inboxStyles, ofRuntime),
	}
}

// speedup is the throughput as a multiple of that of one goroutine.
func (v *view) speedup(s *rundata.Series) judge.Summary {
	alone := summary(v.one(rundata.Parallel, "impl="+s.Get("impl"), "inbox="+s.Get("inbox"), "pending="+s.Get("pending"), "goroutines=1"), rundata.NsPerOp).Median
	var gains []float64
	for _, ns := range samples(s, rundata.NsPerOp) {
		if g := alone / ns; g > 0 && !math.IsInf(g, 0) {
			gains = append(gains, g)
		}
	}
	return summarize(gains)
}
