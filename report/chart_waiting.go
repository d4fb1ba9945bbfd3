package report

import (
	"fmt"
	"strconv"

	"schedbench/harness"
)

// waitingWays returns the ways of sleeping in some series, in the order in which
// contenders are shown. Precise ones are paler and dashed.
func (v *view) waitingWays(series []*harness.Series) (ways []way) {
	d := harness.Data{Series: series}
	for _, name := range v.names {
		for _, waiting := range harness.Distinct(d.Select("", "impl="+name), "waiting") {
			w := way{name: name, look: v.looks[name], params: []string{"impl=" + name, "waiting=" + waiting}}
			if name != runtimeTimer {
				w.name += ", " + waiting
			}
			if waiting != harness.WaitRuntime {
				w.look.colour, w.look.dashes = faded(w.look.colour, 0.35), dash(4, 2)
			}
			ways = append(ways, w)
		}
	}
	return ways
}

// slept returns the series of an experiment that tell ways of sleeping apart.
func (v *view) slept(experiment string) []*harness.Series {
	var found []*harness.Series
	for _, s := range v.data.Select(experiment) {
		if s.Get("waiting") != "" {
			found = append(found, s)
		}
	}
	return found
}

// waitingFigure shows lateness by way of sleeping, a panel for each number of
// other timers pending.
func (v *view) waitingFigure() *figure {
	series := v.slept(harness.Jitter)
	f := &figure{
		name: "waiting", named: true, alike: true,
		title: "How much more punctual is a clock of the system than the Go runtime's?",
		subtitle: "Lateness after the planned deadline without ticks, from the median to the latest timer, nothing trimmed" +
			v.atRate(),
		width: inches(10.6), height: inches(5.6),
	}
	var panels []*panel
	for _, n := range integers(series, "pending") {
		p := spectrumPanel(count(float64(n)) + " others pending")
		for _, w := range v.waitingWays(series) {
			if s := v.one(harness.Jitter, append([]string{"pending=" + strconv.Itoa(n)}, w.params...)...); s != nil {
				p.lines = append(p.lines, spectrum(w.name, w.look, s))
			}
		}
		panels = append(panels, p)
	}
	f.rows = inRows(panels, 2)
	return f
}

// waitingTable has lateness and CPU time under load, and CPU time when idle, by
// way of sleeping.
func (v *view) waitingTable() *table {
	t := &table{
		title: "Ways of sleeping, without ticks", names: 2,
		header: []string{
			"contender", "waiting", "others pending", "50 %", "99 %", "latest", "CPU of a core", "wake-ups",
			"idle CPU of a core", "idle wake-ups", "fired", "early", "lost", "doubled",
		},
	}
	series := v.slept(harness.Jitter)
	for _, n := range integers(series, "pending") {
		for _, w := range v.waitingWays(series) {
			at := append([]string{"pending=" + strconv.Itoa(n)}, w.params...)
			s, idle := v.one(harness.Jitter, at...), v.one(harness.Idle, at...)
			if s == nil {
				continue
			}
			t.add(s.Get("impl"), s.Get("waiting"), count(float64(n)),
				within(summary(s, harness.P50Late), nanos), within(summary(s, harness.P99Late), nanos), latest(s),
				within(summarize(share(s)), percent), within(summary(s, harness.WakeupsPerSecond), perSecond),
				within(summarize(share(idle)), percent), within(summary(idle, harness.WakeupsPerSecond), perSecond),
				sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled))
		}
	}
	return t
}

// slackFigure shows what lateness buys: CPU time, by letting one wake-up serve
// several timers.
func (v *view) slackFigure() *figure {
	series := v.data.Select(harness.Slack)
	f := &figure{
		name: "slack", alike: false,
		title: "What does letting timers be late save?",
		subtitle: "Each point is a slack: the worker wakes so much later, and serves all that has come due by then; " +
			"median, and 95 % interval of lateness",
		width: inches(10.6), height: inches(5.6),
	}
	if rate := prevalent(series, "rate"); rate != "" {
		f.subtitle += "; " + rate + " timers per second"
	}
	f.rows = [][]*panel{{v.slackPanel("median", harness.P50Late), v.slackPanel("99th percentile", harness.P99Late)}}
	return f
}

func (v *view) slackPanel(title, unit string) *panel {
	series := v.data.Select(harness.Slack)
	p := &panel{
		title: title,
		x:     axis{label: "CPU of the process, share of a core, lower is better", withZero: true, format: tidy(percent)},
		y:     axis{label: "late by, lower is better", log: true, format: tidy(nanos)},
	}
	for _, w := range v.waitingWays(series) {
		l := line{name: w.name, look: w.look}
		for _, slack := range slacks(series) {
			s := v.one(harness.Slack, append([]string{"slack=" + slack}, w.params...)...)
			if cpu := summarize(share(s)); cpu.N > 0 {
				l.pts = append(l.pts, at(cpu.Median, summary(s, unit)))
				l.captions = append(l.captions, slack)
			}
		}
		p.lines = append(p.lines, l)
	}
	return p
}

// slacks returns the slacks that were measured, ascending; none is 0s.
func slacks(series []*harness.Series) []string {
	var found []string
	for _, slack := range harness.Distinct(series, "slack") {
		if slack == "0s" {
			found = append(found, slack)
		}
	}
	for _, d := range durations(series, "slack") {
		found = append(found, labelOf(series, "slack", d))
	}
	return found
}

func (v *view) slackTable() *table {
	t := &table{
		title: "Slack: later, and for less", names: 3,
		header: []string{
			"contender", "waiting", "slack", "50 %", "99 %", "latest", "CPU of a core", "wake-ups", "fired", "early", "lost", "doubled",
		},
	}
	series := v.data.Select(harness.Slack)
	for _, w := range v.waitingWays(series) {
		for _, slack := range slacks(series) {
			s := v.one(harness.Slack, append([]string{"slack=" + slack}, w.params...)...)
			if s == nil {
				continue
			}
			t.add(s.Get("impl"), s.Get("waiting"), slack,
				within(summary(s, harness.P50Late), nanos), within(summary(s, harness.P99Late), nanos), latest(s),
				within(summarize(share(s)), percent), within(summary(s, harness.WakeupsPerSecond), perSecond),
				sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled))
		}
	}
	return t
}

// waitingLine says what sleeping precisely gains and costs.
func (v *view) waitingLine() string {
	counts := integers(v.slept(harness.Jitter), "pending")
	name := v.subject()
	if len(counts) == 0 || name == "" {
		return ""
	}
	at := func(waiting string) *harness.Series {
		return v.one(harness.Jitter, "impl="+name, "waiting="+waiting, fmt.Sprintf("pending=%d", counts[0]))
	}
	usual, precise := at(harness.WaitRuntime), at(harness.WaitPrecise)
	if usual == nil || precise == nil {
		return ""
	}
	late := func(s *harness.Series) string {
		return fmt.Sprintf("%s (99 %%: %s) at %s of a core",
			trimmed(nanos(summary(s, harness.P50Late).Median)), trimmed(nanos(summary(s, harness.P99Late).Median)),
			trimmed(percent(summarize(share(s)).Median)))
	}
	return fmt.Sprintf("Sleeping precisely, %s is late by %s; on the runtime's timers by %s.", name, late(precise), late(usual))
}
