package report

import (
	"fmt"
	"strconv"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// waitingWays returns the ways of sleeping in some series, in the order in which
// contenders are shown. Precise ones are paler and dashed.
func (v *view) waitingWays(series []*harness.Series) (ways []way) {
	d := harness.Data{Series: series}
	for _, name := range v.names {
		for _, waiting := range harness.Distinct(d.Select("", "impl="+name), "waiting") {
			w := way{name: name, look: v.looks[name], params: []string{"impl=" + name, "waiting=" + waiting}}
			if name != catalog.RuntimeTimer {
				w.name += ", " + waiting
			}
			if waiting != harness.WaitRuntime {
				w.look.Colour, w.look.Dashes = chart.Faded(w.look.Colour, 0.35), chart.Dash(4, 2)
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
func (v *view) waitingFigure() *chart.Figure {
	series := v.slept(harness.Jitter)
	f := &chart.Figure{
		Name: "waiting", Named: true, Alike: true,
		Title: "How much more punctual is a clock of the system than the Go runtime's?",
		Subtitle: "Lateness after the planned deadline without ticks, from the median to the latest timer, nothing trimmed" +
			v.atRate(),
		Width: chart.Inches(10.6), Height: chart.Inches(5.6),
	}
	var panels []*chart.Panel
	for _, n := range integers(series, "pending") {
		p := spectrumPanel(words.Count(float64(n)) + " others pending")
		for _, w := range v.waitingWays(series) {
			if s := v.one(harness.Jitter, append([]string{"pending=" + strconv.Itoa(n)}, w.params...)...); s != nil {
				p.Lines = append(p.Lines, spectrum(w.name, w.look, s))
			}
		}
		panels = append(panels, p)
	}
	f.Rows = chart.InRows(panels, 2)
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
			t.add(s.Get("impl"), s.Get("waiting"), words.Count(float64(n)),
				within(summary(s, harness.P50Late), words.Nanos), within(summary(s, harness.P99Late), words.Nanos), latest(s),
				within(summarize(share(s)), words.Percent), within(summary(s, harness.WakeupsPerSecond), words.PerSecond),
				within(summarize(share(idle)), words.Percent), within(summary(idle, harness.WakeupsPerSecond), words.PerSecond),
				sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled))
		}
	}
	return t
}

// slackFigure shows what lateness buys: CPU time, by letting one wake-up serve
// several timers.
func (v *view) slackFigure() *chart.Figure {
	series := v.data.Select(harness.Slack)
	f := &chart.Figure{
		Name: "slack", Alike: false,
		Title: "What does letting timers be late save?",
		Subtitle: "Each point is a slack: the worker wakes so much later, and serves all that has come due by then; " +
			"median, and 95 % interval of lateness",
		Width: chart.Inches(10.6), Height: chart.Inches(5.6),
	}
	if rate := prevalent(series, "rate"); rate != "" {
		f.Subtitle += "; " + rate + " timers per second"
	}
	f.Rows = [][]*chart.Panel{{v.slackPanel("median", harness.P50Late), v.slackPanel("99th percentile", harness.P99Late)}}
	return f
}

func (v *view) slackPanel(title, unit string) *chart.Panel {
	series := v.data.Select(harness.Slack)
	p := &chart.Panel{
		Title: title,
		X:     chart.Axis{Label: "CPU of the process, share of a core, lower is better", WithZero: true, Format: words.Tidy(words.Percent)},
		Y:     chart.Axis{Label: "late by, lower is better", Log: true, Format: words.Tidy(words.Nanos)},
	}
	for _, w := range v.waitingWays(series) {
		l := chart.Line{Name: w.name, Style: w.look}
		for _, slack := range slacks(series) {
			s := v.one(harness.Slack, append([]string{"slack=" + slack}, w.params...)...)
			if cpu := summarize(share(s)); cpu.N > 0 {
				l.Points = append(l.Points, at(cpu.Median, summary(s, unit)))
				l.Captions = append(l.Captions, slack)
			}
		}
		p.Lines = append(p.Lines, l)
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
				within(summary(s, harness.P50Late), words.Nanos), within(summary(s, harness.P99Late), words.Nanos), latest(s),
				within(summarize(share(s)), words.Percent), within(summary(s, harness.WakeupsPerSecond), words.PerSecond),
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
			words.Trimmed(words.Nanos(summary(s, harness.P50Late).Median)), words.Trimmed(words.Nanos(summary(s, harness.P99Late).Median)),
			words.Trimmed(words.Percent(summarize(share(s)).Median)))
	}
	return fmt.Sprintf("Sleeping precisely, %s is late by %s; on the runtime's timers by %s.", name, late(precise), late(usual))
}
