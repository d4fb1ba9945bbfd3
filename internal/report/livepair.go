package report

import (
	"fmt"
	"maps"
	"slices"

	"schedbench/catalog"
	"schedbench/harness/rundata"
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
	t := topic{name: c.calls(), short: c.short, takes: "as long", where: "with %s pending", yardstick: catalog.RuntimeTimer,
		repeat: repeatOp(c.op)}
	t.votes = slices.Contains(v.goroutinesAsked(c), goroutines)
	if goroutines != "" && goroutines != "1" {
		t.name += " by " + goroutines + " goroutines"
		t.short += ", " + goroutines
	}
	if c == liveCalls[0] {
		t.goroutines = int(number(goroutines))
	}
	for _, n := range integers(v.livePairs(c), "pending") {
		t.add(words.Count(float64(n)), v.names, func(name string) []float64 {
			return blocksOf(v.liveAt(c, name, goroutines, n), rundata.NsPerOp)
		})
	}
	return t
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
	series := v.livePairs(c)
	p := &chart.Panel{Title: what, X: pendingAxis(series), Y: nanosAxis(c.calls() + ", lower is better")}
	switch goroutines {
	case "":
	case "1":
		p.Title += ", 1 goroutine"
	default:
		p.Title += ", " + goroutines + " goroutines at once"
	}
	for _, name := range names {
		p.Lines = append(p.Lines, v.against(series, "pending", name, unit, "goroutines="+goroutines))
	}
	return p
}
