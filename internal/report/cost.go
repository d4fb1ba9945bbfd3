package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// costChapter is what an operation costs against what is pending, for each distribution of delays, and who is in front.
func costChapter(op string) chapter {
	return chapter{
		section: whichFastest,
		figures: func(v *Report) []*chart.Figure { return []*chart.Figure{v.costFigure(op)} },
		tables: func(v *Report) []*text.Table {
			all := lists.Each(v.delays(op), func(delay string) *text.Table { return v.costTable(op, delay) })
			explain(all[0], OperationOf(op))
			return all
		},
		measures: func(v *Report) []measure {
			return lists.Each(v.delays(op), func(delay string) measure { return v.costMeasure(op, delay) })
		},
	}
}

// ops returns the operations measured, except those on the real clock.
func (v *Report) ops() []string {
	seen := rundata.Distinct(v.data.Select(rundata.Cost), "op")
	seen = slices.DeleteFunc(seen, func(op string) bool { return op == rundata.OpLivePair || op == rundata.OpLiveReset })
	order := lists.Each(operations, func(o Operation) string { return o.Name })
	slices.SortStableFunc(seen, func(a, b string) int { return placeIn(order, a) - placeIn(order, b) })
	return seen
}

// delays returns the distributions of an operation, the one with the most series first, and [""] if data name none.
func (v *Report) delays(op string) []string {
	found := byPrevalence(v.data.Select(rundata.Cost, "op="+op), "delay")
	if len(found) == 0 {
		return []string{""}
	}
	return found
}

// costMeasure is who takes least time for an operation. Its name leaves out the main distribution of delays.
func (v *Report) costMeasure(op, delay string) measure {
	t := measure{name: OperationOf(op).Word, group: OperationOf(op).Word, takes: "as long", where: "with %s pending", baseline: catalog.ContainerHeap,
		of: v.costGrid(op, delay, bareNames(v.names))}
	if delay != v.delays(op)[0] {
		t.name += ", " + delay
	}
	if op == rundata.OpTick {
		t.group, t.baseline, t.negligible = "idle", "", 1000
		t.note = "differences under 1 µs, which is 0.1 % of a core at a tick of 1 ms, count as none"
	}
	return t
}

func (v *Report) costGrid(op, delay string, names []string) grid {
	return grid{series: v.data.Select(rundata.Cost, "op="+op, "delay="+delay), key: "pending", ways: v.each(names)}
}

// bareNames leaves out time.AfterFunc, with its clock, lock and function: bare schedulers compare with each other.
func bareNames(names []string) []string {
	return lists.Only(names, func(n string) bool { return n != catalog.RuntimeTimer })
}

// net returns the blocks of the time of an operation without that of the loop around it. Where no loop was measured, the
// blocks include it, and the second result is false. A control has no loop, and a series without figures needs none.
func (v *Report) net(s *rundata.Series) ([]float64, bool) {
	if s == nil || s.Note != "" {
		return nil, true
	}
	e := rundata.ExperimentOf(s.Experiment)
	if control(s.Get("impl")) {
		return s.Blocks(e.Unit), true
	}
	raw, loop := s.Blocks(e.Unit), v.data.ControlOf(s).Blocks(e.Unit)
	if len(loop) == 0 {
		return raw, false
	}
	return judge.NetTime(raw, loop), true
}

// lacksLoop reports whether the time of some series contains that of the loop.
func (v *Report) lacksLoop(c grid) bool {
	return slices.ContainsFunc(c.series, func(s *rundata.Series) bool {
		_, net := v.net(s)
		return !net
	})
}

func (v *Report) netColumn(head string) column {
	return column{head, func(s *rundata.Series) string { return orState(s, within(v.netSummary(s), words.Nanos)) }}
}

// costTable has a row for each number pending, and under it how many times the time of container/heap each took.
func (v *Report) costTable(op, delay string) *text.Table {
	title := fmt.Sprintf("Cost of %s: time of an operation without the loop around it", OperationOf(op).Word)
	if delay != "" {
		title += ", " + delay + " delays"
	}
	c := v.costGrid(op, delay, v.names)
	t := v.across(title, c, catalog.ContainerHeap, v.netColumn(""))
	addRow(t, "grows as", t.Header[1:], func(name string) string { return v.growth(c, name) })
	if v.lacksLoop(c) {
		t.Notes = append(t.Notes, "Where the loop is missing, its time is included.")
	}
	return t
}

// growth is how costs grow: the power of n that comes nearest to all medians, 0 for O(1) and 1 for O(n).
func (v *Report) growth(c grid, name string) string {
	const least = 3 // sizes; through two there is always a line
	var sizes, costs []float64
	for _, n := range c.values() {
		if s := v.netSummary(c.at([]string{"impl=" + name}, n)); number(n) > 0 && s.Median > 0 {
			sizes, costs = append(sizes, number(n)), append(costs, s.Median)
		}
	}
	if len(sizes) < least {
		return ""
	}
	return fmt.Sprintf("n^%.2f", math.Round(100*judge.Slope(sizes, costs))/100+0) // without a minus before 0
}

// against writes how many times as long as the base something took.
func against(values, base []float64, itself bool) string {
	c := judge.Compare(values, base, judge.Terms{})
	if itself || c.Blocks == 0 {
		return ""
	}
	f := func(v float64) string { return words.Significant(v) + "×" }
	if c.Blocks < 2 {
		return f(c.Value)
	}
	return words.Interval(c.Value, c.Low, c.High, f)
}

var workChapter = chapter{
	section: whichFastest,
	figures: func(v *Report) []*chart.Figure {
		return []*chart.Figure{{
			Name:  "work",
			Title: "How many steps does an operation take, with n timers pending?",
			Subtitle: "Steps: entries visited or moved, heap levels passed, slots opened, cascades, clean-up, upkeep of storage. " +
				"They are counted, not timed, and so the same on every machine",
			Width: chart.Inches(10), Height: chart.Inches(7),
			Rows: chart.InRows(lists.Each(v.ops(), v.workPanel), 3),
		}}
	},
	tables: func(v *Report) []*text.Table {
		var series []*rundata.Series
		for _, op := range v.ops() {
			c := v.costGrid(op, v.delays(op)[0], v.names)
			for _, w := range c.ways {
				var most *rundata.Series
				for _, n := range c.values() {
					most = cmp.Or(c.at(w.params, n), most)
				}
				if stepsTaken(most).N > 0 {
					series = append(series, most)
				}
			}
		}
		return []*text.Table{tableOf("Steps of an operation, at the most timers pending that the contestant was measured with", 2, series,
			[]column{operated, contestant, amount("pending", "pending")},
			lists.Each(steps, func(unit string) column { return median(unit, unit, words.Count) }))}
	},
}

// steps are the units of work counts, in the order of the tables.
var steps = []string{
	rundata.VisitsPerOp, rundata.MovesPerOp, rundata.LevelsPerOp,
	rundata.SlotsPerOp, rundata.CascadesPerOp, rundata.SweptPerOp, rundata.UpkeepPerOp,
}

func (v *Report) workPanel(op string) *chart.Panel {
	c := v.costGrid(op, v.delays(op)[0], v.names)
	return &chart.Panel{
		Title:  OperationOf(op).heading(),
		X:      v.pendingAxis(op),
		Y:      chart.Axis{Label: "steps per operation", Log: true, WithZero: true, Format: words.Count},
		Guides: guides(), Lines: c.drawn(stepsTaken),
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
