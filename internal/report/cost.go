package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// costQuestion is what an operation costs against what is pending, for each
// operation and distribution of delays, and who is in front.
var costQuestion = question{
	section: whichFastest, experiments: []string{rundata.Cost},
	parts: func(v *view) (all []question) {
		for _, op := range v.ops() {
			all = append(all, costOf(op))
		}
		return all
	},
}

// costOf is what one operation costs.
func costOf(op string) question {
	return question{
		figures: func(v *view) []*chart.Figure { return []*chart.Figure{v.costFigure(op)} },
		tables: func(v *view) (all []*text.Table) {
			for i, delay := range v.delays(op) {
				t := v.costTable(op, delay)
				if i == 0 {
					explain(t, OperationOf(op))
				}
				all = append(all, t)
			}
			return all
		},
		topics: func(v *view) (all []topic) {
			for i, delay := range v.delays(op) {
				all = append(all, v.costTopic(op, delay, i > 0))
			}
			return all
		},
	}
}

// ops returns the operations measured, except those on the real clock.
func (v *view) ops() []string {
	seen := rundata.Distinct(v.data.Select(rundata.Cost), "op")
	seen = slices.DeleteFunc(seen, func(op string) bool { return op == rundata.OpLivePair || op == rundata.OpLiveReset })
	slices.SortStableFunc(seen, func(a, b string) int { return cmp.Compare(OperationOf(a).rank(), OperationOf(b).rank()) })
	return seen
}

// delays returns the distributions that an operation was measured with, the
// one with the most series first. It is [""] if the data name none.
func (v *view) delays(op string) []string {
	series := v.data.Select(rundata.Cost, "op="+op)
	found := rundata.Distinct(series, "delay")
	if len(found) == 0 {
		return []string{""}
	}
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Compare(howOften(series, "delay", b), howOften(series, "delay", a))
	})
	return found
}

// costTopic is who takes least time for an operation, with the main distribution of
// delays or another.
func (v *view) costTopic(op, delay string, another bool) topic {
	t := topic{name: OperationOf(op).Word, takes: "as long", where: "with %s pending", baseline: catalog.ContainerHeap,
		repeat: repeatOp(op)}
	if another {
		t.name += ", " + delay
		t.repeat += " --delays " + delay
	}
	if op == rundata.OpTick {
		t.baseline, t.negligible = "", noticedTick
		t.note = "differences under 1 µs, which is 0.1 % of a core at a tick of 1 ms, count as none"
	}
	return t.over(v, v.costCells(op, delay, bareNames(v.names)))
}

// costCells are those of an operation and a distribution of delays, by what is pending.
func (v *view) costCells(op, delay string, names []string) cells {
	return cells{series: v.data.Select(rundata.Cost, "op="+op, "delay="+delay), key: "pending", ways: v.each(names)}
}

// bareNames leaves time.AfterFunc out, which has a clock, a lock and a function besides:
// bare schedulers are compared among themselves.
func bareNames(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == catalog.RuntimeTimer })
}

// noticedTick is the time of a tick, in nanoseconds, that counts as none:
// 0.1 % of a core at a thousand ticks a second.
const noticedTick = 1000

// costAt returns the series of a contestant for one operation, or nil.
func (v *view) costAt(op, delay, impl string, pending int) *rundata.Series {
	return v.one(rundata.Cost, "op="+op, "delay="+delay, "impl="+impl, fmt.Sprintf("pending=%d", pending))
}

// net returns the time of an operation block by block without that of the loop
// around it. Where no loop was measured the second result is false, and the
// blocks include it.
func (v *view) net(s *rundata.Series) ([]float64, bool) {
	if s == nil {
		return nil, false
	}
	e := rundata.ExperimentOf(s.Experiment)
	raw, loop := s.Blocks(e.Unit), v.one(e.Name, append(cellOf(s), "impl="+e.Control)...).Blocks(e.Unit)
	if len(loop) == 0 {
		return raw, false
	}
	return judge.NetTime(raw, loop), true
}

// shown are the names of an operation's columns: the contestants, and the
// second measurement of one beside it.
func (v *view) shown(series []*rundata.Series) []string {
	names := slices.Clone(v.names)
	for _, name := range rundata.Distinct(series, "impl") {
		if isAA(name) {
			names = append(names, name)
		}
	}
	return names
}

// The beginnings of rows of ratios.
const (
	besideRuntime = "  / " + catalog.RuntimeTimer
	besideHeap    = "  / " + catalog.ContainerHeap
)

// costTable has a row for each number pending, and under it how many times the
// time of container/heap each took.
func (v *view) costTable(op, delay string) *text.Table {
	series := v.data.Select(rundata.Cost, "op="+op, "delay="+delay)
	names := v.shown(series)
	t := &text.Table{
		Title: fmt.Sprintf("Cost of %s: time of an operation without the loop around it", OperationOf(op).Word), Names: 1,
		Header: append(append([]string{"pending"}, names...), "the loop"),
	}
	if delay != "" {
		t.Title += ", " + delay + " delays"
	}
	raw := false
	for _, n := range integers(series, "pending") {
		row, ratios := []string{words.Count(float64(n))}, []string{besideHeap}
		base := v.netBlocks(v.costAt(op, delay, catalog.ContainerHeap, n))
		for _, name := range names {
			own := v.costAt(op, delay, name, n)
			_, ok := v.net(own)
			raw = raw || own != nil && !ok
			row = append(row, orState(own, within(v.netSummary(own), words.Nanos)))
			ratios = append(ratios, against(v.netBlocks(own), base, name == catalog.ContainerHeap))
		}
		loop := summary(v.costAt(op, delay, rundata.EmptyControl, n), rundata.NsPerOp)
		t.Add(append(row, within(loop, words.Nanos))...)
		if len(base) > 0 {
			t.Add(append(ratios, "")...)
		}
	}
	if grows := v.growth(series, op, delay, names); slices.ContainsFunc(grows[1:], func(cell string) bool { return cell != "" }) {
		t.Add(append(grows, "")...)
	}
	if raw {
		t.Notes = append(t.Notes, "Where the loop is missing, its time is included.")
	}
	return t
}

// growth is the row of how costs grow: the exponent of the power of n that comes
// nearest to all medians, 0 for O(1) and 1 for O(n).
func (v *view) growth(series []*rundata.Series, op, delay string, names []string) []string {
	const least = 3 // sizes; through two there is always a line
	row := []string{"grows as"}
	for _, name := range names {
		var sizes, costs []float64
		for _, n := range integers(series, "pending") {
			if s := v.netSummary(v.costAt(op, delay, name, n)); n > 0 && s.Median > 0 {
				sizes, costs = append(sizes, float64(n)), append(costs, s.Median)
			}
		}
		cell := ""
		if slope, err := judge.Slope(sizes, costs); err == nil && len(sizes) >= least {
			cell = fmt.Sprintf("n^%.2f", math.Round(100*slope)/100+0) // without a minus before 0
		}
		row = append(row, cell)
	}
	return row
}

// against writes how many times as long as the base something took.
func against(values, base []float64, itself bool) string {
	c := judge.Compare(values, base, judge.Terms{})
	if itself || c.Blocks == 0 {
		return ""
	}
	f := func(v float64) string { return words.Significant(v) + "×" }
	if c.Blocks < 2 {
		return f(c.Ratio)
	}
	return words.Interval(c.Ratio, c.Low, c.High, f)
}

// workQuestion is how many steps an operation takes: the same on any machine.
var workQuestion = question{
	section: whichFastest, experiments: []string{rundata.Cost},
	figures: func(v *view) []*chart.Figure {
		f := &chart.Figure{
			Name:  "work",
			Title: "How many steps does an operation take, with n timers pending?",
			Subtitle: "Steps: entries visited or moved, heap levels passed, slots opened, cascades, clean-up, upkeep of storage. " +
				"They are counted, not timed, and so the same on every machine",
			Width: chart.Inches(10), Height: chart.Inches(7),
		}
		var panels []*chart.Panel
		for _, op := range v.ops() {
			if p := v.workPanel(op); p.Fit() {
				panels = append(panels, p)
			}
		}
		columns := 3
		switch {
		case len(panels) == 1:
			f.Named, f.Width, f.Height = true, chart.Inches(8.6), chart.Inches(5.4)
		case len(panels) <= 4:
			columns = 2
		}
		f.Rows = chart.InRows(panels, columns)
		return []*chart.Figure{f}
	},
	tables: func(v *view) []*text.Table {
		var series []*rundata.Series
		for _, op := range v.ops() {
			delay := v.delays(op)[0]
			for _, name := range v.names {
				counts := integers(v.data.Select(rundata.Cost, "op="+op, "delay="+delay, "impl="+name), "pending")
				if len(counts) == 0 {
					continue
				}
				if s := v.costAt(op, delay, name, counts[len(counts)-1]); slices.ContainsFunc(steps, func(unit string) bool { return len(samples(s, unit)) > 0 }) {
					series = append(series, s)
				}
			}
		}
		columns := []column{operated, contestant, amount("pending", "pending")}
		for _, unit := range steps {
			columns = append(columns, median(unit, unit, words.Count))
		}
		return []*text.Table{tableOf("Steps of an operation, at the most timers pending that the contender was measured with", 2, series, columns)}
	},
}

// steps are the units of work counts, in the order of the tables.
var steps = []string{
	rundata.VisitsPerOp, rundata.MovesPerOp, rundata.LevelsPerOp,
	rundata.SlotsPerOp, rundata.CascadesPerOp, rundata.SweptPerOp, rundata.UpkeepPerOp,
}

func (v *view) workPanel(op string) *chart.Panel {
	delay := v.delays(op)[0]
	return &chart.Panel{
		Title:  OperationOf(op).heading(),
		X:      pendingAxis(v.data.Select(rundata.Cost, "op="+op)),
		Y:      chart.Axis{Label: "steps per operation", Log: true, WithZero: true, Format: words.Count},
		Guides: guides(), Lines: v.costCells(op, delay, v.names).drawn(stepsTaken),
	}
}

// stepsTaken adds up all kinds of steps, round by round: a summary of none if none were counted.
func stepsTaken(s *rundata.Series) judge.Summary {
	var sum []float64
	for _, unit := range steps {
		for i, value := range samples(s, unit) {
			if i == len(sum) {
				sum = append(sum, 0)
			}
			sum[i] += value
		}
	}
	return summarize(sum)
}
