package price

import (
	"fmt"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report"
	"schedbench/report/chart"
)

// changeFigure shows how late timers fire by when they are due, while the server that leads is killed
// and comes back, and where none is; and all of them together.
func (r results) changeFigure() *chart.Figure {
	course := &chart.Panel{
		Title: "the latest by when they are due",
		X:     chart.Axis{Label: "due so long after the kill", Format: words.Span},
		Y:     nanos("late by, lower is better"),
		Uprights: []chart.Rule{
			{At: 0, Name: "killed", Colour: chart.GridColour},
			{At: float64(killedFor), Name: "started again", Colour: chart.GridColour},
		},
	}
	all := report.SpectrumPanel("all of them")
	for _, k := range r.keepers(ChangeExperiment) {
		s := r.ofChange(k)
		if s == nil {
			continue
		}
		l := chart.Line{Name: k.name(), Style: k.style()}
		for _, at := range looks(s) {
			// Elections take now this long, now that: no mean has an interval that says something.
			m := judge.Median(s.Blocks(LateAt(at)))
			l.Points = append(l.Points, chart.Point{X: float64(at + lookEvery/2), Y: m.Value, Low: m.Low, High: m.High})
		}
		course.Lines = append(course.Lines, l)
		all.Lines = append(all.Lines, report.Spectrum(k.name(), k.style(), s))
	}
	return &chart.Figure{
		Name: "durable-change", Rows: [][]*chart.Panel{{course, all}}, Width: chart.Inches(11.5), Height: chart.Inches(5.6),
		Title: "How late do timers fire while the server that leads is killed and comes back?",
		Subtitle: fmt.Sprintf("%d servers, %s held; all timers were acknowledged before; left: the latest of those due within %s, median of the blocks, with their range or a 95 %% interval",
			clusterSize, timers(r.heldTold(ChangeExperiment)), words.Span(float64(lookEvery))),
	}
}
