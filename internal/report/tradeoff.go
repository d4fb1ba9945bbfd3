package report

import (
	"math"

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
		if tick := v.recommended(); tick > 0 {
			late.Uprights = []chart.Rule{{At: float64(tick), Name: "recommended: " + words.Span(float64(tick)), Colour: chart.Ink}}
			cpu.Uprights = []chart.Rule{{At: float64(tick), Colour: chart.Ink}}
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
}

// systemsQuestion puts each contender where its idle CPU and its lateness are: the
// ticks of one wheel as a line, known systems and Go's own timers as points.
var systemsQuestion = question{
	section: whereSystemsStand, experiments: []string{rundata.Jitter, rundata.Idle},
	figures: func(v *view) []*chart.Figure {
		pending := v.idlePending()
		p := &chart.Panel{
			X:      chart.Axis{Label: "idle CPU beyond an idle process, share of a core, lower is better", Log: true, WithZero: true, Format: words.Share},
			Y:      nanosAxis("99th percentile of lateness, lower is better"),
			Levels: chart.AtMost(float64(v.opt.Requirement.P99), words.Nanos),
		}
		systems := 0
		for _, name := range v.names {
			ticks, points := v.positions(name, pending)
			p.Lines = append(append(p.Lines, ticks), points...)
			for _, l := range points {
				if v.jitter(name, rundata.OwnWaking) != nil && len(l.Points) > 0 {
					systems++
				}
			}
		}
		if systems == 0 {
			return nil // it would show nothing that the other chart of the trade-off does not
		}
		return []*chart.Figure{{
			Name: "systems", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(9.6), Height: chart.Inches(6.2),
			Title: "Where do known systems stand between lateness and idle CPU?",
			Subtitle: "Lateness under load" + atRate(v.rate()) + "; CPU while nothing is due" + withPending(pending) +
				". Medians, and 95 % intervals of lateness",
		}}
	},
}

// positions returns where a contender stands: a preset and Go's timers at one
// point, the contestant whose ticks are looked at on a line that has them beside
// its points, and without ticks at a point.
func (v *view) positions(name, pending string) (ticks chart.Line, points []chart.Line) {
	ticks = chart.Line{Name: name, Style: v.styles[name]}
	add := func(l *chart.Line, waking string) bool {
		late, cpu := summary(v.jitter(name, waking), rundata.P99Late), v.idleShare(name, waking, pending).Perceptible()
		if late.N == 0 || cpu.N == 0 || math.IsNaN(cpu.Median) {
			return false
		}
		l.Points = append(l.Points, at(max(cpu.Median, 0), late))
		return true
	}
	alone := map[string]string{rundata.OwnWaking: name, rundata.RuntimeWaking: name}
	if name == v.subject() || v.subject() == "" {
		for _, tick := range durations(v.data.Series, "waking") {
			if add(&ticks, v.waking(tick)) {
				ticks.Captions = append(ticks.Captions, name+" "+words.Span(float64(tick)))
			}
		}
		alone[rundata.Tickless] = name + " " + rundata.Tickless
	}
	for _, waking := range []string{rundata.OwnWaking, rundata.RuntimeWaking, rundata.Tickless} {
		if named, ok := alone[waking]; ok {
			l := chart.Line{Name: named, Style: v.styles[name]}
			add(&l, waking)
			points = append(points, l)
		}
	}
	return ticks, points
}
