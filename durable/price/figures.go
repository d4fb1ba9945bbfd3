package price

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report"
	"schedbench/report/chart"
)

// style is how somebody is drawn on every chart: those in memory as everywhere else, and durable
// timers in one colour for each way in which they are kept.
func (k Keeper) style() chart.Style {
	switch {
	case k.Killed:
		return chart.Style{Colour: chart.RGB(0x882255), Glyph: draw.CircleGlyph{}}
	case k.Impl == catalog.Hier || k.Impl == catalog.RuntimeTimer:
		return report.StyleOf(k.Impl)
	case k.Impl == Engine:
		return chart.Style{Colour: chart.RGB(0xCC79A7), Glyph: draw.TriangleGlyph{}, Dashes: chart.Dash(5, 2)}
	case k.Impl == Bare:
		return chart.Style{Colour: chart.RGB(0x999999), Glyph: draw.CircleGlyph{}, Dashes: chart.Dash(1, 3)}
	case k.Impl == Poll:
		return chart.Style{Colour: chart.RGB(0xE69F00), Glyph: draw.SquareGlyph{}}
	case k.Servers > 1 && k.Sync == SyncAlways:
		return chart.Style{Colour: chart.RGB(0x009E73), Glyph: draw.PlusGlyph{}, Dashes: chart.Dash(2, 2)}
	case k.Servers > 1:
		return chart.Style{Colour: chart.RGB(0x009E73), Glyph: draw.BoxGlyph{}, Dashes: chart.Dash(8, 2)}
	case k.Sync == SyncAlways:
		return chart.Style{Colour: chart.RGB(0x000000), Glyph: draw.CrossGlyph{}, Dashes: chart.Dash(3, 2)}
	}
	return chart.Style{Colour: chart.RGB(0xD55E00), Glyph: draw.PyramidGlyph{}}
}

// figures are the charts that have something to show.
func (r results) figures() (kept []*chart.Figure) {
	for _, f := range []*chart.Figure{r.callsFigure(), r.readyFigure(), r.latenessFigure(), r.changeFigure(), r.restFigure(), r.pollFigure()} {
		if f.Prepare() {
			report.Sign(f, r.data.Env, r.data.Complete)
			kept = append(kept, f)
		}
	}
	return kept
}

// intervals says what is drawn.
const intervals = "; mean of the blocks and 95 % interval"

// nanos is a logarithmic axis of times.
func nanos(label string) chart.Axis {
	return chart.Axis{Label: label, Log: true, Format: words.Time}
}

// heldAxis is the x axis of charts against what is held.
func (r results) heldAxis() chart.Axis {
	a := chart.Axis{Label: "timers held", Log: true, Format: words.Count}
	for _, n := range r.held(HeldExperiment) {
		a.At = append(a.At, float64(n))
	}
	return a
}

// point is the mean of what is positive with its interval.
func point(x float64, blocks []float64) chart.Point {
	e := judge.GeometricMean(blocks)
	return chart.Point{X: x, Y: e.Value, Low: e.Low, High: e.High}
}

// againstHeld shows a unit of everybody against what is held.
func (r results) againstHeld(title, unit string, y chart.Axis) *chart.Panel {
	p := &chart.Panel{Title: title, X: r.heldAxis(), Y: y}
	for _, k := range r.keepers(HeldExperiment) {
		l := chart.Line{Name: k.name(), Style: k.style()}
		for _, n := range r.held(HeldExperiment) {
			if blocks := r.blocks(HeldExperiment, k, n, unit); len(blocks) > 0 {
				l.Points = append(l.Points, point(float64(n), blocks))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

// callsFigure shows what it costs to schedule and to cancel.
func (r results) callsFigure() *chart.Figure {
	var caller, cpu []*chart.Panel
	for _, c := range calls {
		caller = append(caller, r.againstHeld(c.title, c.ns, nanos("caller's time, lower is better")))
		cpu = append(cpu, r.againstHeld(c.title+", CPU", c.cpu, nanos("CPU time of the process, lower is better")))
	}
	return &chart.Figure{
		Name: "durable-calls", Alike: true, Rows: [][]*chart.Panel{caller, cpu}, Width: chart.Inches(11.5), Height: chart.Inches(8),
		Title:    "What does it cost to schedule and to cancel a timer that outlives the process?",
		Subtitle: "One goroutine calls; the engine is in the process, and its CPU time with it, but for the cluster; timers in memory need no acknowledgement" + intervals,
	}
}

// readyFigure shows what it takes to be ready again, and what is taken up.
func (r results) readyFigure() *chart.Figure {
	size := func(label string) chart.Axis {
		return chart.Axis{Label: label + ", lower is better", Log: true, Format: words.Tidy(words.Bytes)}
	}
	return &chart.Figure{
		Name: "durable-ready", Width: chart.Inches(11.5), Height: chart.Inches(8.4),
		Rows: chart.InRows([]*chart.Panel{
			r.againstHeld("closed in order", ReadyNs, nanos("time until ready, lower is better")),
			r.againstHeld("after a crash", CrashedNs, nanos("time until ready, lower is better")),
			r.againstHeld("memory of the process until it is ready", ReadyBytes, size("bytes at most")),
			r.againstHeld("heap of a timer", rundata.BytesPerTimer, size("bytes")),
			r.againstHeld("disk of a timer", DiskPerTimer, size("bytes")),
			r.againstHeld("to fill the folder", FillNs, nanos("time of a timer, lower is better")),
		}, 3),
		Title:    "How long is a fresh process not ready, and what do timers take that are held?",
		Subtitle: "From the start of a process until it holds again what another had scheduled" + intervals,
	}
}

// latenessFigure shows how late timers fire.
func (r results) latenessFigure() *chart.Figure {
	p := report.SpectrumPanel("")
	for _, k := range r.keepers(LiveExperiment) {
		if s := r.series(LiveExperiment, k, r.mostHeldBy(LiveExperiment, k)); s != nil {
			p.Lines = append(p.Lines, report.Spectrum(k.name(), k.style(), s))
		}
	}
	return &chart.Figure{
		Name: "durable-lateness", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(9.6), Height: chart.Inches(5.8),
		Title: "How late do timers fire that outlive the process?",
		Subtitle: fmt.Sprintf("Lateness after the planned deadline, from the median to the latest timer, nothing trimmed; %s held beside them, in the cluster %s",
			timers(r.mostHeldBy(LiveExperiment, durableNow)), timers(r.mostHeldBy(LiveExperiment, cluster))),
	}
}

// restFigure shows what is used while nothing is due.
func (r results) restFigure() *chart.Figure {
	p := &chart.Panel{
		X: chart.Axis{Log: true, Format: words.Count, At: []float64{}},
		Y: chart.Axis{Label: "CPU while nothing is due, share of a core, lower is better", Log: true, WithZero: true, Format: words.Share},
	}
	for _, k := range r.keepers(LiveExperiment) {
		for _, n := range r.held(LiveExperiment) {
			shares := r.rest(LiveExperiment, k, n)
			if len(shares) == 0 {
				continue
			}
			e := judge.Mean(shares)
			l := chart.Line{Name: fmt.Sprintf("%s, %s held", k.name(), words.Count(float64(n))), Style: k.style(),
				Points: []chart.Point{{X: 1, Y: e.Value, Low: e.Low, High: e.High}}}
			if n == 0 {
				l.Name, l.Style.Glyph = "the engine, nothing held", chart.Ring{}
			}
			p.Lines = append(p.Lines, l)
		}
	}
	return &chart.Figure{
		Name: "durable-idle", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(5.2),
		Title:    "What do timers cost while nothing is due?",
		Subtitle: "CPU time of the process and of servers of its own" + intervals,
	}
}

// pollFigure shows what the interval of a poll gives and costs: each against it, and one against
// the other.
func (r results) pollFigure() *chart.Figure {
	n := r.heldTold(PollExperiment)
	late, rest, trade := r.pollPanels()
	durableLate, durableRest := r.late(PollExperiment, durableNow, n), r.rest(PollExperiment, durableNow, n)
	curve := chart.Line{Name: "polls", Style: poller(0).style()}
	lateLine, restLine := curve, curve
	for _, k := range r.keepers(PollExperiment) {
		if k.Impl != Poll {
			continue
		}
		x, l, c := float64(k.Interval), point(0, r.late(PollExperiment, k, n)), judge.Mean(r.rest(PollExperiment, k, n))
		lateLine.Points = append(lateLine.Points, chart.Point{X: x, Y: l.Y, Low: l.Low, High: l.High})
		restLine.Points = append(restLine.Points, chart.Point{X: x, Y: c.Value, Low: c.Low, High: c.High})
		curve.Points = append(curve.Points, chart.Point{X: l.Y, Y: c.Value, Low: c.Low, High: c.High, Left: l.Low, Right: l.High})
		curve.Captions = append(curve.Captions, "each "+words.Span(x))
	}
	late.Lines, rest.Lines, trade.Lines = []chart.Line{lateLine}, []chart.Line{restLine}, []chart.Line{curve}
	if len(durableLate) > 0 && len(durableRest) > 0 {
		l, c, as := judge.GeometricMean(durableLate), judge.Mean(durableRest), durableNow.style()
		late.Levels = []chart.Rule{{At: l.Value, Name: Durable, Colour: as.Colour}}
		rest.Levels = []chart.Rule{{At: c.Value, Name: Durable, Colour: as.Colour}}
		trade.Lines = append(trade.Lines, chart.Line{Name: Durable, Style: as, Captions: []string{Durable},
			Points: []chart.Point{{X: l.Value, Y: c.Value, Low: c.Low, High: c.High, Left: l.Low, Right: l.High}}})
	}
	return &chart.Figure{
		Name: "durable-poll", Named: true, Rows: [][]*chart.Panel{{late, rest, trade}}, Width: chart.Inches(13), Height: chart.Inches(5),
		Title:    "What does the interval of a poll give, and what does it cost?",
		Subtitle: fmt.Sprintf("A queue over the same engine that is polled, and durable timers; %s held%s", timers(n), intervals),
	}
}

// pollPanels are what the interval gives, what it costs, and one against the other.
func (r results) pollPanels() (late, rest, trade *chart.Panel) {
	x := chart.Axis{Label: "interval of the poll", Log: true, Format: words.Span}
	for _, k := range r.keepers(PollExperiment) {
		if k.Impl == Poll {
			x.At = append(x.At, float64(k.Interval))
		}
	}
	lateness := nanos("99 % late by at most, lower is better")
	cpu := chart.Axis{Label: "CPU while nothing is due, lower is better", Log: true, WithZero: true, Format: words.Share}
	late = &chart.Panel{Title: "what it gives", X: x, Y: lateness}
	rest = &chart.Panel{Title: "what it costs", X: x, Y: cpu}
	lateness.Label = "99 % late by at most"
	return late, rest, &chart.Panel{Title: "one against the other", X: lateness, Y: cpu}
}
