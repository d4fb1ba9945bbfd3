package report

import (
	"time"

	"schedbench/harness"
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
func (v *view) memoryFigure() *figure {
	series := v.pendingMemory()
	f := &figure{
		name: "memory", alike: true, width: inches(9.6), height: inches(5.4),
		title: "How much memory does a pending timer take?",
		subtitle: "Heap in use for each timer: just inserted, and after every timer was cancelled and " +
			"another inserted; median and 95 % interval",
	}
	var panels []*panel
	for _, kind := range []struct{ title, unit string }{
		{"just inserted", harness.BytesPerTimer},
		{"after replacing all", harness.ChurnedPerTimer},
	} {
		p := &panel{
			title: kind.title, x: pendingAxis(series),
			y: axis{label: "bytes per timer, lower is better", format: tidy(bytes), log: true},
		}
		for _, name := range v.names {
			p.lines = append(p.lines, v.against(series, "pending", name, kind.unit))
		}
		panels = append(panels, p)
	}
	f.rows = inRows(panels, 2)
	return f
}

// horizonFigure shows what a scheduler takes up before it holds anything.
func (v *view) horizonFigure() *figure {
	series := v.data.Select(harness.Memory)
	p := &panel{
		x: axis{
			label: "horizon: how far ahead deadlines may lie", log: true,
			at: floats(durations(series, "horizon")), format: span,
		},
		y: axis{label: "memory when empty, lower is better", log: true, format: tidy(bytes)},
	}
	for _, name := range v.names {
		l := line{name: name, look: v.looks[name]}
		for _, horizon := range durations(series, "horizon") {
			if s := v.one(harness.Memory, "impl="+name, "horizon="+v.horizon(horizon)); s != nil {
				l.pts = append(l.pts, at(float64(horizon), summary(s, harness.BytesPerWheel)))
			}
		}
		p.lines = append(p.lines, l)
	}
	return &figure{
		name: "memory-horizon", named: true, rows: [][]*panel{{p}}, width: inches(8.6), height: inches(5.4),
		title:    "What does a wide horizon cost before anything is scheduled?",
		subtitle: "Heap in use of a scheduler with nothing in it; median and 95 % interval",
	}
}

// horizon returns the label that the data give a horizon.
func (v *view) horizon(horizon time.Duration) string {
	return labelOf(v.data.Select(harness.Memory), "horizon", horizon)
}

// gcFigure shows what pending timers cost the garbage collector.
func (v *view) gcFigure() *figure {
	series := v.pendingMemory()
	p := &panel{
		x: pendingAxis(series),
		y: axis{label: "time of a collection, lower is better", log: true, format: tidy(nanos)},
	}
	for _, name := range v.names {
		p.lines = append(p.lines, v.against(series, "pending", name, harness.GCNs))
	}
	if bare := v.against(series, "pending", nothing, harness.GCNs); len(bare.pts) > 0 {
		p.bands = []stretch{{"nothing pending", bare.pts}}
	}
	return &figure{
		name: "gc", named: true, rows: [][]*panel{{p}}, width: inches(8.6), height: inches(5.4),
		title:    "How long does a garbage collection take, with n timers pending?",
		subtitle: "A forced collection of the whole heap; median and 95 % interval",
	}
}
