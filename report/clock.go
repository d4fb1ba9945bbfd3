package report

import (
	"strings"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/text"
)

// clockQuestion is how late timers are when workloads run on the real clock. Its
// figure is beside that of replays.
var clockQuestion = question{
	tables: func(v *view) []*text.Table {
		var series []*harness.Series
		for _, p := range v.profiles(harness.Live) {
			series = append(series, v.ordered(v.data.Select(harness.Live, "profile="+p))...)
		}
		p99 := column{"99 %", func(s *harness.Series) string {
			if s.Note != "" {
				return s.State()
			}
			return late99.cell(s)
		}}
		t := tableOf("Workloads on the real clock: lateness after the planned deadline", 2, series, []column{
			param("workload", "profile"), contender,
			{"operations", func(s *harness.Series) string { return words.PerSecond(number(s.Get("rate"))) }},
			{"scale", func(s *harness.Series) string { return s.Get("scale") + "×" }},
			late50, p99, lateWorst,
		}, answers, []column{cpuShare, wakeups})
		for _, s := range series {
			if s.Note != "" && s.State() != harness.NothingDue {
				t.Notes = append(t.Notes, s.Get("impl")+" "+s.Note)
			}
		}
		return []*text.Table{t}
	},
	// Who is least late, where there are replays to compare with.
	sentences: func(v *view) []string {
		if len(v.profiles(harness.Profiles)) == 0 {
			return nil
		}
		var said []string
		for _, p := range v.profiles(harness.Live) {
			var series []*harness.Series
			for _, s := range v.ordered(v.data.Select(harness.Live, "profile="+p)) {
				if s.Note == "" {
					series = append(series, s)
				}
			}
			if front := frontOf(series, harness.P99Late); front != "" && len(said) < mostNamed {
				said = append(said, p+" by "+front)
			}
		}
		if len(said) == 0 {
			return nil
		}
		return []string{"On the real clock, with the tick of the workload, timers are late at their 99th percentile: " + strings.Join(said, "; ") + "."}
	},
}

// mostNamed is how many workloads a sentence names.
const mostNamed = 4

// onTheClock returns who leads in the workloads that were run on the real clock, by
// the 99th percentile of lateness. There are too few rounds to correct for the
// number of comparisons.
func (v *view) onTheClock() (list []placedLead) {
	for _, p := range v.profiles(harness.Live) {
		list = append(list, v.leadIn(harness.Live, harness.P99Late, p, 1, 1))
	}
	return list
}
