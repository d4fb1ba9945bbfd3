package report

import (
	"fmt"
	"strconv"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
)

// tickAxis is the x axis of charts against the tick.
func tickAxis(series []*harness.Series) chart.Axis {
	return chart.Axis{Label: "tick", Log: true, At: floats(durations(series, "waking")), Format: words.Span}
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
func (v *view) process() *harness.Series { return v.one(harness.Idle, "impl="+harness.ProcessControl) }

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
func (v *view) idleFigure() *chart.Figure {
	series := v.data.Select(harness.Idle)
	pending := v.idlePending()
	f := &chart.Figure{
		Name: "idle", Named: true, Stacked: true,
		Title:    "What does a tick cost while nothing is due?",
		Subtitle: "Nothing is due for the whole time; median and 95 % interval" + withPending(pending),
		Width:    chart.Inches(8.6), Height: chart.Inches(7.2),
	}
	cpu := &chart.Panel{
		X: tickAxis(series),
		Y: chart.Axis{Label: "CPU, share of a core, lower is better", Log: true, WithZero: true, Format: words.Tidy(words.Percent)},
	}
	wakeups := &chart.Panel{
		X: tickAxis(series),
		Y: chart.Axis{Label: "wake-ups, lower is better", Log: true, WithZero: true, Format: words.PerSecond},
	}
	for _, name := range v.names {
		cpu.Lines = append(cpu.Lines, v.byTick(name, func(waking string) judge.Summary {
			return summarize(share(v.idleSeries(name, waking, pending)))
		}))
		wakeups.Lines = append(wakeups.Lines, v.byTick(name, func(waking string) judge.Summary {
			return summary(v.idleSeries(name, waking, pending), harness.WakeupsPerSecond)
		}))
	}
	if s := v.process(); s != nil {
		cpu.Bands = []chart.Band{{Name: "idle process", Points: []chart.Point{at(1, summarize(share(s)))}}}
		if len(samples(s, harness.WakeupsPerSecond)) > 0 {
			wakeups.Bands = []chart.Band{{Name: "idle process", Points: []chart.Point{at(1, summary(s, harness.WakeupsPerSecond))}}}
		}
	}
	v.addTickless(cpu, func(name string) judge.Summary {
		return summarize(share(v.idleSeries(name, harness.Tickless, pending)))
	})
	v.addTickless(wakeups, func(name string) judge.Summary {
		return summary(v.idleSeries(name, harness.Tickless, pending), harness.WakeupsPerSecond)
	})
	f.Rows = [][]*chart.Panel{{cpu}, {wakeups}}
	return f
}

// withPending says how many timers were pending, if the data say so.
func withPending(pending string) string {
	n, err := strconv.ParseFloat(pending, 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; %s timers pending", words.Count(n))
}

// byTick returns what a contender shows at each tick.
func (v *view) byTick(name string, of func(waking string) judge.Summary) chart.Line {
	l := chart.Line{Name: name, Style: v.looks[name]}
	for _, tick := range durations(v.data.Series, "waking") {
		if s := of(v.waking(tick)); s.N > 0 {
			l.Points = append(l.Points, at(float64(tick), s))
		}
	}
	return l
}

// addTickless draws what the contestants of a panel reach without ticks as one
// level line, since they wake alike: the median of their medians.
func (v *view) addTickless(p *chart.Panel, of func(name string) judge.Summary) {
	var medians []float64
	for _, l := range p.Lines {
		if s := of(l.Name); s.N > 0 && len(l.Points) > 0 {
			medians = append(medians, s.Median)
		}
	}
	if len(medians) > 0 {
		p.Levels = append(p.Levels, chart.Rule{At: summarize(medians).Median, Name: harness.Tickless, Colour: chart.Ink})
	}
}
