package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// heatFigure shows who is how fast, and how late, in which workload.
func (v *view) heatFigure() *chart.Figure {
	h := &chart.Heat{Rows: v.profilesMeasured()}
	for _, p := range h.Rows {
		h.Notes = append(h.Notes, v.profileNote(p))
	}
	h.Panels = []*chart.HeatPanel{
		v.heatPanel(h.Rows, rundata.Profiles, rundata.NsPerOp, "time per operation, in virtual time", v.decide(v.replayTopic())),
		v.heatPanel(h.Rows, rundata.Live, rundata.P99Late, "99th percentile of lateness, on the real clock", v.decide(v.clockTopic())),
	}
	columns := 0
	for _, p := range h.Panels {
		columns += len(p.Columns)
	}
	title := "Who is fastest at what programs ask of their timers"
	if len(h.Panels[1].Columns) > 0 {
		title += ", and who is on time"
	}
	return &chart.Figure{
		Name: "profiles", Heat: h, Named: true,
		Title: title + "?",
		Subtitle: "All replay the same operations; an operation is a schedule, a reset or a cancellation, expiries are charged to them. " +
			"Lower is better: lighter is less. Figures are medians; in front (bold) is who has the least geometric mean of blocks, which need not be the least median. " +
			"Marks at 95 %, corrected for the number of comparisons",
		Width:  chart.Inches(max(8.6, 2.2+0.82*float64(columns))),
		Height: vg.Points(200 + 30*float64(len(h.Rows))),
	}
}

// profilesMeasured returns the workloads, those that were replayed first.
func (v *view) profilesMeasured() []string {
	list := v.profiles(rundata.Profiles)
	for _, p := range v.profiles(rundata.Live) {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// profileNote says of a workload what its name does not.
func (v *view) profileNote(profile string) string {
	var said []string
	for _, s := range v.data.Select("", "profile="+profile) {
		if t := s.Get("tick"); t != "" {
			said = append(said, "tick "+t)
			break
		}
	}
	if scale := v.liveScale(profile); scale != "" && scale != "1" {
		said = append(said, "on the clock "+scale+"×")
	}
	return strings.Join(said, ", ")
}

// liveScale returns by how much a workload was scaled on the real clock.
func (v *view) liveScale(profile string) string {
	if s := v.one(rundata.Live, "profile="+profile); s != nil {
		return s.Get("scale")
	}
	return ""
}

// heatPanel makes the table of one experiment.
func (v *view) heatPanel(rows []string, experiment, unit, title string, t topic) *chart.HeatPanel {
	p := &chart.HeatPanel{Title: title, Scale: chart.Axis{Log: true, Format: words.Time}}
	for _, name := range v.names {
		if len(v.data.Select(experiment, "impl="+name)) > 0 {
			p.Columns = append(p.Columns, name)
		}
	}
	for _, row := range rows {
		contest := t.at(row).Contest
		var cells []chart.HeatCell
		for _, name := range p.Columns {
			c := v.heatCell(experiment, unit, row, name)
			c.Mark = markOf(contest, name)
			cells = append(cells, c)
		}
		p.Cells = append(p.Cells, cells)
	}
	return p
}

// markOf returns how a contestant stands.
func markOf(c judge.Contest, name string) chart.Mark {
	i := slices.IndexFunc(c.Standings, func(s judge.Standing) bool { return s.Name == name })
	switch {
	case i < 0 || len(c.Standings) < 2:
		return chart.Unmarked
	case i == 0 && c.Won():
		return chart.Leads
	case i == 0:
		return chart.LeadsUnseparated
	}
	switch c.Standings[i].ToFirst.Answer {
	case judge.AsFast:
		return chart.Alike
	case judge.Unclear:
		return chart.Unseparated
	}
	return chart.Unmarked
}

// FewFired is the number of timers below which a 99th percentile says little.
const FewFired = 100

// heatCell returns the figure of a contestant in a workload, or why there is none.
func (v *view) heatCell(experiment, unit, profile, name string) chart.HeatCell {
	s := v.one(experiment, "profile="+profile, "impl="+name)
	switch {
	case s == nil:
		return chart.HeatCell{Value: math.NaN(), Text: "not run"}
	case s.Note != "":
		return chart.HeatCell{Value: math.NaN(), Text: s.State()}
	}
	m := summary(s, unit)
	if unit == rundata.NsPerOp {
		m = summarize(v.netBlocks(s))
	}
	if m.N == 0 || !(m.Median > 0) {
		return chart.HeatCell{Value: math.NaN(), Text: "?"}
	}
	text := words.Nanos(m.Median)
	if unit == rundata.P99Late && fewDue(s) {
		text += fmt.Sprintf(" (%d)", s.Late.TotalCount())
	}
	return chart.HeatCell{Value: m.Median, Text: text}
}
