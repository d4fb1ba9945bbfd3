package report

import (
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// controlFigure shows what the harness read of what was built to be known.
func (v *view) controlFigure() *chart.Figure {
	series := v.data.Select(harness.Control)
	p := &chart.Panel{
		X:      chart.Axis{Label: "built to take", Log: true, Format: words.Tidy(words.Nanos)},
		Y:      chart.Axis{Label: "read by the harness", Log: true, Format: words.Tidy(words.Nanos)},
		Guides: []chart.Guide{{Name: "read = built", Of: func(x float64) float64 { return x }}},
		Anchor: chart.Point{X: 1, Y: 1},
	}
	for i, what := range harness.Distinct(series, "what") {
		l := chart.Line{Name: what, Style: chart.Reserve[i%len(chart.Reserve)]}
		for _, s := range v.data.Select(harness.Control, "what="+what) {
			if known := summary(s, harness.KnownNs); known.N > 0 {
				l.Points = append(l.Points, at(known.Median, summary(s, harness.ReadNs)))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return &chart.Figure{
		Name: "control", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(5),
		Title:    "Does the harness read back what is known?",
		Subtitle: "Work, delays and CPU time of a known size, as measured; median and 95 % interval",
	}
}
