package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
)

// burstFigure shows how a burst of timers that are all due at once is worked
// off, how long it takes, and what it costs.
func (v *view) burstFigure() *chart.Figure {
	series := v.withMost(harness.Burst)
	n := ""
	if len(series) > 0 {
		pending, _ := strconv.ParseFloat(series[0].Get("pending"), 64)
		n = words.Count(pending) + " "
	}
	course := &chart.Panel{
		Title: "share that has run",
		X:     chart.Axis{Label: "time after the deadline", Log: true, Format: words.Tidy(words.Nanos)},
		Y:     chart.Axis{Label: "share of timers", WithZero: true, Format: words.Tidy(words.Percent)},
	}
	done := v.soloPanel("until the last has run", chart.Axis{Label: "time, lower is better", Log: true, Format: words.Tidy(words.Nanos)})
	cpu := v.soloPanel("CPU time for each timer", chart.Axis{Label: "of the whole process, lower is better", Log: true, Format: words.Tidy(words.Nanos)})
	for _, s := range series {
		name := s.Get("impl")
		course.Lines = append(course.Lines, v.courseOf(name, s))
		done.Lines = append(done.Lines, v.solo(name, summary(s, harness.DoneNs)))
		cpu.Lines = append(cpu.Lines, v.solo(name, summary(s, harness.CPUPerTimer)))
	}
	return &chart.Figure{
		Name: "burst", Rows: [][]*chart.Panel{{course, done, cpu}}, Width: chart.Inches(11), Height: chart.Inches(5),
		Title:    fmt.Sprintf("How long do %stimers take that are all due at once?", n),
		Subtitle: "All tasks note the time and return; left: all rounds together, others: median and 95 % interval",
	}
}

// soloPanel is a panel in which each contender has one value. Where on the x axis
// it is means nothing, so there are no marks.
func (v *view) soloPanel(title string, y chart.Axis) *chart.Panel {
	return &chart.Panel{Title: title, X: chart.Axis{Log: true, Format: words.Count, At: []float64{}}, Y: y}
}

func (v *view) solo(name string, s judge.Summary) chart.Line {
	l := chart.Line{Name: name, Style: v.looks[name]}
	if s.N > 0 {
		l.Points = []chart.Point{at(1, s)}
	}
	return l
}

// courseOf returns the share of timers that had run, against the time after
// their deadline.
func (v *view) courseOf(name string, s *harness.Series) chart.Line {
	l := chart.Line{Name: name, Style: v.looks[name], Marked: []chart.Point{}}
	if s.Late == nil || s.Late.TotalCount() == 0 {
		return l
	}
	const points = 100
	for i := range points + 1 {
		q := float64(i) / points
		pt := chart.At(float64(s.Late.ValueAtQuantile(100*q)), q)
		l.Points = append(l.Points, pt)
		if i%25 == 0 && i > 0 {
			l.Marked = append(l.Marked, pt)
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
		t.add(s.Get("impl"), words.Count(pending),
			within(summary(s, harness.DoneNs), words.Nanos), within(summary(s, harness.GapNs), words.Nanos),
			within(summary(s, harness.P50Late), words.Nanos), within(summary(s, harness.P99Late), words.Nanos),
			within(summary(s, harness.CPUPerTimer), words.Nanos),
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
	return fmt.Sprintf("When %s timers are due at once, %s.", words.Count(pending), strings.Join(said, "; "))
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
	front := fmt.Sprintf("%s with %s", words.Trimmed(words.Nanos(e[0].median)), e[0].name)
	if len(e) > 1 && !judge.Paired(e[1].values, e[0].values, len(e)-1).Separated {
		front += " (not separated from " + e[1].name + ")"
	}
	if at := slices.IndexFunc(e, func(x entrant) bool { return x.name == catalog.RuntimeTimer }); at > 0 {
		front += fmt.Sprintf(" and %s with %s", words.Trimmed(words.Nanos(e[at].median)), catalog.RuntimeTimer)
	}
	return front
}
