package report

import "schedbench/harness"

// controlFigure shows what the harness read of what was built to be known.
func (v *view) controlFigure() *figure {
	series := v.data.Select(harness.Control)
	p := &panel{
		x:      axis{label: "built to take", log: true, format: tidy(nanos)},
		y:      axis{label: "read by the harness", log: true, format: tidy(nanos)},
		guides: []guide{{"read = built", func(x float64) float64 { return x }}},
		anchor: point{x: 1, y: 1},
	}
	for i, what := range harness.Distinct(series, "what") {
		l := line{name: what, look: reserve[i%len(reserve)]}
		for _, s := range v.data.Select(harness.Control, "what="+what) {
			if known := summary(s, harness.KnownNs); known.N > 0 {
				l.pts = append(l.pts, at(known.Median, summary(s, harness.ReadNs)))
			}
		}
		p.lines = append(p.lines, l)
	}
	return &figure{
		name: "control", named: true, rows: [][]*panel{{p}}, width: inches(8.6), height: inches(5),
		title:    "Does the harness read back what is known?",
		subtitle: "Work, delays and CPU time of a known size, as measured; median and 95 % interval",
	}
}
