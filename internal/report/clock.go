package report

import (
	"fmt"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// clockQuestion is how late timers are when workloads run on the real clock. Its
// figure is beside that of replays.
var clockQuestion = question{
	section: programsAsk, experiments: []string{rundata.Live},
	heading: "How late are timers when workloads run on the real clock?",
	tables: func(v *view) []*text.Table {
		var series []*rundata.Series
		for _, p := range v.profiles(rundata.Live) {
			series = append(series, v.ordered(v.data.Select(rundata.Live, "profile="+p))...)
		}
		p99 := column{"99 %", func(s *rundata.Series) string {
			if s.Note != "" {
				return s.State()
			}
			if fewDue(s) {
				return fmt.Sprintf("%s (%d)", late99.cell(s), s.Late.TotalCount())
			}
			return late99.cell(s)
		}}
		t := tableOf("Workloads on the real clock: lateness after the planned deadline", 2, series, []column{
			param("workload", "profile"), contender,
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
	topics: func(v *view) []topic { return []topic{v.clockTopic()} },
}

// clockTopic is who is least late in the workloads that were run on the real clock, by
// the 99th percentile.
func (v *view) clockTopic() topic {
	t := topic{name: "lateness on the real clock, 99th percentile", short: "late, live", takes: "as long", where: "in %s", yardstick: catalog.RuntimeTimer, votes: true,
		noticed: noticedLate, repeat: "--experiments live --profiles %s"}
	for _, p := range v.profiles(rundata.Live) {
		t.add(p, v.names, func(name string) []float64 {
			s := v.one(rundata.Live, "profile="+p, "impl="+name)
			if s == nil || fewDue(s) {
				return nil
			}
			return blocksOf(s, rundata.P99Late)
		})
	}
	return t
}

// fewDue reports whether so few timers were due that their 99th percentile is no figure to judge by.
func fewDue(s *rundata.Series) bool {
	return s.Note == "" && s.Late != nil && s.Late.TotalCount() < FewFired
}
