package report

import (
	"fmt"
	"math"
	"strings"

	"schedbench/harness"
)

// pauseFigure shows how long those take to catch up that were stopped.
func (v *view) pauseFigure() *figure {
	p := v.soloPanel("", axis{label: "time to catch up, lower is better", log: true, format: tidy(nanos)})
	for i, s := range v.ordered(v.data.Select(harness.Pause)) {
		l := v.solo(s.Get("impl"), summary(s, harness.CatchUpNs))
		l.captions = []string{l.name} // they are many, so a legend would be far to look up
		for k := range l.pts {
			l.pts[k].x = math.Pow(10, float64(i)) // side by side: the axis is logarithmic
		}
		p.lines = append(p.lines, l)
	}
	return &figure{
		name: "pause", named: true, rows: [][]*panel{{p}}, width: inches(8.6), height: inches(4.8),
		title: "How long does it take to catch up after half a second's stop?",
		subtitle: "A process with 1000 timers a second is stopped for 500 ms; time from the first task after that until all have run " +
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
		t.add(s.Get("impl"), within(summary(s, harness.PausedNs), nanos), within(summary(s, harness.DueMeanwhile), count),
			within(summary(s, harness.CatchUpNs), nanos),
			within(summary(s, harness.HookLate), nanos), within(summary(s, harness.HookFired), count),
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
		if m.N == 0 || s.Get("waking") == ownWaking {
			continue // known systems are many; the table has them
		}
		due = max(due, summary(s, harness.DueMeanwhile).Median)
		said = append(said, fmt.Sprintf("%s in %s", s.Get("impl"), trimmed(nanos(m.Median))))
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("After half a second's stop of the process, in which some %s timers came due, these had run: with %s.",
		count(due), strings.Join(said, ", "))
}
