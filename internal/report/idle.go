package report

import (
	"math"
	"slices"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

var idleChapter = chapter{
	heading: "What does waiting cost while nothing is due?",
	section: whatIdlingCosts,
	tables: func(v *Report) []*text.Table {
		beyond := column{"beyond the idle process", func(s *rundata.Series) string {
			m := v.idleShare(s)
			if m.N == 0 || v.process(s.Get("pending")) == nil || s.Get("impl") == rundata.ProcessControl {
				return ""
			}
			return words.Beyond(m.Median, m.Low, m.High, words.Percent)
		}}
		return []*text.Table{tableOf("Idle: what waiting costs while nothing is due", 2, v.ordered(v.data.Select(rundata.Idle, "waiting=")), []column{
			contestant, param("waking", "waking"), amount("pending", "pending"), cpuShare, beyond, wakeups,
			median("context switches", rundata.SwitchesPerSecond, words.PerSecond),
			{"CPU of a wake-up", func(s *rundata.Series) string {
				price := v.wakeupPrice(s)
				if !(price.Median > 0) { // the idle process took more
					return ""
				}
				return words.Beyond(price.Median, price.Low, price.High, words.Nanos)
			}},
		})}
	},
	// Who takes least CPU time without ticks, the idle process included.
	measures: func(v *Report) []measure {
		return []measure{{name: "CPU time while nothing is due, without ticks", group: "idle", takes: "as much", where: "with %s pending",
			votes: true,
			note:  "differences under " + words.Share(judge.Imperceptible) + " of a core count as none", negligible: 1e9 * judge.Imperceptible,
			of: grid{v.data.Select(rundata.Idle, "waiting="), "pending", nil, rundata.CPUPerSecond, v.tickless()}}}
	},
}

// wakeupPrice sums up the CPU time of a wake-up beyond the idle process, block by block.
func (v *Report) wakeupPrice(s *rundata.Series) judge.Summary {
	cpu, wakeups := v.idleBlocks(s), s.Blocks(rundata.WakeupsPerSecond)
	var prices []float64
	for i := range min(len(cpu), len(wakeups)) {
		if wakeups[i] >= 1 {
			prices = append(prices, 1e9*cpu[i]/wakeups[i])
		}
	}
	return summarize(prices)
}

// addByTick draws a line over the ticks for each contestant. Without ticks contestants wake alike: one level line is
// the median of their medians.
func addByTick(p *chart.Panel, c grid, of func(*rundata.Series) judge.Summary) {
	p.Lines = c.drawn(of)
	var medians []float64
	for i, w := range c.ways {
		if m := of(c.at(w.params, rundata.Tickless)); m.N > 0 && len(p.Lines[i].Points) > 0 {
			medians = append(medians, m.Median)
		}
	}
	if len(medians) > 0 {
		p.Levels = append(p.Levels, chart.Rule{At: summarize(medians).Median, Name: "sleeping until due", Colour: chart.Ink})
	}
}

// idlePending returns the pending count at which idle costs are compared: the largest with ticks that is at most 100k,
// or else the least. Some systems take long to queue more.
func (v *Report) idlePending() string {
	ticking := slices.DeleteFunc(v.data.Select(rundata.Idle), func(s *rundata.Series) bool { return len(values([]*rundata.Series{s}, "waking")) == 0 })
	if len(ticking) == 0 {
		ticking = v.data.Select(rundata.Idle)
	}
	counts := values(ticking, "pending")
	for i, n := range slices.Backward(counts) {
		if i == 0 || number(n) <= 100_000 {
			return n
		}
	}
	return ""
}

// withPending says how many timers were pending, if the data say so.
func withPending(pending string) string {
	if pending == "" {
		return ""
	}
	return "; " + valueWords(pending) + " timers pending"
}

func (v *Report) idleSeries(impl, waking, pending string) *rundata.Series {
	return v.one(rundata.Idle, "impl="+impl, "waking="+waking, "pending="+pending, "waiting=")
}

// process returns the idle process of the cell of a pending count, or nil: other cells are of other times.
func (v *Report) process(pending string) *rundata.Series {
	return v.idleSeries(rundata.ProcessControl, rundata.NoWaking, pending)
}

// idleShare sums up the share of one core that a contestant takes beyond what an idle process does. On logarithmic axes
// it is shown if it is perceptible only: noise would be spread over decades.
func (v *Report) idleShare(s *rundata.Series) judge.Summary { return summarize(v.idleBlocks(s)) }

// idleBlocks returns those shares block by block.
func (v *Report) idleBlocks(s *rundata.Series) []float64 {
	own, empty := share(s), shareIn(s, rundata.EmptyCPUPerSecond) // in a process of its own
	if len(own) > 0 && len(empty) == 0 {
		empty = share(v.process(s.Get("pending")))
	}
	if len(empty) > 0 {
		return judge.Net(own, empty)
	}
	return own
}

// tradeoffChapter puts what a tick costs under what it delays, on the same ticks, a chart to choose a tick by eye.
var tradeoffChapter = chapter{
	section: whatIdlingCosts,
	figures: func(v *Report) []*chart.Figure {
		// Both panels label the ticks of both experiments.
		ticks := grid{series: append(v.data.Select(rundata.Jitter), v.data.Select(rundata.Idle)...), key: "waking"}.axis("tick")
		late := &chart.Panel{X: ticks, Y: nanosAxis("99th percentile of lateness")}
		addByTick(late, grid{v.data.Select(rundata.Jitter, v.usually()...), "waking", nil, rundata.P99Late, v.each(v.names)},
			func(s *rundata.Series) judge.Summary { return summary(s, rundata.P99Late) })
		late.Levels = append(late.Levels, chart.AtMost(float64(v.opt.Requirement.Lateness), words.Nanos)...)
		pending := v.idlePending()
		cpu := &chart.Panel{X: ticks, Y: chart.Axis{Label: "idle CPU, share of a core", Log: true, WithZero: true, Format: words.Share}}
		idle := grid{v.data.Select(rundata.Idle, "pending="+pending, "waiting="), "waking", nil, "", v.each(v.names)}
		addByTick(cpu, idle, func(s *rundata.Series) judge.Summary { return v.idleShare(s).Perceptible() })
		cpu.Levels = append(cpu.Levels, chart.AtMost(v.opt.Requirement.CPU, words.Percent)...)
		if tick := v.recommended(); tick > 0 {
			late.Uprights = []chart.Rule{{At: float64(tick), Name: "recommended: " + words.Span(float64(tick)), Colour: chart.Ink}}
			cpu.Uprights = []chart.Rule{{At: float64(tick), Colour: chart.Ink}}
		}
		return []*chart.Figure{{
			Name: "tradeoff", Named: true, Stacked: true,
			Title: "Which tick is both punctual and cheap when idle?",
			Subtitle: "Above: lateness under load" + atRate(v.rate()) + ". Below: CPU while nothing is due, " +
				"beyond that of an idle process" + withPending(pending) + ". Median and 95 % interval",
			Rows:  [][]*chart.Panel{{late}, {cpu}},
			Width: chart.Inches(8.6), Height: chart.Inches(7.6),
		}}
	},
}

// systemsChapter puts each contestant where its idle CPU and its lateness are: the
// ticks of one wheel as a line, known systems and Go's own timers as points.
var systemsChapter = chapter{
	section: whereSystemsStand,
	figures: func(v *Report) []*chart.Figure {
		pending := v.idlePending()
		p := &chart.Panel{
			X:      chart.Axis{Label: "idle CPU beyond an idle process, share of a core, lower is better", Log: true, WithZero: true, Format: words.Share},
			Y:      nanosAxis("99th percentile of lateness, lower is better"),
			Levels: chart.AtMost(float64(v.opt.Requirement.Lateness), words.Nanos),
		}
		systems := false
		for _, name := range v.names {
			lines := v.positions(name, pending)
			p.Lines = append(p.Lines, lines...)
			systems = systems || len(lines[1].Points) > 0
		}
		if !systems {
			return nil // it would show nothing that the other chart of the trade-off does not
		}
		return []*chart.Figure{{
			Name: "systems", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(9.6), Height: chart.Inches(6.2),
			Title: "How do presets of known systems compare in lateness and idle CPU?",
			Subtitle: "Lateness under load" + atRate(v.rate()) + "; CPU while nothing is due" + withPending(pending) +
				". Medians, and 95 % intervals of lateness",
		}}
	},
}

// positions returns the lines of a contestant: with a point for each tick, then with one point as a preset, as
// time.AfterFunc, and without ticks. Only the contestant that ticking returns has the first and the last.
func (v *Report) positions(name, pending string) []chart.Line {
	add := func(l chart.Line, waking string) chart.Line {
		late, cpu := summary(v.jitter(name, waking), rundata.P99Late), v.idleShare(v.idleSeries(name, waking, pending)).Perceptible()
		if late.N > 0 && cpu.N > 0 && !math.IsNaN(cpu.Median) {
			l.Points = append(l.Points, at(max(cpu.Median, 0), late))
		}
		return l
	}
	empty := chart.Line{Name: name, Style: v.styles[name]}
	lines := []chart.Line{empty, add(empty, rundata.PresetWaking), add(empty, rundata.RuntimeWaking)}
	if name == v.ticking() || v.ticking() == "" {
		for _, tick := range values(v.data.Series, "waking") {
			if lines[0] = add(lines[0], tick); len(lines[0].Points) > len(lines[0].Captions) {
				lines[0].Captions = append(lines[0].Captions, name+" "+valueWords(tick))
			}
		}
		lines = append(lines, add(chart.Line{Name: name + " sleeping", Style: v.styles[name]}, rundata.Tickless))
	}
	return lines
}
