package report

import (
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
)

// steps are the units of work counts, in the order of the tables.
var steps = []string{
	harness.VisitsPerOp, harness.MovesPerOp, harness.LevelsPerOp,
	harness.SlotsPerOp, harness.CascadesPerOp, harness.SweptPerOp,
}

// workFigure shows how many steps an operation takes: the same on any machine.
func (v *view) workFigure() *chart.Figure {
	f := &chart.Figure{
		Name:  "work",
		Title: "How many steps does an operation take, with n timers pending?",
		Subtitle: "Steps: entries visited or moved, heap levels passed, slots opened, cascades, clean-up. " +
			"They are counted, not timed, and so the same on every machine",
		Width: chart.Inches(10), Height: chart.Inches(7),
	}
	var panels []*chart.Panel
	for _, op := range v.ops() {
		if p := v.workPanel(op); p.Fit() {
			panels = append(panels, p)
		}
	}
	columns := 3
	switch {
	case len(panels) == 1:
		f.Named, f.Width, f.Height = true, chart.Inches(8.6), chart.Inches(5.4)
	case len(panels) <= 4:
		columns = 2
	}
	f.Rows = chart.InRows(panels, columns)
	return f
}

func (v *view) workPanel(op string) *chart.Panel {
	series := v.data.Select(harness.Cost, "op="+op)
	delay := v.delays(op)[0]
	p := &chart.Panel{
		Title:  op,
		X:      pendingAxis(series),
		Y:      chart.Axis{Label: "steps per operation", Log: true, WithZero: true, Format: words.Count},
		Guides: guides(),
	}
	for _, name := range v.names {
		l := chart.Line{Name: name, Style: v.looks[name]}
		for _, n := range integers(series, "pending") {
			if taken, ok := stepsTaken(v.costAt(op, delay, name, n)); ok {
				l.Points = append(l.Points, at(float64(n), taken))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

// stepsTaken adds up all kinds of steps, round by round, and reports whether
// any were counted.
func stepsTaken(s *harness.Series) (judge.Summary, bool) {
	var sum []float64
	for _, unit := range steps {
		for i, value := range samples(s, unit) {
			if i == len(sum) {
				sum = append(sum, 0)
			}
			sum[i] += value
		}
	}
	return summarize(sum), len(sum) > 0
}
