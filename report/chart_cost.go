package report

import (
	"fmt"
	"math"

	"schedbench/harness"
)

// guides are the complexities to compare slopes with.
func guides() []guide {
	return []guide{
		{"O(1)", func(float64) float64 { return 1 }},
		{"O(log n)", func(n float64) float64 { return math.Log2(n + 1) }},
		{"O(n)", func(n float64) float64 { return n }},
	}
}

// questions are the titles of the charts of costs.
var questions = map[string]string{
	"insert": "What does inserting a timer cost, with n others pending?",
	"pair":   "What does cancelling a timer and inserting another cost, with n pending?",
	"reset":  "What does moving a timer to another deadline cost, with n pending?",
	"expire": "What does expiring a timer cost, with n pending?",
	"runout": "What does a timer cost from insertion to expiry, when n run out?",
	"tick":   "What does a tick with nothing due cost, with n pending?",
}

// question returns the title of the chart of an operation's cost.
func question(op string) string {
	if q, ok := questions[op]; ok {
		return q
	}
	return fmt.Sprintf("What does %s cost, with n pending?", op)
}

// pendingAxis is the x axis of charts against the number of pending timers.
func pendingAxis(series []*harness.Series) axis {
	return axis{
		label: "timers pending", log: true, withZero: true,
		at: floats(integers(series, "pending")), format: count,
	}
}

// costFigure shows the time of an operation against what is pending, a panel
// for each distribution of delays.
func (v *view) costFigure(op string) *figure {
	f := &figure{
		name: "cost-" + op, title: question(op),
		width: inches(8.6), height: inches(5.6),
	}
	var panels []*panel
	raw := false
	for _, delay := range v.delays(op) {
		p, bare := v.costPanel(op, delay)
		raw = raw || bare
		panels = append(panels, p)
	}
	f.subtitle = "Median and 95 % interval of the time of an operation, without the loop around it"
	if raw {
		f.subtitle = "Median and 95 % interval; where no empty loop was measured, its time is included"
	}
	if len(panels) == 1 {
		f.named = true
		if delay := v.delays(op)[0]; delay != "" {
			f.subtitle += ", with " + delay + " delays"
		}
		panels[0].title = ""
	} else {
		f.alike, f.width, f.height = true, inches(9.6), inches(7.6)
	}
	f.rows = inRows(panels, 2)
	return f
}

// costPanel is for one distribution of delays. It reports whether some cell
// has no control.
func (v *view) costPanel(op, delay string) (*panel, bool) {
	series := v.data.Select(harness.Cost, "op="+op)
	p := &panel{
		title:  delay + " delays",
		x:      pendingAxis(series),
		y:      axis{label: "time per operation, lower is better", log: true, format: tidy(nanos)},
		guides: guides(),
	}
	raw := false
	for _, name := range v.names {
		l := line{name: name, look: v.looks[name]}
		for _, n := range integers(series, "pending") {
			if s := v.costAt(op, delay, name, n); s != nil {
				values, ok := v.net(s)
				raw = raw || !ok
				l.pts = append(l.pts, at(float64(n), summarize(values)))
			}
		}
		p.lines = append(p.lines, l)
	}
	loop := stretch{name: "the loop alone"}
	for _, n := range integers(series, "pending") {
		if s := v.costAt(op, delay, emptyControl, n); s != nil {
			loop.pts = append(loop.pts, at(float64(n), summary(s, harness.NsPerOp)))
		}
	}
	if len(loop.pts) > 0 {
		p.bands = append(p.bands, loop)
	}
	return p, raw
}

// against returns a contender's values of a unit against a parameter that is a
// number.
func (v *view) against(series []*harness.Series, key, name, unit string, params ...string) line {
	l := line{name: name, look: v.looks[name]}
	d := harness.Data{Series: series}
	for _, n := range integers(series, key) {
		for _, s := range d.Select("", append(params, "impl="+name, fmt.Sprintf("%s=%d", key, n))...) {
			if len(samples(s, unit)) > 0 {
				l.pts = append(l.pts, at(float64(n), summary(s, unit)))
				break
			}
		}
	}
	return l
}
