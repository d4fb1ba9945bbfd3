package tuning

import (
	"slices"
	"time"

	"schedbench/internal/report/chart"
	"schedbench/internal/words"
	"schedbench/workload/trace"
)

// The styles of the operations, on charts of traces.
var (
	delayStyle    = chart.Style{Colour: chart.RGB(0x222222)}
	scheduleStyle = chart.Style{Colour: chart.RGB(0x8A8A8A)}
	cancelStyle   = chart.Style{Colour: chart.RGB(0x1F78B4), Dashes: chart.Dash(6, 2)}
	resetStyle    = chart.Style{Colour: chart.RGB(0xB2478F), Dashes: chart.Dash(2.5, 2)}
	fireStyle     = chart.Style{Colour: chart.RGB(0xE08214), Dashes: chart.Dash(8, 2, 1.5, 2)}
)

// TraceChart draws delays, pending timers over time, and operations over time into trace-NAME.png of a directory, which it makes
// if need be. It returns the names of the files: none for a trace without events. The facts are the subtitle.
func TraceChart(info *trace.Info, name, facts, dir string, svg bool) ([]string, error) {
	return chart.SaveIfAny(traceFigure(info, name, facts), dir, svg)
}

func traceFigure(info *trace.Info, name, facts string) *chart.Figure {
	return &chart.Figure{
		Name: "trace-" + name, Title: "What does the trace " + name + " ask of its timers?",
		Subtitle: facts, Footer: "schedbench  ·  bench trace info",
		Width: chart.Inches(12), Height: chart.Inches(5),
		Rows: [][]*chart.Panel{{delayPanel(info), pendingPanel(info), ratePanel(info)}},
	}
}

// delayPanel shows the delays, and when timers are cancelled or reset.
func delayPanel(info *trace.Info) *chart.Panel {
	lines := []chart.Line{
		distribution("delay", delayStyle, info.Delays),
		distribution("cancel", cancelStyle, info.ToCancel),
		distribution("reset", resetStyle, info.ToReset),
	}
	return &chart.Panel{
		Title: "delays", Lines: lines,
		X: chart.TimeAxis("time since the timer was set", 8, lines), Y: chart.ShareAxis("share of timers"),
	}
}

func timeline() chart.Axis {
	return chart.Axis{Label: "time", WithZero: true, Format: func(v float64) string {
		if v == 0 {
			return "0"
		}
		return words.Time(v)
	}}
}

// pendingPanel shows the most pending timers of each step.
func pendingPanel(info *trace.Info) *chart.Panel {
	l := chart.Line{Name: "pending", Style: delayStyle}
	for i, s := range info.Course.Steps {
		middle := min((float64(i)+0.5)*float64(info.Course.Step), float64(info.Duration)) // or the end of the trace
		l.Points = append(l.Points, chart.At(middle, float64(s.Peak)))
	}
	return &chart.Panel{
		Title: "timers pending", X: timeline(), Lines: []chart.Line{l},
		Y: chart.Axis{Label: "timers armed in the trace", WithZero: true, Format: words.Count},
	}
}

func ratePanel(info *trace.Info) *chart.Panel {
	p := &chart.Panel{
		Title: "events", X: timeline(),
		Y: chart.Axis{Label: "events per second", Log: true, WithZero: true, Format: words.PerSecond},
	}
	steps := wide(info.Course)
	for _, kind := range []struct {
		name string
		as   chart.Style
		of   func(trace.Step) uint64
	}{
		{"schedule", scheduleStyle, func(s trace.Step) uint64 { return s.Schedules }},
		{"reset", resetStyle, func(s trace.Step) uint64 { return s.Resets }},
		{"cancel", cancelStyle, func(s trace.Step) uint64 { return s.Cancels }},
		{"fire", fireStyle, func(s trace.Step) uint64 { return s.Fires }},
	} {
		p.Lines = append(p.Lines, rateLine(kind.name, kind.as, steps, kind.of, info.Duration))
	}
	return p
}

// rateLine is the rate of a kind of event, without points if there is none. A last step shorter than half is left out.
func rateLine(name string, as chart.Style, c trace.Course, of func(trace.Step) uint64, end time.Duration) chart.Line {
	l := chart.Line{Name: name, Style: as}
	some := false
	for i, s := range c.Steps {
		from := time.Duration(i) * c.Step
		if length := min(c.Step, end-from); length > 0 && (length >= c.Step/2 || i <= 2) {
			some = some || of(s) > 0
			l.Points = append(l.Points, chart.At(float64(from)+float64(length)/2, float64(of(s))/length.Seconds()))
		}
	}
	if !some {
		l.Points = nil
	}
	return l
}

const rateSteps = 64 // the most steps of a line of rates

// wide joins steps until each holds enough events for a rate.
func wide(c trace.Course) trace.Course {
	by := max(1, (len(c.Steps)+rateSteps-1)/rateSteps)
	joined := trace.Course{Step: c.Step * time.Duration(by)}
	for some := range slices.Chunk(c.Steps, by) {
		var sum trace.Step
		for _, s := range some {
			sum.Schedules += s.Schedules
			sum.Resets += s.Resets
			sum.Cancels += s.Cancels
			sum.Fires += s.Fires
		}
		joined.Steps = append(joined.Steps, sum)
	}
	return joined
}

// shares returns a cumulative distribution from its quantiles.
func shares(quantile func(float64) time.Duration) []chart.Point {
	const points = 200
	pts := make([]chart.Point, 0, points+2)
	pts = append(pts, chart.At(float64(quantile(0)), 0))
	for i := range points + 1 {
		q := float64(i) / points
		pts = append(pts, chart.At(float64(quantile(q)), q))
	}
	return pts
}

// distribution returns the line of a distribution, without points if it is empty.
func distribution(name string, as chart.Style, d trace.Distribution) chart.Line {
	l := chart.Line{Name: name, Style: as}
	if d.Count() > 0 {
		l.Points = shares(d.Quantile)
	}
	return l
}
