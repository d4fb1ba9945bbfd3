package choice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/internal/words"
	"schedbench/report"
	"schedbench/report/chart"
	"schedbench/tune"
	"schedbench/tune/costs"
)

// Chart draws lateness against CPU into a directory, which it makes if need be, and
// returns the names of the files; svg asks for an SVG file beside the PNG.
func (t *Tuning) Chart(dir string, svg bool) ([]string, error) {
	return tuneChart(t.figure(), t.Cached.Calibration, dir, svg)
}

// ExplanationChart draws how the timers of a workload fill the slots of a
// configuration, if it has slots. It writes as Tuning.Chart does.
func ExplanationChart(e *tune.Explanation, workload string, c *costs.Calibration, dir string, svg bool) ([]string, error) {
	if e.Occupancy == nil {
		return nil, nil
	}
	return tuneChart(occupancyFigure(e, workload), c, dir, svg)
}

// tuneChart draws a figure of what a calibration tells.
func tuneChart(f *chart.Figure, c *costs.Calibration, dir string, svg bool) ([]string, error) {
	env := map[string]string{"date": c.Made.UTC().Format(time.DateOnly)}
	for key, value := range c.Env {
		if key != "date" {
			env[key] = value
		}
	}
	report.Sign(f, env, true)
	return chart.SaveIfAny(f, dir, svg)
}

// ways are the ways of a driver to wait, each with a panel of its own.
var ways = []struct {
	title   string
	waking  catalog.Waking
	waiting catalog.Waiting
}{
	{"sleeps until something is due", catalog.Tickless, catalog.Runtime},
	{"sleeps until something is due, precisely", catalog.Tickless, catalog.Precise},
	{"wakes up at every tick", catalog.Ticking, catalog.Runtime},
	{"wakes up at every tick, precisely", catalog.Ticking, catalog.Precise},
}

// figure draws lateness against CPU: a panel for each way of waiting, in it a
// curve for each scheduler, and on it a point for each tick.
func (t *Tuning) figure() *chart.Figure {
	f := &chart.Figure{
		Name: "tune", Alike: true,
		Title: "Which scheduler and tick for " + t.Choice.Load.Name + "?",
		Subtitle: t.whatIsMarked() + fmt.Sprintf("Predicted: a point for each tick, with the number of slots that suits it best%s. %s",
			t.asked(), t.tried()),
		Width: chart.Inches(10.6), Height: chart.Inches(7.9),
	}
	var panels []*chart.Panel
	for _, way := range ways {
		if p := t.panel(way.waking, way.waiting); len(p.Lines) > 0 {
			p.Title = way.title
			panels = append(panels, p)
		}
	}
	f.Rows = chart.InRows(panels, 2)
	if len(panels) <= 2 {
		f.Height = chart.Inches(5)
	}
	return f
}

// asked says what the shading is.
func (t *Tuning) asked() string {
	if !t.limited() {
		return ""
	}
	return fmt.Sprintf("; shaded: what is asked for; left out: what misses that %d times over", farOff)
}

// tried says what was measured.
func (t *Tuning) tried() string {
	if t.Proof == nil || len(t.Proof.Runs) == 0 {
		return "Nothing was measured"
	}
	said := "Measured: what was tried, with 95 % intervals, tied to what was predicted of the workload as it was played"
	if t.Proof.Scale > 0 && t.Proof.Scale < 1 {
		said += ", at " + words.Share(t.Proof.Scale) + " of its size"
	}
	return said
}

// panel returns the panel of a way of waiting.
func (t *Tuning) panel(waking catalog.Waking, waiting catalog.Waiting) *chart.Panel {
	p := &chart.Panel{
		X:        chart.Axis{Label: "CPU of the timers, share of a core, lower is better", Log: true, Format: words.Share},
		Y:        chart.Axis{Label: fmt.Sprintf("lateness of %s, lower is better", ordinal(t.Choice.Requirements.Percentile)), Log: true, Format: words.Time},
		Levels:   chart.AtMost(float64(t.Choice.Requirements.Lateness), words.Nanos),
		Uprights: chart.AtMost(t.Choice.Requirements.CPU, words.Percent),
		Shaded:   t.limited(),
	}
	within := func(c catalog.Config) bool { return c.Waking == waking && c.Waiting == waiting }
	var names []chart.Line
	for _, name := range append(catalog.Schedulers(), catalog.RuntimeTimer) {
		var of []tune.Prediction
		for _, q := range t.Choice.All {
			if q.Config.Scheduler == name && within(q.Config) && t.worthwhile(q) {
				of = append(of, q)
			}
		}
		if len(of) > 0 {
			p.Lines = append(p.Lines, curve(name, report.StyleOf(name), of))
		}
		if name == t.exemplar() {
			names = tickNames(of, name, report.StyleOf(name))
		}
	}
	p.Lines = append(p.Lines, names...)
	t.mark(p, within)
	return p
}

// farOff is how many times what is asked for is so much that it is not drawn.
const farOff = 20

// worthwhile reports whether a prediction is drawn: not if it is impossible, or far
// from what is asked for.
func (t *Tuning) worthwhile(q tune.Prediction) bool {
	within := func(v, limit float64) bool { return limit <= 0 || v <= farOff*limit }
	return q.Impossible == "" && within(q.Lateness.Value, t.Choice.Requirements.Lateness.Seconds()) && within(q.CPU.Value, t.Choice.Requirements.CPU)
}

// limited reports whether not all is allowed.
func (t *Tuning) limited() bool {
	return t.Choice.Requirements.Lateness > 0 || t.Choice.Requirements.CPU > 0
}

// curve returns the line of a scheduler. Points that take too much memory have no
// glyph.
func curve(name string, l chart.Style, of []tune.Prediction) chart.Line {
	c := chart.Line{Name: name, Style: l, Marked: []chart.Point{}, Dense: true}
	for _, q := range bestAtTicks(of) {
		pt := spot(q)
		c.Points = append(c.Points, pt)
		if !slices.Contains(q.Misses, tune.LimitMemory) {
			c.Marked = append(c.Marked, pt)
		}
	}
	return c
}

// bestAtTicks returns the best prediction of each tick, ascending: one that misses
// fewer limits, then the one of less CPU, then of less memory.
func bestAtTicks(of []tune.Prediction) (best []tune.Prediction) {
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b tune.Prediction) int {
		return cmp.Or(cmp.Compare(a.Config.Tick, b.Config.Tick), cmp.Compare(len(a.Misses), len(b.Misses)),
			cmp.Compare(a.CPU.Value, b.CPU.Value), cmp.Compare(a.Memory.Value, b.Memory.Value))
	})
	return slices.CompactFunc(of, func(a, b tune.Prediction) bool { return a.Config.Tick == b.Config.Tick })
}

// spot is where a prediction is. Intervals are not drawn: they would cover
// the curves of the others.
func spot(q tune.Prediction) chart.Point { return chart.At(q.CPU.Value, q.Lateness.Value*1e9) }

// tickNames returns names of ticks in decades, written beside the points of one
// scheduler: those of the others are much the same.
func tickNames(of []tune.Prediction, name string, l chart.Style) (names []chart.Line) {
	for _, q := range bestAtTicks(of) {
		if tick := q.Config.Tick; q.Config.Scheduler == name && tick > 0 && isDecade(tick) {
			names = append(names, chart.Line{Style: l, Points: []chart.Point{spot(q)}, Marked: []chart.Point{}, Captions: []string{words.Span(float64(tick))}, Dispensable: true})
		}
	}
	return names
}

// exemplar is the scheduler whose ticks are named: that of the pick if it has
// ticks, or else the hierarchical wheel.
func (t *Tuning) exemplar() string {
	for _, n := range namedOf(t.Choice) {
		if n.Config.Tick > 0 && n.Config.Slots > 0 {
			return n.Config.Scheduler
		}
	}
	return catalog.Hier
}

// isDecade reports whether a duration is a power of ten of nanoseconds.
func isDecade(d time.Duration) bool {
	p := math.Round(math.Log10(float64(d)))
	return float64(d) == math.Pow(10, p)
}

// mark adds what was measured and what is to be marked, of one way of waiting.
func (t *Tuning) mark(p *chart.Panel, within func(catalog.Config) bool) {
	if t.Proof != nil {
		for _, r := range t.Proof.Runs {
			if within(r.Measured.Config) {
				p.Lines = append(p.Lines, measuredLine(r))
			}
		}
	}
	var seen []catalog.Config
	named := namedOf(t.Choice)
	for _, n := range named {
		if !within(n.Config) || slices.Contains(seen, n.Config) {
			continue
		}
		seen = append(seen, n.Config)
		p.Lines = append(p.Lines, chart.Line{
			Style: chart.Style{Colour: chart.Ink, Glyph: chart.Ring{}}, Points: []chart.Point{spot(n.Prediction)}, Captions: []string{namesOf(named, n.Config)}})
	}
}

// whatIsMarked says what the marked configurations are, each once.
func (t *Tuning) whatIsMarked() string {
	var said []string
	named := namedOf(t.Choice)
	for i, n := range named {
		if !slices.ContainsFunc(named[:i], func(o namedPrediction) bool { return o.Config == n.Config }) {
			said = append(said, namesOf(named, n.Config)+": "+described(n.Config))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return words.Capital(strings.Join(said, "; ")) + ". "
}

// shape says the scheduler, tick and slots of a configuration.
func shape(c catalog.Config) string {
	switch {
	case c.Tick == 0:
		return c.Scheduler
	case c.Slots == 0:
		return c.Scheduler + " " + words.Span(float64(c.Tick))
	}
	return fmt.Sprintf("%s %s × %d", c.Scheduler, words.Span(float64(c.Tick)), c.Slots)
}

// measuredColour is that of measured points.
var measuredColour = chart.RGB(0x222222)

// measuredLine leads from a prediction to what was measured.
func measuredLine(r tune.Proved) chart.Line {
	m := r.Measured
	pt := chart.Point{
		X: m.CPU.Value, Left: m.CPU.Low, Right: m.CPU.High,
		Y: m.Lateness.Value * 1e9, Low: m.Lateness.Low * 1e9, High: m.Lateness.High * 1e9,
	}
	return chart.Line{
		Name: "measured", Style: chart.Style{Colour: measuredColour, Glyph: draw.PlusGlyph{}, Dashes: chart.Dash(1, 2)},
		Points: []chart.Point{spot(r.Prediction), pt}, Marked: []chart.Point{pt},
	}
}

// ordinal says which timers a percentile is of.
func ordinal(p float64) string {
	if p <= 0 {
		p = 0.99
	}
	return "the " + words.Number(100*p) + "th percentile"
}
