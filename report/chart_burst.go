package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedbench/harness"
	"schedbench/judge"
)

// burstFigure shows how a burst of timers that are all due at once is worked
// off, how long it takes, and what it costs.
func (v *view) burstFigure() *figure {
	series := v.withMost(harness.Burst)
	n := ""
	if len(series) > 0 {
		pending, _ := strconv.ParseFloat(series[0].Get("pending"), 64)
		n = count(pending) + " "
	}
	course := &panel{
		title: "share that has run",
		x:     axis{label: "time after the deadline", log: true, format: tidy(nanos)},
		y:     axis{label: "share of timers", withZero: true, format: tidy(percent)},
	}
	done := v.soloPanel("until the last has run", axis{label: "time, lower is better", log: true, format: tidy(nanos)})
	cpu := v.soloPanel("CPU time for each timer", axis{label: "of the whole process, lower is better", log: true, format: tidy(nanos)})
	for _, s := range series {
		name := s.Get("impl")
		course.lines = append(course.lines, v.courseOf(name, s))
		done.lines = append(done.lines, v.solo(name, summary(s, harness.DoneNs)))
		cpu.lines = append(cpu.lines, v.solo(name, summary(s, harness.CPUPerTimer)))
	}
	return &figure{
		name: "burst", rows: [][]*panel{{course, done, cpu}}, width: inches(11), height: inches(5),
		title:    fmt.Sprintf("How long do %stimers take that are all due at once?", n),
		subtitle: "All tasks note the time and return; left: all rounds together, others: median and 95 % interval",
	}
}

// soloPanel is a panel in which each contender has one value. Where on the x axis
// it is means nothing, so there are no marks.
func (v *view) soloPanel(title string, y axis) *panel {
	return &panel{title: title, x: axis{log: true, format: count, at: []float64{}}, y: y}
}

func (v *view) solo(name string, s judge.Summary) line {
	l := line{name: name, look: v.looks[name]}
	if s.N > 0 {
		l.pts = []point{at(1, s)}
	}
	return l
}

// courseOf returns the share of timers that had run, against the time after
// their deadline.
func (v *view) courseOf(name string, s *harness.Series) line {
	l := line{name: name, look: v.looks[name], marked: []point{}}
	if s.Late == nil || s.Late.TotalCount() == 0 {
		return l
	}
	const points = 100
	for i := range points + 1 {
		q := float64(i) / points
		pt := point{float64(s.Late.ValueAtQuantile(100 * q)), q, nan, nan}
		l.pts = append(l.pts, pt)
		if i%25 == 0 && i > 0 {
			l.marked = append(l.marked, pt)
		}
	}
	return l
}

func (v *view) burstTable() *table {
	t := &table{
		title: "A burst: timers that are all due at once", names: 1,
		header: []string{
			"contender", "timers", "until the last has run", "longest gap", "50 %", "99 %", "CPU for each timer",
			"fired", "early", "lost", "doubled",
		},
		notes: []string{"The gap is the longest time between the first and the last in which none ran. " +
			"The CPU time is of the process, from 5 ms before the deadline on, with garbage collection."},
	}
	for _, s := range v.ordered(v.data.Select(harness.Burst)) {
		pending, _ := strconv.ParseFloat(s.Get("pending"), 64)
		t.add(s.Get("impl"), count(pending),
			within(summary(s, harness.DoneNs), nanos), within(summary(s, harness.GapNs), nanos),
			within(summary(s, harness.P50Late), nanos), within(summary(s, harness.P99Late), nanos),
			within(summary(s, harness.CPUPerTimer), nanos),
			sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled))
	}
	return t
}

// burstLine says who is done with a burst first, and who takes the least CPU.
func (v *view) burstLine() string {
	series := v.withMost(harness.Burst)
	if len(series) == 0 {
		return ""
	}
	pending, _ := strconv.ParseFloat(series[0].Get("pending"), 64)
	var said []string
	for _, of := range []struct{ unit, what string }{
		{harness.DoneNs, "the last has run after"}, {harness.CPUPerTimer, "the CPU time of each is"},
	} {
		if s := frontOf(series, of.unit); s != "" {
			said = append(said, of.what+" "+s)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("When %s timers are due at once, %s.", count(pending), strings.Join(said, "; "))
}

// frontOf says who has the least of something, or which two cannot be told
// apart, and what time.AfterFunc has.
func frontOf(series []*harness.Series, unit string) string {
	var e []entrant
	for _, s := range series {
		if m := summary(s, unit); m.N > 0 {
			e = append(e, entrant{s.Get("impl"), samples(s, unit), m.Median})
		}
	}
	if len(e) == 0 {
		return ""
	}
	slices.SortStableFunc(e, func(a, b entrant) int { return cmp.Compare(a.median, b.median) })
	front := fmt.Sprintf("%s with %s", trimmed(nanos(e[0].median)), e[0].name)
	if len(e) > 1 && !judge.Paired(e[1].values, e[0].values, len(e)-1).Separated {
		front += " (not separated from " + e[1].name + ")"
	}
	if at := slices.IndexFunc(e, func(x entrant) bool { return x.name == runtimeTimer }); at > 0 {
		front += fmt.Sprintf(" and %s with %s", trimmed(nanos(e[at].median)), runtimeTimer)
	}
	return front
}
