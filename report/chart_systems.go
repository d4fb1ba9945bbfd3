package report

import (
	"math"
	"strconv"

	"schedbench/harness"
)

// ownWaking is the waking label of presets.
const ownWaking = harness.OwnWaking

// systemsFigure puts each contender where its idle CPU and its lateness are: the
// ticks of one wheel as a line, known systems and Go's own timers as points.
func (v *view) systemsFigure(opt ChartOptions) *figure {
	pending := v.idlePending()
	p := &panel{
		x: axis{label: "idle CPU beyond an idle process, share of a core, lower is better", log: true, withZero: true, format: tidy(percent)},
		y: axis{label: "99th percentile of lateness, lower is better", log: true, format: tidy(nanos)},
	}
	f := &figure{
		name: "systems", named: true, rows: [][]*panel{{p}}, width: inches(9.6), height: inches(6.2),
		title: "Where do known systems stand between lateness and idle CPU?",
		subtitle: "Lateness under load" + v.atRate() + "; CPU while nothing is due" + withPending(pending) +
			". Medians, and 95 % intervals of lateness",
	}
	systems := 0
	for _, name := range v.names {
		ticks, points := v.standing(name, pending)
		p.lines = append(p.lines, ticks)
		for _, l := range points {
			p.lines = append(p.lines, l)
			if v.jitter(name, ownWaking) != nil && len(l.pts) > 0 {
				systems++
			}
		}
	}
	if systems == 0 {
		p.lines = nil // nothing that the other chart of the trade-off does not show
	}
	if opt.Requirement.P99 > 0 {
		ns := float64(opt.Requirement.P99)
		p.levels = []rule{{ns, "at most " + tidy(nanos)(ns), limit}}
	}
	return f
}

// standing returns where a contender stands: a preset and Go's timers at one
// point, the contestant whose ticks are looked at on a line, and without ticks
// at a point.
func (v *view) standing(name, pending string) (ticks line, points []line) {
	ticks = line{name: name, look: v.looks[name]}
	add := func(l *line, waking, caption string) {
		late, cpu := summary(v.jitter(name, waking), harness.P99Late), v.perceptible(name, waking, pending)
		if late.N > 0 && cpu.N > 0 && !math.IsNaN(cpu.Median) {
			l.pts = append(l.pts, at(max(cpu.Median, 0), late))
			l.captions = append(l.captions, caption)
		}
	}
	alone := map[string]string{ownWaking: name, runtimeWaking: name}
	if name == v.subject() || v.subject() == "" {
		for _, tick := range durations(v.data.Series, "waking") {
			add(&ticks, v.waking(tick), name+" "+span(float64(tick)))
		}
		alone[tickless] = name + " " + tickless
	}
	for _, waking := range []string{ownWaking, runtimeWaking, tickless} {
		if caption, ok := alone[waking]; ok {
			l := line{name: name, look: v.looks[name]}
			add(&l, waking, caption)
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
		late, idle := v.jitter(name, ownWaking), v.idleSeries(name, ownWaking, pending)
		if late == nil && idle == nil {
			continue
		}
		t.add(name, count(n), within(summary(late, harness.P99Late), nanos),
			within(v.idleShare(name, ownWaking, pending), percent),
			within(summary(idle, harness.WakeupsPerSecond), perSecond))
	}
	return t
}
