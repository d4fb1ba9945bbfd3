package report

import (
	"math"
	"strconv"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// systemsFigure puts each contender where its idle CPU and its lateness are: the
// ticks of one wheel as a line, known systems and Go's own timers as points.
func (v *view) systemsFigure(opt ChartOptions) *chart.Figure {
	pending := v.idlePending()
	p := &chart.Panel{
		X: chart.Axis{Label: "idle CPU beyond an idle process, share of a core, lower is better", Log: true, WithZero: true, Format: words.Tidy(words.Percent)},
		Y: chart.Axis{Label: "99th percentile of lateness, lower is better", Log: true, Format: words.Tidy(words.Nanos)},
	}
	f := &chart.Figure{
		Name: "systems", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(9.6), Height: chart.Inches(6.2),
		Title: "Where do known systems stand between lateness and idle CPU?",
		Subtitle: "Lateness under load" + v.atRate() + "; CPU while nothing is due" + withPending(pending) +
			". Medians, and 95 % intervals of lateness",
	}
	systems := 0
	for _, name := range v.names {
		ticks, points := v.standing(name, pending)
		p.Lines = append(p.Lines, ticks)
		for _, l := range points {
			p.Lines = append(p.Lines, l)
			if v.jitter(name, harness.OwnWaking) != nil && len(l.Points) > 0 {
				systems++
			}
		}
	}
	if systems == 0 {
		p.Lines = nil // nothing that the other chart of the trade-off does not show
	}
	if opt.Requirement.P99 > 0 {
		ns := float64(opt.Requirement.P99)
		p.Levels = []chart.Rule{{At: ns, Name: "at most " + words.Tidy(words.Nanos)(ns), Colour: chart.LimitColour}}
	}
	return f
}

// standing returns where a contender stands: a preset and Go's timers at one
// point, the contestant whose ticks are looked at on a line that has them beside
// its points, and without ticks at a point.
func (v *view) standing(name, pending string) (ticks chart.Line, points []chart.Line) {
	ticks = chart.Line{Name: name, Style: v.looks[name]}
	add := func(l *chart.Line, waking string) bool {
		late, cpu := summary(v.jitter(name, waking), harness.P99Late), v.perceptible(name, waking, pending)
		if late.N == 0 || cpu.N == 0 || math.IsNaN(cpu.Median) {
			return false
		}
		l.Points = append(l.Points, at(max(cpu.Median, 0), late))
		return true
	}
	alone := map[string]string{harness.OwnWaking: name, harness.RuntimeWaking: name}
	if name == v.subject() || v.subject() == "" {
		for _, tick := range durations(v.data.Series, "waking") {
			if add(&ticks, v.waking(tick)) {
				ticks.Captions = append(ticks.Captions, name+" "+words.Span(float64(tick)))
			}
		}
		alone[harness.Tickless] = name + " " + harness.Tickless
	}
	for _, waking := range []string{harness.OwnWaking, harness.RuntimeWaking, harness.Tickless} {
		if named, ok := alone[waking]; ok {
			l := chart.Line{Name: named, Style: v.looks[name]}
			add(&l, waking)
			points = append(points, l)
		}
	}
	return ticks, points
}

// systemsTable has what the chart shows.
func (v *view) systemsTable() *table {
	t := &table{
		title: "Known systems between lateness and idle CPU", names: 1,
		header: []string{"system", "timers pending when idle", "99 % late by", "idle CPU beyond an idle process", "wake-ups when idle"},
	}
	pending := v.idlePending()
	n, _ := strconv.ParseFloat(pending, 64)
	for _, name := range v.names {
		late, idle := v.jitter(name, harness.OwnWaking), v.idleSeries(name, harness.OwnWaking, pending)
		if late == nil && idle == nil {
			continue
		}
		t.add(name, words.Count(n), within(summary(late, harness.P99Late), words.Nanos),
			within(v.idleShare(name, harness.OwnWaking, pending), words.Percent),
			within(summary(idle, harness.WakeupsPerSecond), words.PerSecond))
	}
	return t
}
