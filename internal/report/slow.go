package report

import (
	"fmt"
	"slices"
	"strings"

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
	sentences: func(v *view) []string {
		tasks := rundata.Distinct(v.data.Select(rundata.Slow), "task")
		if len(tasks) == 0 {
			return nil
		}
		var said []string
		for _, w := range v.runningWays() {
			if slices.Contains(w.params, "running="+rundata.RunOwn) {
				continue // known systems are many; the table has them
			}
			if s := summary(v.ofWay(w, rundata.Slow, "task="+tasks[0]), rundata.P99Late); s.N > 0 {
				said = append(said, fmt.Sprintf("%s by %s", strings.Replace(w.name, ", ", " ", 1), words.Time(s.Median)))
			}
		}
		if len(said) == 0 {
			return nil
		}
		return []string{fmt.Sprintf("When one task in every 100 ms takes 10 ms (%s), the others are late, at their 99th percentile: %s.",
			slowTaskName(tasks[0]), strings.Join(said, ", "))}
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
