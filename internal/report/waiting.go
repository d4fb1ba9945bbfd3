package report

import (

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// waitingQuestion is how much more punctual a clock of the system is than the Go
// runtime's, and what that costs.
var waitingQuestion = question{
	section: howLate, experiments: []string{rundata.Jitter},
	figures: func(v *view) []*chart.Figure {
		f := &chart.Figure{
			Name: "waiting", Named: true, Alike: true,
			Title: "How much more punctual is a clock of the system than the Go runtime's?",
			Subtitle: "Lateness after the planned deadline without ticks, from the median to the latest timer, nothing trimmed" +
				atRate(v.rate()),
			Width: chart.Inches(10.6), Height: chart.Inches(5.6),
		}
		f.Rows = chart.InRows(v.sleptCells().spectra("%s others pending"), 2)
		return []*chart.Figure{f}
	},
	tables: func(v *view) []*text.Table {
		idle := func(head string, c column) column {
			return column{head, func(s *rundata.Series) string {
				same := v.one(rundata.Idle, "impl="+s.Get("impl"), "waiting="+s.Get("waiting"), "pending="+s.Get("pending"))
				return c.cell(same)
			}}
		}
		return []*text.Table{tableOf("Ways of sleeping, without ticks", 2, v.ordered(v.slept(rundata.Jitter), "pending"),
			[]column{contender, param("waiting", "waiting"), amount("others pending", "pending"), late50, late99, lateWorst, cpuShare, wakeups,
				idle("idle CPU of a core", cpuShare), idle("idle wake-ups", wakeups)},
			answers)}
	},
	topics: func(v *view) []topic {
		t := topic{name: "lateness by way of sleeping, median", takes: "as long", where: "with %s others pending", baseline: catalog.RuntimeTimer, ways: true}
		return []topic{t.over(v, v.sleptCells())}
	},
}

// sleptCells are those of the ways of sleeping, by what else is pending.
func (v *view) sleptCells() cells {
	series := v.slept(rundata.Jitter)
	return cells{series, "pending", nil, rundata.P50Late, v.waitingWays(series)}
}

// waitingWays returns the ways of sleeping in some series. Precise ones are paler
// and dashed.
func (v *view) waitingWays(series []*rundata.Series) []way {
	ways := v.ways(series, "waiting", nil, ofRuntime)
	for i, w := range ways {
		if w.params[1] != "waiting="+rundata.WaitRuntime {
			ways[i].style.Colour, ways[i].style.Dashes = chart.Faded(w.style.Colour, 0.35), chart.Dash(4, 2)
		}
	}
	return ways
}

// slept returns the series of an experiment that differ in their way of sleeping.
func (v *view) slept(experiment string) []*rundata.Series {
	var found []*rundata.Series
	for _, s := range v.data.Select(experiment) {
		if s.Get("waiting") != "" {
			found = append(found, s)
		}
	}
	return found
}

// slackQuestion is what lateness buys: CPU time, by letting one wake-up serve
// several timers.
var slackQuestion = question{
	section: whatIdlingCosts, experiments: []string{rundata.Slack},
	figures: func(v *view) []*chart.Figure {
		return []*chart.Figure{{
			Name:  "slack",
			Title: "What does letting timers be late save?",
			Subtitle: "Each point is a slack: the worker wakes so much later, and serves all that has come due by then; " +
				"median, and 95 % interval of lateness" + atRate(prevalent(v.data.Select(rundata.Slack), "rate")),
			Width: chart.Inches(10.6), Height: chart.Inches(5.6),
			Rows: [][]*chart.Panel{{v.slackPanel("median", rundata.P50Late), v.slackPanel("99th percentile", rundata.P99Late)}},
		}}
	},
	tables: func(v *view) []*text.Table {
		all := v.data.Select(rundata.Slack)
		var series []*rundata.Series
		for _, w := range v.waitingWays(all) {
			for _, slack := range slacks(all) {
				if s := first(all, append(w.params, "slack="+slack)...); s != nil {
					series = append(series, s)
				}
			}
		}
		return []*text.Table{tableOf("Slack: later, and for less", 3, series,
			[]column{contender, param("waiting", "waiting"), param("slack", "slack"), late50, late99, lateWorst, cpuShare, wakeups}, answers)}
	},
}

func (v *view) slackPanel(title, unit string) *chart.Panel {
	series := v.data.Select(rundata.Slack)
	p := &chart.Panel{
		Title: title,
		X:     chart.Axis{Label: "CPU of the process, share of a core, lower is better", WithZero: true, Format: words.Share},
		Y:     lateAxis(),
	}
	for _, w := range v.waitingWays(series) {
		l := chart.Line{Name: w.name, Style: w.style}
		for _, slack := range slacks(series) {
			s := first(series, append(w.params, "slack="+slack)...)
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
func slacks(series []*rundata.Series) []string {
	var found []string
	for _, slack := range rundata.Distinct(series, "slack") {
		if slack == "0s" {
			found = append(found, slack)
		}
	}
	for _, d := range durations(series, "slack") {
		found = append(found, labelOf(series, "slack", d))
	}
	return found
}
