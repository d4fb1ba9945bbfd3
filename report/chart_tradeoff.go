package report

import (
	"time"

	"schedbench/harness"
	"schedbench/judge"
)

// tradeoffFigure puts what a tick costs under what it delays, on the same
// ticks, so that a tick can be chosen by eye.
func (v *view) tradeoffFigure(opt ChartOptions) *figure {
	late, cpu := v.latePanel(), v.sharePanel()
	f := &figure{
		name: "tradeoff", named: true, stacked: true,
		title: "Which tick is late by little enough and cheap enough when idle?",
		subtitle: "Above: lateness under load" + v.atRate() + ". Below: CPU while nothing is due, " +
			"beyond that of an idle process" + withPending(v.idlePending()) + ". Median and 95 % interval",
		rows:  [][]*panel{{late}, {cpu}},
		width: inches(8.6), height: inches(7.6),
	}
	if opt.Requirement.P99 > 0 {
		ns := float64(opt.Requirement.P99)
		late.levels = append(late.levels, rule{ns, "at most " + tidy(nanos)(ns), limit})
	}
	if opt.Requirement.CPUShare > 0 {
		most := opt.Requirement.CPUShare
		cpu.levels = append(cpu.levels, rule{most, "at most " + tidy(percent)(most), limit})
	}
	if tick, err := time.ParseDuration(opt.Recommended); err == nil && tick > 0 {
		name := "recommended: " + span(float64(tick))
		late.uprights = []rule{{float64(tick), name, grid}}
		cpu.uprights = []rule{{float64(tick), "", grid}}
	}
	return f
}

// ticks are the ones of both experiments, so that both panels label the same.
func (v *view) ticks() []*harness.Series {
	return append(v.data.Select(harness.Jitter), v.data.Select(harness.Idle)...)
}

func (v *view) latePanel() *panel {
	p := &panel{
		x: tickAxis(v.ticks()),
		y: axis{label: "99th percentile of lateness", log: true, format: tidy(nanos)},
	}
	p99 := func(name, waking string) judge.Summary {
		return summary(v.jitter(name, waking), harness.P99Late)
	}
	for _, name := range v.names {
		p.lines = append(p.lines, v.byTick(name, func(waking string) judge.Summary { return p99(name, waking) }))
	}
	v.addTickless(p, func(name string) judge.Summary { return p99(name, tickless) })
	return p
}

func (v *view) sharePanel() *panel {
	pending := v.idlePending()
	p := &panel{
		x: tickAxis(v.ticks()),
		y: axis{label: "idle CPU, share of a core", log: true, withZero: true, format: tidy(percent)},
	}
	for _, name := range v.names {
		p.lines = append(p.lines, v.byTick(name, func(waking string) judge.Summary {
			return v.perceptible(name, waking, pending)
		}))
	}
	v.addTickless(p, func(name string) judge.Summary { return v.perceptible(name, tickless, pending) })
	return p
}
