package report

import (
	"fmt"
	"math"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// pauseQuestion is how long those take to catch up that were stopped.
var pauseQuestion = question{
	section: howLate, experiments: []string{rundata.Pause},
	figures: func(v *view) []*chart.Figure {
		p := v.soloPanel("", "time to catch up, lower is better", rundata.CatchUpNs, v.ordered(v.data.Select(rundata.Pause)))
		for i := range p.Lines {
			l := &p.Lines[i]
			l.Captions = []string{l.Name} // they are many, so a legend would be far to look up
			for k := range l.Points {
				l.Points[k].X = math.Pow(10, float64(i)) // side by side: the axis is logarithmic
			}
		}
		return []*chart.Figure{{
			Name: "pause", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(4.8),
			Title: "How long does it take to catch up after half a second's stop?",
			Subtitle: "A process with 1000 timers a second is stopped for 500 ms; time from the first task after that until all have run " +
				"that came due meanwhile; median and 95 % interval",
		}}
	},
	tables: func(v *view) []*text.Table {
		t := tableOf("A process that is stopped for half a second, with 1000 timers a second", 1, v.ordered(v.data.Select(rundata.Pause)), []column{
			contender, median("no task ran for", rundata.PausedNs, words.Nanos), median("came due meanwhile", rundata.DueMeanwhile, words.Count),
			median("caught up in", rundata.CatchUpNs, words.Nanos),
			median("driver reported", rundata.HookLate, words.Nanos), median("and of tasks", rundata.HookFired, words.Count),
		}, answers)
		t.Notes = []string{"The process is stopped and continued by signals, and its clock goes on meanwhile. " +
			"While a machine is suspended the clock stands still: that is not measured here."}
		return []*text.Table{t}
	},
	topics: func(v *view) []topic {
		t := topic{name: "catching up", short: "catch up", takes: "as long", where: "after a stop of %s", yardstick: catalog.RuntimeTimer,
			repeat: "--experiments pause"}
		for _, stopped := range rundata.Distinct(v.data.Select(rundata.Pause), "stopped") {
			t.add(stopped, v.names, func(name string) []float64 {
				return blocksOf(v.one(rundata.Pause, "impl="+name, "stopped="+stopped), rundata.CatchUpNs)
			})
		}
		return []topic{t}
	},
	sentences: func(v *view) []string {
		var due float64
		var said []string
		for _, s := range v.ordered(v.data.Select(rundata.Pause)) {
			m := summary(s, rundata.CatchUpNs)
			if m.N == 0 || s.Get("waking") == rundata.OwnWaking {
				continue // known systems are many; the table has them
			}
			due = max(due, summary(s, rundata.DueMeanwhile).Median)
			said = append(said, fmt.Sprintf("%s in %s", s.Get("impl"), words.Time(m.Median)))
		}
		if len(said) == 0 {
			return nil
		}
		return []string{fmt.Sprintf("After half a second's stop of the process, in which some %s timers came due, these had run: with %s.",
			words.Count(due), strings.Join(said, ", "))}
	},
}
