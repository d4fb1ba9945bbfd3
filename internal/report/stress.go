package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/quantile"
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
		panels := v.slowCells().spectra("%s")
		if len(panels) > 1 {
			f.Width = chart.Inches(10.6)
		}
		f.Rows = chart.InRows(panels, 2)
		return []*chart.Figure{f}
	},
	tables: func(v *view) []*text.Table {
		return []*text.Table{tableOf("Lateness of the others when one task in every 100 ms takes 10 ms", 3, v.ordered(v.data.Select(rundata.Slow), "task"),
			[]column{contender, param("running", "running"), param("slow task", "task"), late50, late90, late99, lateWorst},
			answers, []column{cpuShare})}
	},
	topics: func(v *view) []topic {
		t := topic{name: "lateness beside slow tasks, 99th percentile", takes: "as long", where: "where %s", baseline: catalog.RuntimeTimer, ways: true}
		return []topic{t.over(v, v.slowCells())}
	},
}

// runningStyles distinguish the ways in which one contestant runs tasks. Its own
// style is that of running inline.
var runningStyles = map[string]chart.Style{
	rundata.RunGoroutine: {Colour: chart.RGB(0x882255), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	rundata.RunPool:      {Colour: chart.RGB(0x999933), Glyph: draw.PyramidGlyph{}, Dashes: chart.Dash(3, 2)},
}

// slowCells are those of the ways of running tasks, by what slow ones do.
func (v *view) slowCells() cells {
	series := v.data.Select(rundata.Slow)
	return cells{series, "task", slowTaskName, rundata.P99Late, v.ways(series, "running", runningStyles, func(_, running string) bool {
		return running == rundata.RunRuntime || running == rundata.RunOwn
	})}
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
		t := topic{name: "catching up", short: "catch up", takes: "as long", where: "after a stop of %s", baseline: catalog.RuntimeTimer,
			repeat: "--experiments pause"}
		return []topic{t.over(v, cells{v.data.Select(rundata.Pause), "stopped", asIs, rundata.CatchUpNs, v.each(v.names)})}
	},
}

// burstQuestion is how a burst of timers that are all due at once is worked off,
// how long it takes, and what it costs.
var burstQuestion = question{
	section: howLate, experiments: []string{rundata.Burst},
	figures: func(v *view) []*chart.Figure {
		series, pending := v.withMost(rundata.Burst)
		course := &chart.Panel{
			X: nanosAxis("time after the deadline"),
			Y: chart.Axis{Label: "share of timers", WithZero: true, Format: words.Share},
		}
		for _, s := range series {
			course.Lines = append(course.Lines, v.courseOf(s))
		}
		return []*chart.Figure{{
			Name: "burst", Rows: [][]*chart.Panel{{course}}, Named: true, Width: chart.Inches(8.6), Height: chart.Inches(5),
			Title:    fmt.Sprintf("How long do %s timers take that are all due at once?", pending),
			Subtitle: "Share that has run, of all rounds together; all tasks note the time and return",
		}}
	},
	tables: func(v *view) []*text.Table {
		t := tableOf("A burst: timers that are all due at once", 1, v.ordered(v.data.Select(rundata.Burst)), []column{
			contender, amount("timers", "pending"),
			median("until the last has run", rundata.DoneNs, words.Nanos), median("longest gap", rundata.GapNs, words.Nanos),
			late50, late99, median("CPU for each timer", rundata.CPUPerTimer, words.Nanos),
		}, answers)
		t.Notes = []string{"The gap is the longest time between the first and the last in which none ran. " +
			"The CPU time is of the process, from 5 ms before the deadline on, with garbage collection."}
		explain(t, operationCalled("burst"))
		return []*text.Table{t}
	},
	topics: func(v *view) []topic {
		return []topic{
			v.massTopic(rundata.Burst, rundata.DoneNs, "a burst, until the last has run", "burst"),
			v.massTopic(rundata.Burst, rundata.CPUPerTimer, "a burst, CPU time", "burst, CPU"),
		}
	},
}

// massTopic is who takes least of something for timers that come in masses.
func (v *view) massTopic(experiment, unit, name, short string) topic {
	t := topic{name: name, short: short, takes: "as long", where: "with %s timers", baseline: catalog.RuntimeTimer,
		repeat: "--experiments " + strings.ToLower(experiment)}
	return t.over(v, cells{v.data.Select(experiment), "pending", nil, unit, v.each(v.names)})
}

// courseOf returns the share of timers that had run, against the time after
// their deadline.
func (v *view) courseOf(s *rundata.Series) chart.Line {
	l := chart.Line{Name: s.Get("impl"), Style: v.styles[s.Get("impl")], Marked: []chart.Point{}}
	if s.Late == nil || s.Late.TotalCount() == 0 {
		return l
	}
	const points = 100
	for i := range points + 1 {
		q := float64(i) / points
		pt := chart.At(float64(quantile.Of(s.Late, q)), q)
		l.Points = append(l.Points, pt)
		if i%25 == 0 && i > 0 {
			l.Marked = append(l.Marked, pt)
		}
	}
	return l
}

// drainQuestion is what timers cost that run out on the real clock, and how late
// they are meanwhile.
var drainQuestion = question{
	heading: "What do timers cost that run out, half a million a second?",
	section: howLate, experiments: []string{rundata.Drain},
	tables: func(v *view) []*text.Table {
		return []*text.Table{tableOf("Timers that run out on the real clock, half a million a second", 1, v.ordered(v.data.Select(rundata.Drain)), []column{
			contender, amount("timers", "pending"),
			median("CPU for each timer", rundata.CPUPerTimer, words.Nanos), median("noting it", rundata.NotingCPU, words.Nanos),
			late50, late99, lateWorst,
		}, answers)}
	},
	topics: func(v *view) []topic {
		t := v.massTopic(rundata.Drain, rundata.CPUPerTimer, "running out, CPU time", "run out, CPU")
		if series, _ := v.withMost(rundata.Drain); len(series) > 0 {
			if part := summary(series[0], rundata.NotingCPU); part.N > 0 {
				t.note = fmt.Sprintf("%s of each are for noting when it ran", words.Nanos(part.Median))
			}
		}
		return []topic{t}
	},
}

// floodQuestion is how late a timer is right after very many were armed and stopped.
var floodQuestion = question{
	heading: "How late is a timer right after very many were armed and stopped?",
	section: howLate, experiments: []string{rundata.Flood},
	tables: func(v *view) []*text.Table {
		return []*text.Table{tableOf("A timer of 1 ms right after very many were armed and stopped", 1, v.ordered(v.data.Select(rundata.Flood)), []column{
			contender, amount("armed and stopped", "stopped"),
			median("each took", rundata.NsPerOp, words.Nanos), median("the timer was late by", rundata.LateAfter, words.Nanos),
		})}
	},
}
