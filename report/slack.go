package report

import (
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/report/chart"
	"schedbench/report/text"
)

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
				series = append(series, v.ofWays([]way{w}, rundata.Slack, "slack="+slack)...)
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
			s := v.ofWay(w, rundata.Slack, "slack="+slack)
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
