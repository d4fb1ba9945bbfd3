package report

import (
	"fmt"
	"math"
	"slices"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
)

// shown are the names of an operation's columns: the contenders, and the
// second measurement of one beside it.
func (v *view) shown(series []*harness.Series) []string {
	names := slices.Clone(v.names)
	for _, name := range harness.Distinct(series, "impl") {
		if again(name) {
			names = append(names, name)
		}
	}
	return names
}

// besideRuntime begins a row of ratios.
const besideRuntime = "  / " + catalog.RuntimeTimer

// costTable has a row for each number pending, and under it how many times the
// time of time.AfterFunc each took.
func (v *view) costTable(op, delay string) *table {
	series := v.data.Select(harness.Cost, "op="+op, "delay="+delay)
	names := v.shown(series)
	t := &table{
		title: fmt.Sprintf("Cost of %s: time of an operation without the loop around it", op), names: 1,
		header: append(append([]string{"pending"}, names...), "the loop"),
	}
	if delay != "" {
		t.title += ", " + delay + " delays"
	}
	raw := false
	for _, n := range integers(series, "pending") {
		row, ratios := []string{words.Count(float64(n))}, []string{besideRuntime}
		base, _ := v.net(v.costAt(op, delay, catalog.RuntimeTimer, n))
		for _, name := range names {
			values, ok := v.net(v.costAt(op, delay, name, n))
			raw = raw || len(values) > 0 && !ok
			row = append(row, within(summarize(values), words.Nanos))
			ratios = append(ratios, against(values, base, name == catalog.RuntimeTimer))
		}
		loop := summary(v.costAt(op, delay, harness.EmptyControl, n), harness.NsPerOp)
		t.add(append(row, within(loop, words.Nanos))...)
		if len(base) > 0 {
			t.add(append(ratios, "")...)
		}
	}
	if grows := v.growth(series, op, delay, names); slices.ContainsFunc(grows[1:], func(cell string) bool { return cell != "" }) {
		t.add(append(grows, "")...)
	}
	if raw {
		t.notes = append(t.notes, "Where the loop is missing, its time is included.")
	}
	return t
}

// growth is the row of how costs grow: the exponent of the power of n that comes
// nearest to all medians, 0 for O(1) and 1 for O(n).
func (v *view) growth(series []*harness.Series, op, delay string, names []string) []string {
	const least = 3 // sizes; through two there is always a line
	row := []string{"grows as"}
	for _, name := range names {
		var sizes, costs []float64
		for _, n := range integers(series, "pending") {
			values, _ := v.net(v.costAt(op, delay, name, n))
			if s := summarize(values); n > 0 && s.Median > 0 {
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
	r := judge.Paired(values, base, 1)
	if itself || r.N == 0 {
		return ""
	}
	return within(r.Summary, func(v float64) string { return words.Significant(v) + "×" })
}
