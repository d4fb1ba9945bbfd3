package report

import (
	"fmt"
	"math"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// guides are the complexities to compare slopes with.
func guides() []chart.Guide {
	return []chart.Guide{
		{Name: "O(1)", Of: func(float64) float64 { return 1 }},
		{Name: "O(log n)", Of: func(n float64) float64 { return math.Log2(n + 1) }},
		{Name: "O(n)", Of: func(n float64) float64 { return n }},
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
func pendingAxis(series []*harness.Series) chart.Axis {
	return chart.Axis{
		Label: "timers pending", Log: true, WithZero: true,
		At: floats(integers(series, "pending")), Format: words.Count,
	}
}

// costFigure shows the time of an operation against what is pending, a panel
// for each distribution of delays.
func (v *view) costFigure(op string) *chart.Figure {
	f := &chart.Figure{
		Name: "cost-" + op, Title: question(op),
		Width: chart.Inches(8.6), Height: chart.Inches(5.6),
	}
	var panels []*chart.Panel
	raw := false
	for _, delay := range v.delays(op) {
		p, bare := v.costPanel(op, delay)
		raw = raw || bare
		panels = append(panels, p)
	}
	f.Subtitle = "Median and 95 % interval of the time of an operation, without the loop around it"
	if raw {
		f.Subtitle = "Median and 95 % interval; where no empty loop was measured, its time is included"
	}
	if len(panels) == 1 {
		f.Named = true
		if delay := v.delays(op)[0]; delay != "" {
			f.Subtitle += ", with " + delay + " delays"
		}
		panels[0].Title = ""
	} else {
		f.Alike, f.Width, f.Height = true, chart.Inches(9.6), chart.Inches(7.6)
	}
	f.Rows = chart.InRows(panels, 2)
	return f
}

// costPanel is for one distribution of delays. It reports whether some cell
// has no control.
func (v *view) costPanel(op, delay string) (*chart.Panel, bool) {
	series := v.data.Select(harness.Cost, "op="+op)
	p := &chart.Panel{
		Title:  delay + " delays",
		X:      pendingAxis(series),
		Y:      chart.Axis{Label: "time per operation, lower is better", Log: true, Format: words.Tidy(words.Nanos)},
		Guides: guides(),
	}
	raw := false
	for _, name := range v.names {
		l := chart.Line{Name: name, Style: v.looks[name]}
		for _, n := range integers(series, "pending") {
			if s := v.costAt(op, delay, name, n); s != nil {
				values, ok := v.net(s)
				raw = raw || !ok
				l.Points = append(l.Points, at(float64(n), summarize(values)))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	loop := chart.Band{Name: "the loop alone"}
	for _, n := range integers(series, "pending") {
		if s := v.costAt(op, delay, harness.EmptyControl, n); s != nil {
			loop.Points = append(loop.Points, at(float64(n), summary(s, harness.NsPerOp)))
		}
	}
	if len(loop.Points) > 0 {
		p.Bands = append(p.Bands, loop)
	}
	return p, raw
}

// against returns a contender's values of a unit against a parameter that is a
// number.
func (v *view) against(series []*harness.Series, key, name, unit string, params ...string) chart.Line {
	l := chart.Line{Name: name, Style: v.looks[name]}
	d := harness.Data{Series: series}
	for _, n := range integers(series, key) {
		for _, s := range d.Select("", append(params, "impl="+name, fmt.Sprintf("%s=%d", key, n))...) {
			if len(samples(s, unit)) > 0 {
				l.Points = append(l.Points, at(float64(n), summary(s, unit)))
				break
			}
		}
	}
	return l
}
