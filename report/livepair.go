package report

import (
	"fmt"
	"slices"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/chart"
	"schedbench/report/text"
)

// livePairQuestion is what starting and stopping a timer costs a program that runs,
// for each number of goroutines doing it: what the caller waits for, and what the
// process works for it.
var livePairQuestion = question{
	figures: func(v *view) []*chart.Figure {
		f := &chart.Figure{
			Name: "live-pair", Alike: true,
			Title: "What do AfterFunc and Stop cost in a running program?",
			Subtitle: "A timer stopped and another started on the real clock, garbage collected as usual; median and 95 % interval. " +
				"CPU time is of the whole process: the worker and the garbage collector are in it",
			Width: chart.Inches(9.6), Height: chart.Inches(1.8),
		}
		for _, goroutines := range v.goroutineCounts() {
			f.Rows = append(f.Rows, []*chart.Panel{
				v.livePanel(goroutines, "time of the caller", harness.NsPerOp),
				v.livePanel(goroutines, "CPU time of the process", harness.CPUPerOp),
			})
			f.Height += chart.Inches(3.4)
		}
		return []*chart.Figure{f}
	},
	tables: func(v *view) (tables []*text.Table) {
		series := v.livePairs()
		names := v.shown(series)
		for _, goroutines := range v.goroutineCounts() {
			t := &text.Table{
				Title: "Cost of AfterFunc and Stop in a running program", Names: 1,
				Header: append([]string{"pending"}, names...),
				Notes:  []string{"CPU time is of the whole process, with the driver's worker and garbage collection."},
			}
			if goroutines != "" {
				t.Title += ", goroutines: " + goroutines
			}
			for _, n := range integers(series, "pending") {
				row, ratios, cpu := []string{words.Count(float64(n))}, []string{besideRuntime}, []string{"  CPU"}
				base := blocksOf(v.liveAt(catalog.RuntimeTimer, goroutines, n), harness.NsPerOp)
				for _, name := range names {
					s := v.liveAt(name, goroutines, n)
					row = append(row, within(summary(s, harness.NsPerOp), words.Nanos))
					ratios = append(ratios, against(blocksOf(s, harness.NsPerOp), base, name == catalog.RuntimeTimer))
					cpu = append(cpu, within(summary(s, harness.CPUPerOp), words.Nanos))
				}
				t.Add(row...)
				if len(base) > 0 {
					t.Add(ratios...)
				}
				if slices.ContainsFunc(cpu[1:], func(cell string) bool { return cell != "" }) {
					t.Add(cpu...)
				}
			}
			tables = append(tables, t)
		}
		return tables
	},
	topics: func(v *view) (all []topic) {
		for _, goroutines := range v.goroutineCounts() {
			t := topic{name: "AfterFunc and Stop", short: "live pair", takes: "as long", where: "with %s pending", yardstick: catalog.RuntimeTimer}
			if goroutines != "" && goroutines != "1" {
				t.name += " by " + goroutines + " goroutines"
				t.short += ", " + goroutines
			}
			for _, n := range integers(v.livePairs(), "pending") {
				t.add(words.Count(float64(n)), v.names, func(name string) []float64 {
					return blocksOf(v.liveAt(name, goroutines, n), harness.NsPerOp)
				})
			}
			all = append(all, t)
		}
		return all
	},
}

// livePairs returns the series of the question.
func (v *view) livePairs() []*harness.Series {
	return v.data.Select(harness.Cost, "op="+harness.OpLivePair)
}

// goroutineCounts returns [""] if the data do not say.
func (v *view) goroutineCounts() []string {
	if counts := harness.Distinct(v.livePairs(), "goroutines"); len(counts) > 0 {
		return counts
	}
	return []string{""}
}

func (v *view) liveAt(impl, goroutines string, pending int) *harness.Series {
	return v.one(harness.Cost, "op="+harness.OpLivePair, "impl="+impl, "goroutines="+goroutines, fmt.Sprintf("pending=%d", pending))
}

func (v *view) livePanel(goroutines, what, unit string) *chart.Panel {
	series := v.livePairs()
	p := &chart.Panel{Title: what, X: pendingAxis(series), Y: nanosAxis("AfterFunc and Stop, lower is better")}
	switch goroutines {
	case "":
	case "1":
		p.Title += ", 1 goroutine"
	default:
		p.Title += ", " + goroutines + " goroutines at once"
	}
	p.Lines = v.lines(func(name string) chart.Line {
		return v.against(series, "pending", name, unit, "goroutines="+goroutines)
	})
	return p
}
