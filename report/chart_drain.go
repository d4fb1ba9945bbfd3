package report

import (
	"fmt"
	"strconv"

	"schedbench/harness"
)

// drainFigure shows what timers cost that run out on the real clock, and how late
// they are meanwhile.
func (v *view) drainFigure() *figure {
	series := v.withMost(harness.Drain)
	n := ""
	if len(series) > 0 {
		pending, _ := strconv.ParseFloat(series[0].Get("pending"), 64)
		n = count(pending) + " "
	}
	cpu := v.soloPanel("CPU time for each timer", axis{label: "of the whole process, lower is better", log: true, format: tidy(nanos)})
	late := v.soloPanel("99th percentile of lateness", axis{label: "late by, lower is better", log: true, format: tidy(nanos)})
	for _, s := range series {
		cpu.lines = append(cpu.lines, v.solo(s.Get("impl"), summary(s, harness.CPUPerTimer)))
		late.lines = append(late.lines, v.solo(s.Get("impl"), summary(s, harness.P99Late)))
	}
	return &figure{
		name: "drain", rows: [][]*panel{{cpu, late}}, width: inches(9.6), height: inches(4.8),
		title: fmt.Sprintf("What do %stimers cost that run out within two seconds?", n),
		subtitle: "From the first AfterFunc until the last task has run, garbage collected as usual; tasks run inline; " +
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
		t.add(s.Get("impl"), count(pending), within(summary(s, harness.CPUPerTimer), nanos),
			within(summary(s, harness.NotingCPU), nanos), within(summary(s, harness.P50Late), nanos), within(summary(s, harness.P99Late), nanos), latest(s),
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
		noting = fmt.Sprintf("; %s of it are for noting when each ran", nanos(part.Median))
	}
	return fmt.Sprintf("When %s timers run out within two seconds, each takes CPU time of %s%s.", count(pending), front, noting)
}
