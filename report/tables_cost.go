package report

import (
	"fmt"
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
		row, ratios := []string{words.Count(float64(n))}, []string{"  / " + catalog.RuntimeTimer}
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
	if raw {
		t.notes = append(t.notes, "Where the loop is missing, its time is included.")
	}
	return t
}

// against writes how many times as long as the base something took.
func against(values, base []float64, itself bool) string {
	r := judge.Paired(values, base, 1)
	if itself || r.N == 0 {
		return ""
	}
	return within(r.Summary, func(v float64) string { return words.Significant(v) + "×" })
}

// liveTables are of AfterFunc and Stop, one for each number of goroutines.
func (v *view) liveTables() []*table {
	series := v.data.Select(harness.Cost, "op="+harness.OpLivePair)
	names := v.shown(series)
	var tables []*table
	for _, goroutines := range goroutineCounts(series) {
		t := &table{
			title: "Cost of AfterFunc and Stop in a running program", names: 1,
			header: append([]string{"pending"}, names...),
			notes:  []string{"CPU time is of the whole process, with the driver's worker and garbage collection."},
		}
		if goroutines != "" {
			t.title += ", goroutines: " + goroutines
		}
		for _, n := range integers(series, "pending") {
			row, ratios := []string{words.Count(float64(n))}, []string{"  / " + catalog.RuntimeTimer}
			base := samples(v.liveAt(catalog.RuntimeTimer, goroutines, n), harness.NsPerOp)
			for _, name := range names {
				values := samples(v.liveAt(name, goroutines, n), harness.NsPerOp)
				row = append(row, within(summarize(values), words.Nanos))
				ratios = append(ratios, against(values, base, name == catalog.RuntimeTimer))
			}
			t.add(row...)
			if len(base) > 0 {
				t.add(ratios...)
			}
			if cpu := v.liveCPU(names, goroutines, n); cpu != nil {
				t.add(cpu...)
			}
		}
		tables = append(tables, t)
	}
	return tables
}

// liveCPU returns the row of the CPU times, or nil if there are none.
func (v *view) liveCPU(names []string, goroutines string, pending int) []string {
	row := []string{"  CPU"}
	for _, name := range names {
		row = append(row, within(summary(v.liveAt(name, goroutines, pending), harness.CPUPerOp), words.Nanos))
	}
	if !slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "" }) {
		return nil
	}
	return row
}

func (v *view) liveAt(impl, goroutines string, pending int) *harness.Series {
	return v.one(harness.Cost, "op="+harness.OpLivePair, "impl="+impl, "goroutines="+goroutines, fmt.Sprintf("pending=%d", pending))
}

// workTable has the steps of each operation at the most pending.
func (v *view) workTable() *table {
	t := &table{
		title: "Steps of an operation, at the most timers pending that the contender was measured with",
		names: 2, header: append([]string{"operation", "contender", "pending"}, steps...),
	}
	for _, op := range v.ops() {
		delay := v.delays(op)[0]
		for _, name := range v.names {
			own := v.data.Select(harness.Cost, "op="+op, "delay="+delay, "impl="+name)
			counts := integers(own, "pending")
			if len(counts) == 0 {
				continue
			}
			most := counts[len(counts)-1]
			s := v.costAt(op, delay, name, most)
			if _, ok := stepsTaken(s); !ok {
				continue
			}
			row := []string{op, name, words.Count(float64(most))}
			for _, unit := range steps {
				row = append(row, within(summary(s, unit), words.Count))
			}
			t.add(row...)
		}
	}
	return t
}
