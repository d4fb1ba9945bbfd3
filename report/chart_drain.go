package report

import (
	"fmt"
	"strconv"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// drainFigure shows what timers cost that run out on the real clock, and how late
// they are meanwhile.
func (v *view) drainFigure() *chart.Figure {
	series := v.withMost(harness.Drain)
	n := ""
	if len(series) > 0 {
		pending, _ := strconv.ParseFloat(series[0].Get("pending"), 64)
		n = words.Count(pending) + " "
	}
	cpu := v.soloPanel("CPU time for each timer", chart.Axis{Label: "of the whole process, lower is better", Log: true, Format: words.Tidy(words.Nanos)})
	late := v.soloPanel("99th percentile of lateness", chart.Axis{Label: "late by, lower is better", Log: true, Format: words.Tidy(words.Nanos)})
	for _, s := range series {
		cpu.Lines = append(cpu.Lines, v.solo(s.Get("impl"), summary(s, harness.CPUPerTimer)))
		late.Lines = append(late.Lines, v.solo(s.Get("impl"), summary(s, harness.P99Late)))
	}
	return &chart.Figure{
		Name: "drain", Rows: [][]*chart.Panel{{cpu, late}}, Width: chart.Inches(9.6), Height: chart.Inches(4.8),
		Title: fmt.Sprintf("What do %stimers cost that run out within two seconds?", n),
		Subtitle: "From the first AfterFunc until the last task has run, garbage collected as usual; tasks run inline; " +
			"median and 95 % interval",
	}
}

func (v *view) drainTable() *table {
	t := &table{
		title: "Timers that run out on the real clock within two seconds", names: 1,
		header: []string{"contender", "timers", "CPU for each timer", "noting it", "50 %", "99 %", "latest", "fired", "early", "lost", "doubled"},
	}
	for _, s := range v.ordered(v.data.Select(harness.Drain)) {
		pending, _ := strconv.ParseFloat(s.Get("pending"), 64)
		t.add(s.Get("impl"), words.Count(pending), within(summary(s, harness.CPUPerTimer), words.Nanos),
			within(summary(s, harness.NotingCPU), words.Nanos), within(summary(s, harness.P50Late), words.Nanos), within(summary(s, harness.P99Late), words.Nanos), latest(s),
			sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled))
	}
	return t
}

// drainLine says who lets timers run out for the least CPU time.
func (v *view) drainLine() string {
	series := v.withMost(harness.Drain)
	front := frontOf(series, harness.CPUPerTimer)
	if front == "" {
		return ""
	}
	pending, _ := strconv.ParseFloat(series[0].Get("pending"), 64)
	noting := ""
	if part := summary(series[0], harness.NotingCPU); part.N > 0 {
		noting = fmt.Sprintf("; %s of it are for noting when each ran", words.Nanos(part.Median))
	}
	return fmt.Sprintf("When %s timers run out within two seconds, each takes CPU time of %s%s.", words.Count(pending), front, noting)
}
