package report

import (
	"fmt"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/quantile"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// burstQuestion is how a burst of timers that are all due at once is worked off,
// how long it takes, and what it costs.
var burstQuestion = question{
	section: howLate, experiments: []string{rundata.Burst},
	figures: func(v *view) []*chart.Figure {
		series, pending := v.withMost(rundata.Burst)
		course := &chart.Panel{
			Title: "share that has run",
			X:     nanosAxis("time after the deadline"),
			Y:     chart.Axis{Label: "share of timers", WithZero: true, Format: words.Share},
		}
		for _, s := range series {
			course.Lines = append(course.Lines, v.courseOf(s))
		}
		done := v.soloPanel("until the last has run", "time, lower is better", rundata.DoneNs, series)
		cpu := v.soloPanel("CPU time for each timer", "of the whole process, lower is better", rundata.CPUPerTimer, series)
		return []*chart.Figure{{
			Name: "burst", Rows: [][]*chart.Panel{{course, done, cpu}}, Width: chart.Inches(11), Height: chart.Inches(5),
			Title:    fmt.Sprintf("How long do %s timers take that are all due at once?", pending),
			Subtitle: "All tasks note the time and return; left: all rounds together, others: median and 95 % interval",
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
	t := topic{name: name, short: short, takes: "as long", where: "with %s timers", yardstick: catalog.RuntimeTimer,
		repeat: "--experiments " + strings.ToLower(experiment)}
	for _, n := range integers(v.data.Select(experiment), "pending") {
		t.add(words.Count(float64(n)), v.names, func(name string) []float64 {
			return blocksOf(v.one(experiment, "impl="+name, fmt.Sprintf("pending=%d", n)), unit)
		})
	}
	return t
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
	section: howLate, experiments: []string{rundata.Drain},
	figures: func(v *view) []*chart.Figure {
		series, pending := v.withMost(rundata.Drain)
		cpu := v.soloPanel("CPU time for each timer", "of the whole process, lower is better", rundata.CPUPerTimer, series)
		late := v.soloPanel("99th percentile of lateness", "late by, lower is better", rundata.P99Late, series)
		return []*chart.Figure{{
			Name: "drain", Rows: [][]*chart.Panel{{cpu, late}}, Width: chart.Inches(9.6), Height: chart.Inches(4.8),
			Title: fmt.Sprintf("What do %s timers cost that run out, half a million a second?", pending),
			Subtitle: "From the first AfterFunc until the last task has run, garbage collected as usual; tasks run inline; " +
				"median and 95 % interval",
		}}
	},
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
	section: howLate, experiments: []string{rundata.Flood},
	tables: func(v *view) []*text.Table {
		return []*text.Table{tableOf("A timer of 1 ms right after very many were armed and stopped", 1, v.ordered(v.data.Select(rundata.Flood)), []column{
			contender, amount("armed and stopped", "stopped"),
			median("each took", rundata.NsPerOp, words.Nanos), median("the timer was late by", rundata.LateAfter, words.Nanos),
		})}
	},
}
