package report

import (
	"time"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// pendingMemory returns the memory series that count timers, and not wheels.
func (v *view) pendingMemory() []*harness.Series {
	var found []*harness.Series
	for _, s := range v.data.Select(harness.Memory) {
		if s.Get("pending") != "" {
			found = append(found, s)
		}
	}
	return found
}

// memoryFigure shows what a pending timer takes up, at first and after all
// have been replaced.
func (v *view) memoryFigure() *chart.Figure {
	series := v.pendingMemory()
	f := &chart.Figure{
		Name: "memory", Alike: true, Width: chart.Inches(9.6), Height: chart.Inches(5.4),
		Title: "How much memory does a pending timer take?",
		Subtitle: "Heap in use for each timer: just inserted, and after every timer was cancelled and " +
			"another inserted; median and 95 % interval",
	}
	var panels []*chart.Panel
	for _, kind := range []struct{ title, unit string }{
		{"just inserted", harness.BytesPerTimer},
		{"after replacing all", harness.ChurnedPerTimer},
	} {
		p := &chart.Panel{
			Title: kind.title, X: pendingAxis(series),
			Y: chart.Axis{Label: "bytes per timer, lower is better", Format: words.Tidy(words.Bytes), Log: true},
		}
		for _, name := range v.names {
			p.Lines = append(p.Lines, v.against(series, "pending", name, kind.unit))
		}
		panels = append(panels, p)
	}
	f.Rows = chart.InRows(panels, 2)
	return f
}

// horizonFigure shows what a scheduler takes up before it holds anything.
func (v *view) horizonFigure() *chart.Figure {
	series := v.data.Select(harness.Memory)
	p := &chart.Panel{
		X: chart.Axis{
			Label: "horizon: how far ahead deadlines may lie", Log: true,
			At: floats(durations(series, "horizon")), Format: words.Span,
		},
		Y: chart.Axis{Label: "memory when empty, lower is better", Log: true, Format: words.Tidy(words.Bytes)},
	}
	for _, name := range v.names {
		l := chart.Line{Name: name, Style: v.looks[name]}
		for _, horizon := range durations(series, "horizon") {
			if s := v.one(harness.Memory, "impl="+name, "horizon="+v.horizon(horizon)); s != nil {
				l.Points = append(l.Points, at(float64(horizon), summary(s, harness.BytesPerWheel)))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return &chart.Figure{
		Name: "memory-horizon", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(5.4),
		Title:    "What does a wide horizon cost before anything is scheduled?",
		Subtitle: "Heap in use of a scheduler with nothing in it; median and 95 % interval",
	}
}

// horizon returns the label that the data give a horizon.
func (v *view) horizon(horizon time.Duration) string {
	return labelOf(v.data.Select(harness.Memory), "horizon", horizon)
}

// gcFigure shows what pending timers cost the garbage collector.
func (v *view) gcFigure() *chart.Figure {
	series := v.pendingMemory()
	p := &chart.Panel{
		X: pendingAxis(series),
		Y: chart.Axis{Label: "time of a collection, lower is better", Log: true, Format: words.Tidy(words.Nanos)},
	}
	for _, name := range v.names {
		p.Lines = append(p.Lines, v.against(series, "pending", name, harness.GCNs))
	}
	if bare := v.against(series, "pending", harness.NothingControl, harness.GCNs); len(bare.Points) > 0 {
		p.Bands = []chart.Band{{Name: "nothing pending", Points: bare.Points}}
	}
	return &chart.Figure{
		Name: "gc", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(5.4),
		Title:    "How long does a garbage collection take, with n timers pending?",
		Subtitle: "A forced collection of the whole heap; median and 95 % interval",
	}
}
