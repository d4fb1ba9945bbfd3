package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// replayChapter compares the time of an operation by workload, and shows which contestants have none and why.
var replayChapter = chapter{
	section: programsAsk,
	heading: "Time of an operation by workload",
	figures: func(v *Report) []*chart.Figure {
		return []*chart.Figure{v.heatFigure("profiles", "Which scheduler is fastest in which workload?", rundata.Profiles,
			"All replay the same operations in virtual time; an operation is a schedule, a reset or a cancellation, expiries are charged to them.", v.replayMeasure())}
	},
	tables: func(v *Report) (list []*text.Table) {
		t := v.decide(v.replayMeasure())
		list = lists.Each(v.profiles(rundata.Profiles), func(p string) *text.Table { return v.replayTable(p, t.at(p).Contest) })
		if len(list) > 0 {
			explain(list[0], OperationOf("replay"))
			last := list[len(list)-1]
			last.Notes = append(last.Notes, "Granted are cancellations and resets of pending timers. "+
				"Answers are equal if the same timers fired in each tick and the same operations were granted.")
		}
		return list
	},
	measures: func(v *Report) []measure { return []measure{v.replayMeasure()} },
}

func (v *Report) profiles(experiment string) []string {
	return rundata.Distinct(v.data.Select(experiment), "profile")
}

func (v *Report) replayMeasure() measure {
	t := measure{name: "replays", group: "replay", takes: "as long", where: "in %s", baseline: catalog.ContainerHeap, votes: true,
		of: grid{v.data.Select(rundata.Profiles), "profile", asIs, "", v.each(v.names)}}
	if slices.ContainsFunc(v.profiles(rundata.Profiles), func(p string) bool { return strings.Contains(p, "@") }) {
		t.note = "@0.1: a tenth of the rates and of the timers, @0.6 six tenths"
	}
	return t
}

// replayTable has a row for each contestant in a workload. A control answers nothing.
func (v *Report) replayTable(profile string, contest judge.Contest) *text.Table {
	series := v.ordered(v.data.Select(rundata.Profiles, "profile="+profile))
	title := "Replay of " + profile
	if len(series) > 0 {
		title += ", with a tick of " + series[0].Get("tick")
	}
	answer := func(head, unit string, f words.Format) column {
		return column{head, func(s *rundata.Series) string {
			if control(s.Get("impl")) {
				return ""
			}
			return constant(s, unit, f)
		}}
	}
	t := tableOf(title, 1, series, []column{
		contestant, v.netColumn("time per operation"),
		{"to the fastest", func(s *rundata.Series) string {
			if len(contest.Standings) == 0 || control(s.Get("impl")) || s.Note != "" {
				return ""
			}
			return against(v.blocks(s, ""), contest.First().Blocks, s.Get("impl") == contest.First().Name)
		}},
		{"steps", func(s *rundata.Series) string { return within(stepsTaken(s), words.Count) }},
		{"wake-ups per virtual second", func(s *rundata.Series) string { return constant(s, rundata.WakeupsPerVirtual, words.Count) }},
		{"operations", func(s *rundata.Series) string { return constant(s, rundata.TotalOps, plain) }},
		answer("fired", rundata.TotalFired, plain), answer("granted", rundata.TotalGranted, plain),
		answer("refused", rundata.TotalRefused, plain), answer("answer", rundata.AnswerBits, func(v float64) string { return fmt.Sprintf("%012x", uint64(v)) }),
	})
	for _, s := range series {
		if s.Note != "" {
			t.Notes = append(t.Notes, s.Get("impl")+" "+s.Note)
		}
	}
	return t
}

// constant writes a figure that is the same in each round.
func constant(s *rundata.Series, unit string, f words.Format) string {
	if values := samples(s, unit); len(values) > 0 {
		return f(values[0])
	}
	return ""
}

var clockChapter = chapter{
	section: programsAsk,
	heading: "How late are timers when workloads run on the real clock?",
	figures: func(v *Report) []*chart.Figure {
		return []*chart.Figure{v.heatFigure("live", "How late are timers when workloads run on the real clock?", rundata.Live,
			"99th percentile of lateness. All are given the same operations.", v.clockMeasure())}
	},
	tables: func(v *Report) []*text.Table {
		series := v.ordered(v.data.Select(rundata.Live), "profile")
		p99 := column{"99 %", func(s *rundata.Series) string {
			return orState(s, late99.cell(s)+timersIfFew(s))
		}}
		t := tableOf("Workloads on the real clock: lateness after the planned deadline", 2, series, []column{
			param("workload", "profile"), contestant,
			{"operations", func(s *rundata.Series) string { return words.PerSecond(number(s.Get("rate"))) }},
			{"scale", func(s *rundata.Series) string { return s.Get("scale") + "×" }},
			late50, p99, lateWorst,
		}, answers, []column{cpuShare, wakeups})
		for _, s := range series {
			if s.Note != "" && s.State() != rundata.NothingDue {
				t.Notes = append(t.Notes, s.Get("impl")+" "+s.Note)
			}
		}
		return []*text.Table{t}
	},
	measures: func(v *Report) []measure { return []measure{v.clockMeasure()} },
}

func (v *Report) clockMeasure() measure {
	return measure{name: "lateness on the real clock, 99th percentile", group: "lateness", takes: "as long", where: "in %s", baseline: catalog.RuntimeTimer, votes: true,
		noticed: noticedLate,
		of:      grid{slices.DeleteFunc(v.data.Select(rundata.Live), fewDue), "profile", asIs, rundata.P99Late, v.each(v.names)}}
}

// fewDue reports whether so few timers were due that their 99th percentile is no figure to judge by.
func fewDue(s *rundata.Series) bool {
	return s.Note == "" && s.Late != nil && s.Late.TotalCount() < fewFired
}

// timersIfFew follows a 99th percentile of so few timers with how many there were.
func timersIfFew(s *rundata.Series) string {
	if !fewDue(s) {
		return ""
	}
	return fmt.Sprintf(" (%d)", s.Late.TotalCount())
}

// heatFigure shows the contestants of an experiment in its workloads: how fast they are, or how late.
func (v *Report) heatFigure(name, title, experiment, subtitle string, t measure) *chart.Figure {
	h := &chart.Heat{Rows: v.profiles(experiment)}
	h.Notes = lists.Each(h.Rows, v.profileNote)
	names := lists.Only(v.names, func(name string) bool { return len(v.data.Select(experiment, "impl="+name)) > 0 })
	t = v.decide(t)
	h.Panels = []*chart.HeatPanel{heatPanel("", h.Rows, names, func(row, name string) chart.HeatCell {
		c := v.heatCell(experiment, t.of.unit, row, name)
		c.Mark = markOf(t.at(row).Contest, name)
		return c
	})}
	return &chart.Figure{
		Name: name, Heat: h, Named: true, Title: title,
		Subtitle: subtitle + " Lower is better: lighter is less. Figures are medians; bold has the least geometric mean of blocks, " +
			"which need not be the least median. Marks at 95 %, corrected for the number of comparisons",
		Width:  chart.Inches(max(8.6, 2.2+0.82*float64(len(names)))),
		Height: vg.Points(164 + 30*float64(len(h.Rows))),
	}
}

// profileNote says of a workload what its name does not.
func (v *Report) profileNote(profile string) string {
	var said []string
	if ticks := rundata.Distinct(v.data.Select("", "profile="+profile), "tick"); len(ticks) > 0 {
		said = append(said, "tick "+ticks[0])
	}
	if s := v.one(rundata.Live, "profile="+profile); s != nil && s.Get("scale") != "" && s.Get("scale") != "1" {
		said = append(said, "on the clock "+s.Get("scale")+"×")
	}
	return strings.Join(said, ", ")
}

func heatPanel(title string, rows, columns []string, cell func(row, column string) chart.HeatCell) *chart.HeatPanel {
	return &chart.HeatPanel{Title: title, Columns: columns,
		Cells: lists.Each(rows, func(row string) []chart.HeatCell {
			return lists.Each(columns, func(column string) chart.HeatCell { return cell(row, column) })
		})}
}

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
	return map[judge.Answer]chart.Mark{judge.AsFast: chart.Alike, judge.Unclear: chart.Unseparated}[c.Standings[i].ToFirst.Answer]
}

// fewFired is the number of timers below which a 99th percentile says little.
const fewFired = 100

// heatCell returns the figure of a contestant in a workload, or why there is none.
func (v *Report) heatCell(experiment, unit, profile, name string) chart.HeatCell {
	s := v.one(experiment, "profile="+profile, "impl="+name)
	if s == nil {
		return chart.HeatCell{Value: math.NaN(), Text: "not run"}
	}
	m := summarize(v.blocks(s, unit))
	if s.Note != "" || !(m.Median > 0) {
		return chart.HeatCell{Value: math.NaN(), Text: orState(s, "?")}
	}
	return chart.HeatCell{Value: m.Median, Text: words.Nanos(m.Median) + timersIfFew(s)}
}
