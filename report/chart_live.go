package report

import "schedbench/harness"

// livePairFigure shows what starting and stopping a timer costs a program that
// runs, a row for each number of goroutines doing it: what the caller waits for,
// and what the process works for it.
func (v *view) livePairFigure() *figure {
	series := v.data.Select(harness.Cost, "op="+livePair)
	f := &figure{
		name: "live-pair", alike: true,
		title: "What do AfterFunc and Stop cost in a running program?",
		subtitle: "A timer stopped and another started on the real clock, garbage collected as usual; median and 95 % interval. " +
			"CPU time is of the whole process: the worker and the garbage collector are in it",
		width: inches(9.6), height: inches(1.8),
	}
	for _, goroutines := range goroutineCounts(series) {
		f.rows = append(f.rows, []*panel{
			v.livePanel(series, goroutines, "time of the caller", harness.NsPerOp),
			v.livePanel(series, goroutines, "CPU time of the process", harness.CPUPerOp),
		})
		f.height += inches(3.4)
	}
	return f
}

// goroutineCounts returns [""] if the data do not say.
func goroutineCounts(series []*harness.Series) []string {
	if counts := harness.Distinct(series, "goroutines"); len(counts) > 0 {
		return counts
	}
	return []string{""}
}

func (v *view) livePanel(series []*harness.Series, goroutines, what, unit string) *panel {
	p := &panel{
		title: what,
		x:     pendingAxis(series),
		y:     axis{label: "AfterFunc and Stop, lower is better", log: true, format: tidy(nanos)},
	}
	switch goroutines {
	case "":
	case "1":
		p.title += ", 1 goroutine"
	default:
		p.title += ", " + goroutines + " goroutines at once"
	}
	for _, name := range v.names {
		p.lines = append(p.lines, v.against(series, "pending", name, unit, "goroutines="+goroutines))
	}
	return p
}
