package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// way is a contestant in one of the ways it was measured, by the parameters of its series. The first is impl.
type way struct {
	name   string
	style  chart.Style
	params []string
}

// aa returns the parameters of its second measurement.
func (w way) aa() []string {
	params := slices.Clone(w.params)
	params[0] += rundata.AASuffix
	return params
}

// each returns contestants as they are, with further parameters.
func (v *Report) each(names []string, params ...string) []way {
	return lists.Each(names, func(name string) way { return way{name, v.styles[name], append([]string{"impl=" + name}, params...)} })
}

// tickless returns the contestants that sleep until something is due.
func (v *Report) tickless() []way {
	return lists.Each(v.names, func(name string) way { return v.each([]string{name}, "waking="+withoutTicks(name))[0] })
}

// wayStyles distinguish the ways of one contestant, by the value of the parameter. Its own style is that of others: the first
// inbox, running inline, and ways of waiting.
var wayStyles = map[string]chart.Style{
	rundata.InboxSharded: {Colour: chart.RGB(0xAA4499), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	rundata.InboxQueued:  {Colour: chart.RGB(0x999933), Glyph: draw.PyramidGlyph{}, Dashes: chart.Dash(3, 2)},
	rundata.RunGoroutine: {Colour: chart.RGB(0xEE3377), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	rundata.RunPool:      {Colour: chart.RGB(0x00A5B5), Glyph: draw.PyramidGlyph{}, Dashes: chart.Dash(3, 2)},
}

// ways returns the ways of series: each contestant, in the order of the charts, with each value of a parameter. plain
// reports whether a name leaves its value out.
func (v *Report) ways(series []*rundata.Series, key string, plain func(name, value string) bool) (found []way) {
	d := rundata.Data{Series: series}
	for _, name := range v.names {
		for _, value := range rundata.Distinct(d.Select("", "impl="+name), key) {
			w := way{name: name, style: v.styles[name], params: []string{"impl=" + name, key + "=" + value}}
			if !plain(name, value) {
				w.name += ", " + value
			}
			if own, ok := wayStyles[value]; ok {
				w.style = own
			}
			found = append(found, w)
		}
	}
	return found
}

// ofRuntime reports whether a name is of time.AfterFunc, which has one way only.
func ofRuntime(name, _ string) bool { return name == catalog.RuntimeTimer }

var parallelChapter = chapter{
	section: whichFastest,
	figures: func(v *Report) []*chart.Figure {
		f := &chart.Figure{
			Name:  "parallel",
			Title: "Which inbox of a driver is fastest when many goroutines start and stop timers?",
			Subtitle: "AfterFunc and Stop on the real clock, each goroutine with timers of its own, one driver for all; " +
				"median and 95 % interval",
			Width: chart.Inches(9.6), Height: chart.Inches(1.6),
		}
		panels := lists.Each(values(v.data.Select(rundata.Parallel), "pending"), func(n string) *chart.Panel {
			return v.parallelCells("goroutines", "pending="+n).panel(valueWords(n)+" pending", "goroutines", nanosAxis("time over pairs of all, lower is better"))
		})
		f.Rows = chart.InRows(panels, 2)
		f.Height += chart.Inches(3.4 * float64(len(f.Rows)))
		return []*chart.Figure{f}
	},
	tables: func(v *Report) []*text.Table {
		t := tableOf("AfterFunc and Stop by many goroutines at once, through one driver", 2, v.ordered(v.data.Select(rundata.Parallel), "pending", "goroutines"), []column{
			contestant, param("inbox", "inbox"), amount("pending", "pending"), amount("goroutines", "goroutines"),
			median("time for a pair", rundata.NsPerOp, words.Nanos),
			{"pairs a second", func(s *rundata.Series) string { return words.PerSecond(1e9 / summary(s, rundata.NsPerOp).Median) }},
			median("CPU of a pair", rundata.CPUPerOp, words.Nanos),
		})
		t.Notes = []string{"The time is wall time divided by the pairs of all goroutines. The CPU time is of the process, with the driver's goroutine and garbage collection."}
		return []*text.Table{t}
	},
	measures: func(v *Report) []measure {
		most := last(values(v.data.Select(rundata.Parallel), "goroutines"))
		return []measure{{name: "AfterFunc and Stop by " + words.Many(int(number(most)), "goroutine") + " at once", takes: "as long", where: "with %s pending",
			baseline: catalog.RuntimeTimer, ways: true, of: v.parallelCells("pending", "goroutines="+most)}}
	},
}

func (v *Report) parallelCells(key string, params ...string) grid {
	return grid{
		series: v.data.Select(rundata.Parallel, params...), key: key, unit: rundata.NsPerOp,
		ways: v.ways(v.data.Select(rundata.Parallel), "inbox", ofRuntime),
	}
}

var slowChapter = chapter{
	section: howLate,
	figures: func(v *Report) []*chart.Figure {
		series := v.data.Select(rundata.Slow)
		return []*chart.Figure{{
			Name: "slow", Named: true, Alike: true,
			Title: "One task in every 100 ms takes 10 ms: how late are the others?",
			Subtitle: "Lateness of the other timers after their planned deadline, from the median to the latest, " + trimmed(series) + "; " +
				"marks at 50 %, 90 %, 99 % and so on" + atRate(prevalent(series, "rate")),
			Width: chart.Inches(10.6), Height: chart.Inches(5.6), Rows: chart.InRows(v.slowCells().spectra("%s"), 2),
		}}
	},
	tables: func(v *Report) []*text.Table {
		return []*text.Table{tableOf("Lateness of the others when one task in every 100 ms takes 10 ms", 3, v.ordered(v.data.Select(rundata.Slow), "task"),
			[]column{contestant, param("running", "running"), param("slow task", "task"), late50, late90, late99, lateWorst},
			answers, []column{cpuShare})}
	},
	measures: func(v *Report) []measure {
		return []measure{{name: "lateness beside slow tasks, 99th percentile", takes: "as long", where: "where %s",
			baseline: catalog.RuntimeTimer, ways: true, of: v.slowCells()}}
	},
}

func (v *Report) slowCells() grid {
	series := v.data.Select(rundata.Slow)
	return grid{series, "task", slowTaskName, rundata.P99Late, v.ways(series, "running", func(_, running string) bool {
		return running == rundata.RunRuntime || running == rundata.RunPreset
	})}
}

func slowTaskName(task string) string {
	return cmp.Or(map[string]string{rundata.SlowSleeps: "slow tasks sleep", rundata.SlowBurns: "slow tasks burn CPU"}[task], task)
}

var waitingChapter = chapter{
	heading: "How much lateness does precise waiting save over the Go runtime's?",
	section: howLate,
	tables: func(v *Report) []*text.Table {
		idle := func(head string, c column) column {
			return column{head, func(s *rundata.Series) string {
				same := v.one(rundata.Idle, "impl="+s.Get("impl"), "waiting="+s.Get("waiting"), "pending="+s.Get("pending"))
				return c.cell(same)
			}}
		}
		return []*text.Table{tableOf("Ways of sleeping, without ticks", 2, v.ordered(v.slept(), "pending"),
			[]column{contestant, param("waiting", "waiting"), amount("others pending", "pending"), late50, late99, lateWorst, cpuShare, wakeups,
				idle("idle CPU of a core", cpuShare), idle("idle wake-ups", wakeups)},
			answers)}
	},
	measures: func(v *Report) []measure {
		return []measure{{name: "median lateness by way of waiting", takes: "as long", where: "with %s others pending", baseline: catalog.RuntimeTimer,
			ways: true, of: grid{v.slept(), "pending", nil, rundata.P50Late, v.ways(v.slept(), "waiting", ofRuntime)}}}
	},
}

// slept returns the series of jitter that differ in their way of waiting.
func (v *Report) slept() []*rundata.Series {
	return slices.DeleteFunc(v.data.Select(rundata.Jitter), func(s *rundata.Series) bool { return s.Get("waiting") == "" })
}
