package report

import (
	"fmt"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// replayQuestion is who is how fast in which workload, who is out of which, and
// whether the answers are right.
var replayQuestion = question{
	section: programsAsk, experiments: []string{rundata.Profiles},
	heading: "Who is how fast in which workload?",
	figures: func(v *view) []*chart.Figure { return []*chart.Figure{v.heatFigure()} },
	tables: func(v *view) (list []*text.Table) {
		t := v.decide(v.replayTopic())
		for _, p := range v.profiles(rundata.Profiles) {
			list = append(list, v.replayTable(p, t.at(p).Contest))
		}
		if len(list) > 0 {
			explain(list[0], operationCalled("replay"))
			last := list[len(list)-1]
			last.Notes = append(last.Notes, "Granted are cancellations and resets that found their timer pending. "+
				"Equal answers are equal sets fired in each tick, and equal replies.")
		}
		return list
	},
	topics: func(v *view) []topic { return []topic{v.replayTopic()} },
}

// profiles returns the workloads of an experiment in the order of the data.
func (v *view) profiles(experiment string) []string {
	return rundata.Distinct(v.data.Select(experiment), "profile")
}

// replayTopic is who takes least time for an operation of a workload.
func (v *view) replayTopic() topic {
	t := topic{name: "replays", takes: "as long", where: "in %s", yardstick: catalog.ContainerHeap, votes: true,
		repeat: "--experiments profiles --profiles %s"}
	for _, p := range v.profiles(rundata.Profiles) {
		t.add(p, v.names, func(name string) []float64 {
			return v.netBlocks(v.one(rundata.Profiles, "profile="+p, "impl="+name))
		})
	}
	return t
}

// replayTable has a row for each contestant in a workload.
func (v *view) replayTable(profile string, contest judge.Contest) *text.Table {
	t := &text.Table{
		Title: "Replay of " + profile, Names: 1,
		Header: []string{"contender", "time per operation", "to the fastest", "steps", "wake-ups per virtual second",
			"operations", "fired", "granted", "refused", "answer"},
	}
	series := v.ordered(v.data.Select(rundata.Profiles, "profile="+profile))
	for _, s := range series {
		taken := ""
		if sum, ok := stepsTaken(s); ok {
			taken = within(sum, words.Count)
		}
		cost := within(summarize(v.netBlocks(s)), words.Nanos)
		if control(s.Get("impl")) {
			cost = within(summary(s, rundata.NsPerOp), words.Nanos)
		}
		if s.Note != "" {
			cost = s.State()
			t.Notes = append(t.Notes, s.Get("impl")+" "+s.Note)
		}
		row := []string{s.Get("impl"), cost, v.toFastest(s, contest), taken, constant(s, rundata.WakeupsPerVirtual, words.Count),
			constant(s, rundata.TotalOps, plain)}
		if control(s.Get("impl")) {
			t.Add(append(row, "", "", "", "")...)
			continue
		}
		t.Add(append(row, constant(s, rundata.TotalFired, plain), constant(s, rundata.TotalGranted, plain),
			constant(s, rundata.TotalRefused, plain), constant(s, rundata.AnswerBits, hex48))...)
	}
	if len(series) > 0 {
		t.Title += ", with a tick of " + series[0].Get("tick")
	}
	return t
}

// toFastest writes how many times as long as the fastest a contender took.
func (v *view) toFastest(s *rundata.Series, contest judge.Contest) string {
	if len(contest.Standings) == 0 || control(s.Get("impl")) || s.Note != "" {
		return ""
	}
	first := contest.First()
	return against(v.netBlocks(s), first.Blocks, s.Get("impl") == first.Name)
}

// constant writes a figure that is the same in each round.
func constant(s *rundata.Series, unit string, f words.Format) string {
	if values := samples(s, unit); len(values) > 0 {
		return f(values[0])
	}
	return ""
}

// hex48 writes the bits of a hash.
func hex48(v float64) string { return fmt.Sprintf("%012x", uint64(v)) }

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
