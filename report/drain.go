package report

import (
	"fmt"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/report/chart"
	"schedbench/report/text"
)

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
			Title: fmt.Sprintf("What do %s timers cost that run out within two seconds?", pending),
			Subtitle: "From the first AfterFunc until the last task has run, garbage collected as usual; tasks run inline; " +
				"median and 95 % interval",
		}}
	},
	tables: func(v *view) []*text.Table {
		return []*text.Table{tableOf("Timers that run out on the real clock within two seconds", 1, v.ordered(v.data.Select(rundata.Drain)), []column{
			contender, amount("timers", "pending"),
			median("CPU for each timer", rundata.CPUPerTimer, words.Nanos), median("noting it", rundata.NotingCPU, words.Nanos),
			late50, late99, lateWorst,
		}, answers)}
	},
	topics: func(v *view) []topic {
		t := v.massTopic(rundata.Drain, rundata.CPUPerTimer, "running out within two seconds, CPU time", "run out, CPU")
		if series, _ := v.withMost(rundata.Drain); len(series) > 0 {
			if part := summary(series[0], rundata.NotingCPU); part.N > 0 {
				t.note = fmt.Sprintf("%s of each are for noting when it ran", words.Nanos(part.Median))
			}
		}
		return []topic{t}
	},
}
