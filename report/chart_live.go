package report

import (
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// livePairFigure shows what starting and stopping a timer costs a program that
// runs, a row for each number of goroutines doing it: what the caller waits for,
// and what the process works for it.
func (v *view) livePairFigure() *chart.Figure {
	series := v.data.Select(harness.Cost, "op="+harness.OpLivePair)
	f := &chart.Figure{
		Name: "live-pair", Alike: true,
		Title: "What do AfterFunc and Stop cost in a running program?",
		Subtitle: "A timer stopped and another started on the real clock, garbage collected as usual; median and 95 % interval. " +
			"CPU time is of the whole process: the worker and the garbage collector are in it",
		Width: chart.Inches(9.6), Height: chart.Inches(1.8),
	}
	for _, goroutines := range goroutineCounts(series) {
		f.Rows = append(f.Rows, []*chart.Panel{
			v.livePanel(series, goroutines, "time of the caller", harness.NsPerOp),
			v.livePanel(series, goroutines, "CPU time of the process", harness.CPUPerOp),
		})
		f.Height += chart.Inches(3.4)
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

func (v *view) livePanel(series []*harness.Series, goroutines, what, unit string) *chart.Panel {
	p := &chart.Panel{
		Title: what,
		X:     pendingAxis(series),
		Y:     chart.Axis{Label: "AfterFunc and Stop, lower is better", Log: true, Format: words.Tidy(words.Nanos)},
	}
	switch goroutines {
	case "":
	case "1":
		p.Title += ", 1 goroutine"
	default:
		p.Title += ", " + goroutines + " goroutines at once"
	}
	for _, name := range v.names {
		p.Lines = append(p.Lines, v.against(series, "pending", name, unit, "goroutines="+goroutines))
	}
	return p
}
