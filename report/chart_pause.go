package report

import (
	"fmt"
	"math"
	"strings"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// pauseFigure shows how long those take to catch up that were stopped.
func (v *view) pauseFigure() *chart.Figure {
	p := v.soloPanel("", chart.Axis{Label: "time to catch up, lower is better", Log: true, Format: words.Tidy(words.Nanos)})
	for i, s := range v.ordered(v.data.Select(harness.Pause)) {
		l := v.solo(s.Get("impl"), summary(s, harness.CatchUpNs))
		l.Captions = []string{l.Name} // they are many, so a legend would be far to look up
		for k := range l.Points {
			l.Points[k].X = math.Pow(10, float64(i)) // side by side: the axis is logarithmic
		}
		p.Lines = append(p.Lines, l)
	}
	return &chart.Figure{
		Name: "pause", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(4.8),
		Title: "How long does it take to catch up after half a second's stop?",
		Subtitle: "A process with 1000 timers a second is stopped for 500 ms; time from the first task after that until all have run " +
			"that came due meanwhile; median and 95 % interval",
	}
}

func (v *view) pauseTable() *table {
	t := &table{
		title: "A process that is stopped for half a second, with 1000 timers a second", names: 1,
		header: []string{
			"contender", "no task ran for", "came due meanwhile", "caught up in", "driver told of", "and of tasks",
			"fired", "early", "lost", "doubled",
		},
	}
	for _, s := range v.ordered(v.data.Select(harness.Pause)) {
		t.add(s.Get("impl"), within(summary(s, harness.PausedNs), words.Nanos), within(summary(s, harness.DueMeanwhile), words.Count),
			within(summary(s, harness.CatchUpNs), words.Nanos),
			within(summary(s, harness.HookLate), words.Nanos), within(summary(s, harness.HookFired), words.Count),
			sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled))
	}
	return t
}

// pauseLine says how long each takes to catch up.
func (v *view) pauseLine() string {
	var due float64
	var said []string
	for _, s := range v.ordered(v.data.Select(harness.Pause)) {
		m := summary(s, harness.CatchUpNs)
		if m.N == 0 || s.Get("waking") == harness.OwnWaking {
			continue // known systems are many; the table has them
		}
		due = max(due, summary(s, harness.DueMeanwhile).Median)
		said = append(said, fmt.Sprintf("%s in %s", s.Get("impl"), words.Trimmed(words.Nanos(m.Median))))
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("After half a second's stop of the process, in which some %s timers came due, these had run: with %s.",
		words.Count(due), strings.Join(said, ", "))
}
