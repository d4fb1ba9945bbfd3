package report

import (
	"time"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
)

// tradeoffFigure puts what a tick costs under what it delays, on the same
// ticks, so that a tick can be chosen by eye.
func (v *view) tradeoffFigure(opt ChartOptions) *chart.Figure {
	late, cpu := v.latePanel(), v.sharePanel()
	f := &chart.Figure{
		Name: "tradeoff", Named: true, Stacked: true,
		Title: "Which tick is late by little enough and cheap enough when idle?",
		Subtitle: "Above: lateness under load" + v.atRate() + ". Below: CPU while nothing is due, " +
			"beyond that of an idle process" + withPending(v.idlePending()) + ". Median and 95 % interval",
		Rows:  [][]*chart.Panel{{late}, {cpu}},
		Width: chart.Inches(8.6), Height: chart.Inches(7.6),
	}
	if opt.Requirement.P99 > 0 {
		ns := float64(opt.Requirement.P99)
		late.Levels = append(late.Levels, chart.Rule{At: ns, Name: "at most " + words.Tidy(words.Nanos)(ns), Colour: chart.LimitColour})
	}
	if opt.Requirement.CPUShare > 0 {
		most := opt.Requirement.CPUShare
		cpu.Levels = append(cpu.Levels, chart.Rule{At: most, Name: "at most " + words.Tidy(words.Percent)(most), Colour: chart.LimitColour})
	}
	if tick, err := time.ParseDuration(opt.Recommended); err == nil && tick > 0 {
		name := "recommended: " + words.Span(float64(tick))
		late.Uprights = []chart.Rule{{At: float64(tick), Name: name, Colour: chart.GridColour}}
		cpu.Uprights = []chart.Rule{{At: float64(tick), Name: "", Colour: chart.GridColour}}
	}
	return f
}

// ticks are the ones of both experiments, so that both panels label the same.
func (v *view) ticks() []*harness.Series {
	return append(v.data.Select(harness.Jitter), v.data.Select(harness.Idle)...)
}

func (v *view) latePanel() *chart.Panel {
	p := &chart.Panel{
		X: tickAxis(v.ticks()),
		Y: chart.Axis{Label: "99th percentile of lateness", Log: true, Format: words.Tidy(words.Nanos)},
	}
	p99 := func(name, waking string) judge.Summary {
		return summary(v.jitter(name, waking), harness.P99Late)
	}
	for _, name := range v.names {
		p.Lines = append(p.Lines, v.byTick(name, func(waking string) judge.Summary { return p99(name, waking) }))
	}
	v.addTickless(p, func(name string) judge.Summary { return p99(name, harness.Tickless) })
	return p
}

func (v *view) sharePanel() *chart.Panel {
	pending := v.idlePending()
	p := &chart.Panel{
		X: tickAxis(v.ticks()),
		Y: chart.Axis{Label: "idle CPU, share of a core", Log: true, WithZero: true, Format: words.Tidy(words.Percent)},
	}
	for _, name := range v.names {
		p.Lines = append(p.Lines, v.byTick(name, func(waking string) judge.Summary {
			return v.perceptible(name, waking, pending)
		}))
	}
	v.addTickless(p, func(name string) judge.Summary { return v.perceptible(name, harness.Tickless, pending) })
	return p
}
