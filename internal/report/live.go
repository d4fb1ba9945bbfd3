package report

import (
	"maps"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// liveCall is an operation in a running program by some goroutines, both as in the data.
type liveCall struct{ op, goroutines string }

func (c liveCall) calls() string { return OperationOf(c.op).Word }

// liveCalls are those that were timed, each on the same timers.
func (v *Report) liveCalls() (all []liveCall) {
	for _, op := range []string{rundata.OpLivePair, rundata.OpLiveReset} {
		for _, goroutines := range rundata.Distinct(v.called(op), "goroutines") {
			all = append(all, liveCall{op, goroutines})
		}
	}
	return all
}

func (v *Report) called(op string) []*rundata.Series { return v.data.Select(rundata.Cost, "op="+op) }

// livePairChapter is the cost of starting and stopping a timer in a running program, and of moving one, by the number
// of goroutines. It has the time of the caller and the CPU time of the process.
var livePairChapter = chapter{
	section: whichFastest,
	figures: func(v *Report) []*chart.Figure {
		const most = 10 // lines that an eye distinguishes
		measured := rundata.Distinct(append(v.called(rundata.OpLivePair), v.called(rundata.OpLiveReset)...), "impl")
		names := lists.Only(v.names, func(name string) bool { return slices.Contains(measured, name) })
		systems := v.systems(names)
		if len(names) <= most || len(systems) == 0 || len(systems) == len(names) {
			return []*chart.Figure{v.liveFigure("live-pair", "in a running program", names)}
		}
		rest := lists.Only(names, func(name string) bool { return !slices.Contains(systems, name) })
		both := lists.Only([]string{catalog.Hier, catalog.RuntimeTimer}, func(name string) bool { return slices.Contains(names, name) })
		return []*chart.Figure{
			v.liveFigure("live-pair", "in a running program", rest),
			v.liveFigure("live-pair-systems", "in known systems", append(systems, both...)),
		}
	},
	tables: func(v *Report) (tables []*text.Table) {
		for _, calls := range lists.Groups(v.liveCalls(), func(c liveCall) string { return c.op }) {
			of := lists.Each(calls, v.liveTable)
			explain(of[0], OperationOf(calls[0].op))
			tables = append(tables, of...)
		}
		return tables
	},
	measures: func(v *Report) []measure { return lists.Each(v.liveCalls(), v.liveMeasure) },
}

// systems returns the names of presets, and both names of each pair of besides: an original and its preset.
func (v *Report) systems(names []string) []string {
	beside := besides(v.data, v.names)
	others := slices.Collect(maps.Values(beside))
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !preset(name) && beside[name] == "" && !slices.Contains(others, name)
	})
}

// liveFigure has a row for each call and number of goroutines, for some contestants. how ends its title.
func (v *Report) liveFigure(file, how string, names []string) *chart.Figure {
	f := &chart.Figure{
		Name: file, Alike: true,
		Title: "What do AfterFunc and Stop, and Reset, cost " + how + "?",
		Subtitle: "A timer stopped and another started on the real clock, or one moved, garbage collected as usual; median and 95 % interval. " +
			"Middle: the time of the caller as a multiple of the best shown. CPU time is of the whole process: the worker and the garbage collector are in it",
		Width: chart.Inches(13), Height: chart.Inches(1.8),
	}
	for _, c := range v.liveCalls() {
		caller, shown := v.livePanel(c, "time of the caller", rundata.NsPerOp, names), v.liveMeasure(c)
		shown.of = v.liveGrid(c, rundata.NsPerOp, names) // the best is one that the reader sees
		f.Rows = append(f.Rows, []*chart.Panel{
			caller, v.ratioPanel(caller, v.decide(shown).at), v.livePanel(c, "CPU time of the process", rundata.CPUPerOp, names),
		})
		f.Height += chart.Inches(3.4)
	}
	return f
}

// liveTable has a row for each number pending, with ratios and CPU times below it.
func (v *Report) liveTable(c liveCall) *text.Table {
	t := v.across("Cost of "+c.calls()+" in a running program, goroutines: "+c.goroutines,
		v.liveGrid(c, rundata.NsPerOp, nil), catalog.RuntimeTimer,
		median("", rundata.NsPerOp, words.Nanos), median("  CPU", rundata.CPUPerOp, words.Nanos))
	t.Notes = []string{"CPU time is of the whole process, with the driver's worker and garbage collection."}
	return t
}

func (v *Report) liveMeasure(c liveCall) measure {
	t := measure{name: c.calls(), group: strings.TrimPrefix(c.op, "live-"), takes: "as long", where: "with %s pending", baseline: catalog.RuntimeTimer,
		of: v.liveGrid(c, rundata.NsPerOp, v.names), votes: slices.Contains(v.liveAsked(c.op), c)}
	if c.goroutines != "1" {
		t.name += " by " + c.goroutines + " goroutines"
	}
	return t
}

func (v *Report) liveGrid(c liveCall, unit string, names []string) grid {
	return grid{v.data.Select(rundata.Cost, "op="+c.op, "goroutines="+c.goroutines), "pending", nil, unit, v.each(names)}
}

// liveAsked returns the calls of op that vote: by one goroutine, and by the largest measured number of goroutines
// that is not above the number of processors.
func (v *Report) liveAsked(op string) (asked []liveCall) {
	var most liveCall
	for _, c := range v.liveCalls() {
		switch n := int(number(c.goroutines)); {
		case c.op != op:
		case n <= 1:
			asked = append(asked, c)
		case (n <= v.cores() || v.cores() == 0) && n > int(number(most.goroutines)):
			most = c
		}
	}
	if most.op != "" {
		asked = append(asked, most)
	}
	return asked
}

func (v *Report) livePanel(c liveCall, what, unit string, names []string) *chart.Panel {
	p := &chart.Panel{
		Title: what, X: v.pendingAxis(c.op), Y: nanosAxis(c.calls() + ", lower is better"),
		Lines: v.liveGrid(c, unit, names).medians(),
	}
	if p.Title += ", " + words.Many(int(number(c.goroutines)), "goroutine"); c.goroutines != "1" {
		p.Title += " at once"
	}
	return p
}

var burstChapter = chapter{
	heading: "How long do timers take when all are due at once?",
	section: howLate,
	tables: func(v *Report) []*text.Table {
		t := tableOf("A burst: timers that are all due at once", 1, v.ordered(v.data.Select(rundata.Burst)), []column{
			contestant, amount("timers", "pending"),
			median("until the last has run", rundata.DoneNs, words.Nanos), median("longest gap", rundata.GapNs, words.Nanos),
			late50, late99, median("CPU for each timer", rundata.CPUPerTimer, words.Nanos),
		}, answers)
		t.Notes = []string{"The gap is the longest time between the first and the last in which none ran. " +
			"The CPU time is of the process, from 5 ms before the deadline on, with garbage collection."}
		explain(t, OperationOf("burst"))
		return []*text.Table{t}
	},
	measures: func(v *Report) []measure {
		return []measure{
			v.massMeasure(rundata.Burst, rundata.DoneNs, "a burst, until the last has run"),
			v.massMeasure(rundata.Burst, rundata.CPUPerTimer, "a burst, CPU time"),
		}
	},
}

// massMeasure is who takes least of something for timers that come in masses.
func (v *Report) massMeasure(experiment, unit, name string) measure {
	return measure{name: name, group: "expire", takes: "as long", where: "with %s timers", baseline: catalog.RuntimeTimer,
		of: grid{v.data.Select(experiment), "pending", nil, unit, v.each(v.names)}}
}

var drainChapter = chapter{
	heading: "What does a timer cost when half a million fire a second?",
	section: howLate,
	tables: func(v *Report) []*text.Table {
		return []*text.Table{tableOf("Timers that run out on the real clock, half a million a second", 1, v.ordered(v.data.Select(rundata.Drain)), []column{
			contestant, amount("timers", "pending"),
			median("CPU for each timer", rundata.CPUPerTimer, words.Nanos), median("noting it", rundata.NotingCPU, words.Nanos),
			late50, late99, lateWorst,
		}, answers)}
	},
	measures: func(v *Report) []measure {
		return []measure{v.massMeasure(rundata.Drain, rundata.CPUPerTimer, "running out, CPU time")}
	},
}

var floodChapter = chapter{
	heading: "How late is a timer right after a flood of others was armed and stopped?",
	section: howLate,
	tables: func(v *Report) []*text.Table {
		return []*text.Table{tableOf("A timer of 1 ms right after very many were armed and stopped", 1, v.ordered(v.data.Select(rundata.Flood)), []column{
			contestant, amount("armed and stopped", "stopped"),
			median("each took", rundata.NsPerOp, words.Nanos), median("the timer was late by", rundata.LateAfter, words.Nanos),
		})}
	},
}
