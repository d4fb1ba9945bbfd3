package report

import (
	"fmt"
	"strconv"

	"schedbench/harness"
	"schedbench/judge"
)

// tickAxis is the x axis of charts against the tick.
func tickAxis(series []*harness.Series) axis {
	return axis{label: "tick", log: true, at: floats(durations(series, "waking")), format: span}
}

// idlePending returns the number of pending timers at which idle costs are
// compared: the most for which a tick was measured.
func (v *view) idlePending() string {
	var ticking []*harness.Series
	for _, s := range v.data.Select(harness.Idle) {
		if len(durations([]*harness.Series{s}, "waking")) > 0 {
			ticking = append(ticking, s)
		}
	}
	if len(ticking) == 0 {
		ticking = v.data.Select(harness.Idle)
	}
	if counts := integers(ticking, "pending"); len(counts) > 0 {
		return strconv.Itoa(counts[len(counts)-1])
	}
	return ""
}

// idleSeries returns the series of a contender, a waking and what is pending.
func (v *view) idleSeries(impl, waking, pending string) *harness.Series {
	return v.one(harness.Idle, "impl="+impl, "waking="+waking, "pending="+pending, "waiting=")
}

// process returns the series of the idle process, or nil.
func (v *view) process() *harness.Series { return v.one(harness.Idle, "impl="+idleProcess) }

// share returns samples of CPU time for each second as shares of one core.
func share(s *harness.Series) []float64 {
	shares := make([]float64, 0, len(samples(s, harness.CPUPerSecond)))
	for _, ns := range samples(s, harness.CPUPerSecond) {
		shares = append(shares, ns/1e9)
	}
	return shares
}

// idleShare returns the share of one core that a contender takes beyond what
// an idle process does.
func (v *view) idleShare(impl, waking, pending string) judge.Summary {
	own := share(v.idleSeries(impl, waking, pending))
	if process := share(v.process()); len(process) > 0 {
		own = judge.Net(own, process)
	}
	return summarize(own)
}

// perceptible returns what idleShare does, but nothing where the interval
// reaches down to that of the idle process: a logarithmic axis would spread the
// noise over decades.
func (v *view) perceptible(impl, waking, pending string) judge.Summary {
	s := v.idleShare(impl, waking, pending)
	if s.Bounded() && s.Low <= 0 {
		s.Median = 0
	}
	return s
}

// idleFigure shows what waiting costs, with the idle process beside it.
func (v *view) idleFigure() *figure {
	series := v.data.Select(harness.Idle)
	pending := v.idlePending()
	f := &figure{
		name: "idle", named: true, stacked: true,
		title:    "What does a tick cost while nothing is due?",
		subtitle: "Nothing is due for the whole time; median and 95 % interval" + withPending(pending),
		width:    inches(8.6), height: inches(7.2),
	}
	cpu := &panel{
		x: tickAxis(series),
		y: axis{label: "CPU, share of a core, lower is better", log: true, withZero: true, format: tidy(percent)},
	}
	wakeups := &panel{
		x: tickAxis(series),
		y: axis{label: "wake-ups, lower is better", log: true, withZero: true, format: perSecond},
	}
	for _, name := range v.names {
		cpu.lines = append(cpu.lines, v.byTick(name, func(waking string) judge.Summary {
			return summarize(share(v.idleSeries(name, waking, pending)))
		}))
		wakeups.lines = append(wakeups.lines, v.byTick(name, func(waking string) judge.Summary {
			return summary(v.idleSeries(name, waking, pending), harness.WakeupsPerSecond)
		}))
	}
	if s := v.process(); s != nil {
		cpu.bands = []stretch{{"idle process", []point{at(1, summarize(share(s)))}}}
		if len(samples(s, harness.WakeupsPerSecond)) > 0 {
			wakeups.bands = []stretch{{"idle process", []point{at(1, summary(s, harness.WakeupsPerSecond))}}}
		}
	}
	v.addTickless(cpu, func(name string) judge.Summary {
		return summarize(share(v.idleSeries(name, tickless, pending)))
	})
	v.addTickless(wakeups, func(name string) judge.Summary {
		return summary(v.idleSeries(name, tickless, pending), harness.WakeupsPerSecond)
	})
	f.rows = [][]*panel{{cpu}, {wakeups}}
	return f
}

// withPending says how many timers were pending, if the data say so.
func withPending(pending string) string {
	n, err := strconv.ParseFloat(pending, 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; %s timers pending", count(n))
}

// byTick returns what a contender shows at each tick.
func (v *view) byTick(name string, of func(waking string) judge.Summary) line {
	l := line{name: name, look: v.looks[name]}
	for _, tick := range durations(v.data.Series, "waking") {
		if s := of(v.waking(tick)); s.N > 0 {
			l.pts = append(l.pts, at(float64(tick), s))
		}
	}
	return l
}

// addTickless draws what the contestants of a panel reach without ticks as one
// level line, since they wake alike: the median of their medians.
func (v *view) addTickless(p *panel, of func(name string) judge.Summary) {
	var medians []float64
	for _, l := range p.lines {
		if s := of(l.name); s.N > 0 && len(l.pts) > 0 {
			medians = append(medians, s.Median)
		}
	}
	if len(medians) > 0 {
		p.levels = append(p.levels, rule{summarize(medians).Median, tickless, ink})
	}
}
