package report

import (
	"schedbench/harness"
	"schedbench/judge"
)

// steps are the units of work counts, in the order of the tables.
var steps = []string{
	harness.VisitsPerOp, harness.MovesPerOp, harness.LevelsPerOp,
	harness.SlotsPerOp, harness.CascadesPerOp, harness.SweptPerOp,
}

// workFigure shows how many steps an operation takes: the same on any machine.
func (v *view) workFigure() *figure {
	f := &figure{
		name:  "work",
		title: "How many steps does an operation take, with n timers pending?",
		subtitle: "Steps: entries visited or moved, heap levels passed, slots opened, cascades, clean-up. " +
			"They are counted, not timed, and so the same on every machine",
		width: inches(10), height: inches(7),
	}
	var panels []*panel
	for _, op := range v.ops() {
		if p := v.workPanel(op); p.fit() {
			panels = append(panels, p)
		}
	}
	columns := 3
	switch {
	case len(panels) == 1:
		f.named, f.width, f.height = true, inches(8.6), inches(5.4)
	case len(panels) <= 4:
		columns = 2
	}
	f.rows = inRows(panels, columns)
	return f
}

func (v *view) workPanel(op string) *panel {
	series := v.data.Select(harness.Cost, "op="+op)
	delay := v.delays(op)[0]
	p := &panel{
		title:  op,
		x:      pendingAxis(series),
		y:      axis{label: "steps per operation", log: true, withZero: true, format: count},
		guides: guides(),
	}
	for _, name := range v.names {
		l := line{name: name, look: v.looks[name]}
		for _, n := range integers(series, "pending") {
			if taken, ok := stepsTaken(v.costAt(op, delay, name, n)); ok {
				l.pts = append(l.pts, at(float64(n), taken))
			}
		}
		p.lines = append(p.lines, l)
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
