package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
)

// runningLooks tell the ways of running tasks of one contestant apart. Its own
// look is that of running inline.
var runningLooks = map[string]chart.Style{
	harness.RunGoroutine: {Colour: chart.RGB(0x882255), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	harness.RunPool:      {Colour: chart.RGB(0x999933), Glyph: draw.PyramidGlyph{}, Dashes: chart.Dash(3, 2)},
}

// runningWays returns the ways of running that were measured with slow tasks,
// in the order in which contenders are shown.
func (v *view) runningWays() (ways []way) {
	for _, name := range v.names {
		for _, running := range harness.Distinct(v.data.Select(harness.Slow, "impl="+name), "running") {
			w := way{name: name, look: v.looks[name], params: []string{"impl=" + name, "running=" + running}}
			if running != harness.RunRuntime && running != harness.RunOwn {
				w.name += ", " + running
			}
			if own, ok := runningLooks[running]; ok {
				w.look = own
			}
			ways = append(ways, w)
		}
	}
	return ways
}

// slowTaskName says what a slow task does.
func slowTaskName(task string) string {
	switch task {
	case harness.SlowSleeps:
		return "slow tasks sleep"
	case harness.SlowBurns:
		return "slow tasks burn CPU"
	}
	return task
}

// slowFigure shows how late the others are when some tasks take long, a panel
// for each kind of slow task.
func (v *view) slowFigure() *chart.Figure {
	series := v.data.Select(harness.Slow)
	f := &chart.Figure{
		Name: "slow", Named: true, Alike: true,
		Title: "One task in every 100 ms takes 10 ms: how late are the others?",
		Subtitle: "Lateness of the other timers after their planned deadline, from the median to the latest, nothing trimmed; " +
			"marks at 50 %, 90 %, 99 % and so on",
		Width: chart.Inches(8.6), Height: chart.Inches(5.6),
	}
	if rate := prevalent(series, "rate"); rate != "" {
		f.Subtitle += "; " + rate + " timers per second"
	}
	var panels []*chart.Panel
	for _, task := range harness.Distinct(series, "task") {
		p := spectrumPanel(slowTaskName(task))
		for _, w := range v.runningWays() {
			if s := v.slowAt(w, task); s != nil {
				p.Lines = append(p.Lines, spectrum(w.name, w.look, s))
			}
		}
		panels = append(panels, p)
	}
	if len(panels) > 1 {
		f.Width = chart.Inches(10.6)
	}
	f.Rows = chart.InRows(panels, 2)
	return f
}

func (v *view) slowAt(w way, task string) *harness.Series {
	return v.one(harness.Slow, append([]string{"task=" + task}, w.params...)...)
}

func (v *view) slowTable() *table {
	t := &table{
		title: "Lateness of the others when one task in every 100 ms takes 10 ms", names: 3,
		header: []string{
			"contender", "running", "slow task", "50 %", "90 %", "99 %", "latest",
			"fired", "early", "lost", "doubled", "CPU of a core",
		},
	}
	for _, task := range harness.Distinct(v.data.Select(harness.Slow), "task") {
		for _, w := range v.runningWays() {
			s := v.slowAt(w, task)
			if s == nil {
				continue
			}
			t.add(s.Get("impl"), s.Get("running"), task,
				within(summary(s, harness.P50Late), words.Nanos), within(summary(s, harness.P90Late), words.Nanos),
				within(summary(s, harness.P99Late), words.Nanos), latest(s),
				sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled),
				within(summarize(share(s)), words.Percent))
		}
	}
	return t
}

// slowLine says what slow tasks do to the others.
func (v *view) slowLine() string {
	tasks := harness.Distinct(v.data.Select(harness.Slow), "task")
	if len(tasks) == 0 {
		return ""
	}
	var said []string
	for _, w := range v.runningWays() {
		if slices.Contains(w.params, "running="+harness.RunOwn) {
			continue // known systems are many; the table has them
		}
		if s := summary(v.slowAt(w, tasks[0]), harness.P99Late); s.N > 0 {
			said = append(said, fmt.Sprintf("%s by %s", strings.Replace(w.name, ", ", " ", 1), words.Trimmed(words.Nanos(s.Median))))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("When one task in every 100 ms takes 10 ms (%s), the others are late, at their 99th percentile: %s.",
		slowTaskName(tasks[0]), strings.Join(said, ", "))
}
