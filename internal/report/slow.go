package report

import (
	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// slowQuestion is how late the others are when some tasks take long.
var slowQuestion = question{
	section: howLate, experiments: []string{rundata.Slow},
	figures: func(v *view) []*chart.Figure {
		series := v.data.Select(rundata.Slow)
		f := &chart.Figure{
			Name: "slow", Named: true, Alike: true,
			Title: "One task in every 100 ms takes 10 ms: how late are the others?",
			Subtitle: "Lateness of the other timers after their planned deadline, from the median to the latest, nothing trimmed; " +
				"marks at 50 %, 90 %, 99 % and so on" + atRate(prevalent(series, "rate")),
			Width: chart.Inches(8.6), Height: chart.Inches(5.6),
		}
		var panels []*chart.Panel
		for _, task := range rundata.Distinct(series, "task") {
			panels = append(panels, v.spectraOf(slowTaskName(task), v.runningWays(), rundata.Slow, "task="+task))
		}
		if len(panels) > 1 {
			f.Width = chart.Inches(10.6)
		}
		f.Rows = chart.InRows(panels, 2)
		return []*chart.Figure{f}
	},
	tables: func(v *view) []*text.Table {
		var series []*rundata.Series
		for _, task := range rundata.Distinct(v.data.Select(rundata.Slow), "task") {
			series = append(series, v.ofWays(v.runningWays(), rundata.Slow, "task="+task)...)
		}
		return []*text.Table{tableOf("Lateness of the others when one task in every 100 ms takes 10 ms", 3, series,
			[]column{contender, param("running", "running"), param("slow task", "task"), late50, late90, late99, lateWorst},
			answers, []column{cpuShare})}
	},
	topics: func(v *view) []topic {
		t := topic{name: "lateness beside slow tasks, 99th percentile", takes: "as long", where: "where %s", yardstick: catalog.RuntimeTimer}
		for _, task := range rundata.Distinct(v.data.Select(rundata.Slow), "task") {
			t.addWays(v, slowTaskName(task), v.runningWays(), rundata.Slow, rundata.P99Late, "task="+task)
		}
		return []topic{t}
	},
}

// runningStyles distinguish the ways in which one contestant runs tasks. Its own
// style is that of running inline.
var runningStyles = map[string]chart.Style{
	rundata.RunGoroutine: {Colour: chart.RGB(0x882255), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	rundata.RunPool:      {Colour: chart.RGB(0x999933), Glyph: draw.PyramidGlyph{}, Dashes: chart.Dash(3, 2)},
}

// runningWays returns the ways of running that were measured with slow tasks.
func (v *view) runningWays() []way {
	return v.ways(v.data.Select(rundata.Slow), "running", runningStyles, func(_, running string) bool {
		return running == rundata.RunRuntime || running == rundata.RunOwn
	})
}

// slowTaskName says what a slow task does.
func slowTaskName(task string) string {
	switch task {
	case rundata.SlowSleeps:
		return "slow tasks sleep"
	case rundata.SlowBurns:
		return "slow tasks burn CPU"
	}
	return task
}

// pauseQuestion is how long those take to catch up that were stopped.
var pauseQuestion = question{
	heading: "How long does it take to catch up after half a second's stop?",
	section: howLate, experiments: []string{rundata.Pause},
	tables: func(v *view) []*text.Table {
		t := tableOf("A process that is stopped for half a second, with 1000 timers a second", 1, v.ordered(v.data.Select(rundata.Pause)), []column{
			contender, median("no task ran for", rundata.PausedNs, words.Nanos), median("came due meanwhile", rundata.DueMeanwhile, words.Count),
			median("caught up in", rundata.CatchUpNs, words.Nanos),
			median("driver reported", rundata.HookLate, words.Nanos), median("and of tasks", rundata.HookFired, words.Count),
		}, answers)
		t.Notes = []string{"The process is stopped and continued by signals, and its clock goes on meanwhile. " +
			"While a machine is suspended the clock stands still: that is not measured here."}
		return []*text.Table{t}
	},
	topics: func(v *view) []topic {
		t := topic{name: "catching up", short: "catch up", takes: "as long", where: "after a stop of %s", yardstick: catalog.RuntimeTimer,
			repeat: "--experiments pause"}
		for _, stopped := range rundata.Distinct(v.data.Select(rundata.Pause), "stopped") {
			t.add(stopped, v.names, func(name string) []float64 {
				return blocksOf(v.one(rundata.Pause, "impl="+name, "stopped="+stopped), rundata.CatchUpNs)
			})
		}
		return []topic{t}
	},
}
