package report

import (
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// tradeoffQuestion puts what a tick costs under what it delays, on the same ticks,
// a chart to choose a tick by eye.
var tradeoffQuestion = question{
	section: whatIdlingCosts, experiments: []string{rundata.Jitter, rundata.Idle},
	figures: func(v *view) []*chart.Figure {
		// Both panels label the ticks of both experiments.
		ticks := append(v.data.Select(rundata.Jitter), v.data.Select(rundata.Idle)...)
		late := &chart.Panel{X: tickAxis(ticks), Y: nanosAxis("99th percentile of lateness")}
		v.addByTick(late, func(name, waking string) judge.Summary { return summary(v.jitter(name, waking), rundata.P99Late) })
		late.Levels = append(late.Levels, chart.AtMost(float64(v.opt.Requirement.P99), words.Nanos)...)
		pending := v.idlePending()
		cpu := &chart.Panel{X: tickAxis(ticks), Y: chart.Axis{Label: "idle CPU, share of a core", Log: true, WithZero: true, Format: words.Share}}
		v.addByTick(cpu, func(name, waking string) judge.Summary { return v.idleShare(name, waking, pending).Perceptible() })
		cpu.Levels = append(cpu.Levels, chart.AtMost(v.opt.Requirement.CPUShare, words.Percent)...)
		if tick, err := time.ParseDuration(v.opt.Recommended); err == nil && tick > 0 {
			late.Uprights = []chart.Rule{{At: float64(tick), Name: "recommended: " + words.Span(float64(tick)), Colour: chart.GridColour, Broad: true}}
			cpu.Uprights = []chart.Rule{{At: float64(tick), Colour: chart.GridColour, Broad: true}}
		}
		return []*chart.Figure{{
			Name: "tradeoff", Named: true, Stacked: true,
			Title: "Which tick is late by little enough and cheap enough when idle?",
			Subtitle: "Above: lateness under load" + atRate(v.rate()) + ". Below: CPU while nothing is due, " +
				"beyond that of an idle process" + withPending(pending) + ". Median and 95 % interval",
			Rows:  [][]*chart.Panel{{late}, {cpu}},
			Width: chart.Inches(8.6), Height: chart.Inches(7.6),
		}}
	},
	advice: func(v *view) []string {
		if v.opt.Requirement == (Requirement{}) || len(v.names) == 0 {
			return nil
		}
		return []string{v.opt.Requirement.asked(), v.recommend(v.opt.Requirement).Reason}
	},
}
