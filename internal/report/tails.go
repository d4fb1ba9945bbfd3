package report

import (
	"fmt"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/quantile"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

var tailsChapter = chapter{
	section: whichFastest,
	figures: func(v *Report) []*chart.Figure {
		most := last(v.tailPending())
		if most == "" {
			return nil
		}
		var panels []*chart.Panel
		for _, k := range tailKinds {
			for _, op := range k.ops {
				panels = append(panels, v.tailPanel(k, op, most))
			}
		}
		return []*chart.Figure{{
			Name: "tails", Alike: true, Rows: chart.InRows(panels, 4), Width: chart.Inches(11.4), Height: chart.Inches(8.4),
			Title: fmt.Sprintf("How long does a single call take, with %s timers?", valueWords(most)),
			Subtitle: "Percentiles of all calls while the number of timers stays the same, with the 95 % interval of blocks; growing, shrinking: p99.9 meanwhile; " +
				"cascade: the longest Expire where a hierarchical wheel cascades, median of blocks; garbage collected as usual",
		}}
	},
	tables: func(v *Report) []*text.Table {
		return []*text.Table{v.tailTable(tailKinds[0]), v.longestTable(), v.tailTable(tailKinds[1])}
	},
	measures: func(v *Report) (all []measure) {
		for _, n := range slices.Backward(v.tailPending()) { // the chart has the largest
			for _, k := range tailKinds {
				all = append(all, v.tailMeasure(k, n))
			}
		}
		return all
	},
}

// tailKind is one of two kinds of contestants whose calls are not compared with each other: bare schedulers, and what
// runs functions on the real clock, which has a lock, a clock and a function besides.
type tailKind struct {
	holding  string // the value of the parameter
	ops      []string
	of       string // whose calls they are
	with     string // follows a number of timers
	baseline string
}

var tailKinds = []tailKind{
	{"", rundata.Calls(), "bare schedulers", "pending", catalog.ContainerHeap},
	{rundata.HoldingFunctions, rundata.Calls()[:3], "timers on the real clock", "timers on the real clock", catalog.RuntimeTimer},
}

func (k tailKind) method(op string) string {
	if name := map[string]string{rundata.CallSchedule: "AfterFunc", rundata.CallCancel: "Stop"}[op]; name != "" && k.holding != "" {
		return name
	}
	return words.Capital(op)
}

// fewestCalls is how many calls a block needs for a p99.9: of fewer it would be the longest.
const fewestCalls = 1000

// tails returns the series of a kind that have enough calls, call by call.
func (v *Report) tails(k tailKind, params ...string) []*rundata.Series {
	found := slices.DeleteFunc(v.data.Select(rundata.Tails, append(params, "holding="+k.holding)...), func(s *rundata.Series) bool {
		return s.Get("during") == "" || s.Note != "" || len(s.Iterations) == 0 || slices.Min(s.Iterations) < fewestCalls || s.Took == nil || s.Collecting == nil
	})
	slices.SortStableFunc(found, func(a, b *rundata.Series) int {
		return slices.Index(k.ops, a.Get("op")) - slices.Index(k.ops, b.Get("op"))
	})
	return found
}

func (v *Report) tailPending() []string {
	return values(slices.Concat(v.tails(tailKinds[0]), v.tails(tailKinds[1])), "pending")
}

// tailStep is a place on the horizontal axis: a percentile of calls in a phase, or the longest Expire.
type tailStep struct{ name, during, unit string }

func tailSteps(op string) []tailStep {
	steps := []tailStep{{"50 %", rundata.DuringHold, rundata.P50Took}, {"99 %", rundata.DuringHold, rundata.P99Took}, {"99.9 %", rundata.DuringHold, rundata.P999Took}}
	last, more := map[string]tailStep{
		rundata.CallSchedule: {"growing", rundata.DuringGrow, rundata.P999Took},
		rundata.CallCancel:   {"shrinking", rundata.DuringShrink, rundata.P999Took},
		rundata.CallExpire:   {"cascade", rundata.DuringHold, rundata.LongestExpire},
	}[op]
	if more {
		return append(steps, last)
	}
	return steps
}

// pooled returns a percentile of the calls of all blocks, in an interval that holds that of the
// blocks' own. The longest Expire is the median of blocks.
func pooled(s *rundata.Series, unit string) judge.Summary {
	of := summary(s, unit)
	share, known := map[string]float64{rundata.P50Took: 0.5, rundata.P99Took: 0.99, rundata.P999Took: 0.999}[unit]
	if !known || of.N == 0 {
		return of
	}
	all := hdrhistogram.Import(s.Took.Export())
	all.Merge(s.Collecting)
	of.Median = float64(quantile.Of(all, share))
	of.Low, of.High = min(of.Low, of.Median), max(of.High, of.Median)
	return of
}

func (v *Report) tailPanel(k tailKind, op, pending string) *chart.Panel {
	title := k.method(op)
	if k.holding != "" {
		title += ", on the real clock"
	}
	steps := tailSteps(op)
	p := &chart.Panel{Title: title, X: namesAxis(lists.Each(steps, func(s tailStep) string { return s.name })), Y: nanosAxis("time of a call, lower is better")}
	for _, name := range append(slices.Clone(v.names), rundata.ClockControl) {
		l, measured := chart.Line{Name: name, Style: v.styles[name]}, op
		if name == rundata.ClockControl { // it is the same beside each call, and measured beside one
			l.Name, l.Style, measured = "the clock alone", chart.Style{Colour: chart.RGB(0xC4C4C4)}, rundata.CallExpire
		}
		for i, step := range steps {
			if s := first(v.tails(k, "op="+measured, "during="+step.during, "impl="+name, "pending="+pending)); s != nil {
				l.Points = append(l.Points, at(p.X.At[i], pooled(s, step.unit)))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

func (v *Report) tailTable(k tailKind) *text.Table {
	percentile := func(head, unit string) column {
		return column{head, func(s *rundata.Series) string { return within(pooled(s, unit), words.Nanos) }}
	}
	t := tableOf("Single calls of "+k.of, 3, v.ordered(v.tails(k), "op"), []column{
		{"call", func(s *rundata.Series) string { return k.method(s.Get("op")) }}, param("while they", "during"), contestant, amount("pending", "pending"),
		{"calls", func(s *rundata.Series) string { return words.Count(callsOf(s)) }},
		percentile("50 %", rundata.P50Took), percentile("99 %", rundata.P99Took), percentile("99.9 %", rundata.P999Took),
		{"calls during GC", func(s *rundata.Series) string { return words.Percent(float64(s.Collecting.TotalCount()) / callsOf(s)) }},
		{"without: 99.9 %", func(s *rundata.Series) string {
			if s.Took.TotalCount() < fewestCalls {
				return ""
			}
			return words.Nanos(float64(quantile.Of(s.Took, 0.999)))
		}},
	})
	for _, op := range k.ops {
		explain(t, OperationOf(k.method(op)))
	}
	t.Notes = append(t.Notes, "The number of timers grows to the pending count, stays there while timers are added, cancelled and moved, and shrinks to a tenth. "+
		"Percentiles are of the calls of all blocks, 1 in 1,000 of which is beyond 99.9 %; calls of which a block has fewer than 1,000 are left out. "+
		"Each call includes a reading of the clock. The rows of clock call nothing: they are the reading, and what the machine does meanwhile. "+
		"Calls during GC are those during which garbage was collected or had just been; the last column leaves them out.")
	return t
}

func callsOf(s *rundata.Series) float64 {
	return float64(s.Took.TotalCount() + s.Collecting.TotalCount())
}

// longestTable has the longest Expire of a cascade with what it had to do.
func (v *Report) longestTable() *text.Table {
	t := tableOf("The longest Expire of a cascade", 1, v.ordered(v.tails(tailKinds[0], "op="+rundata.CallExpire)), []column{
		contestant, amount("pending", "pending"), median("longest Expire", rundata.LongestExpire, words.Nanos),
		median("timers due", rundata.LongestDue, words.Count), median("timers cascaded", rundata.LongestCascaded, words.Count),
	})
	t.Notes = []string{"Two fifths of the timers are moved into two slots of a hierarchical wheel, which then open. Of each block the longest Expire counts, with the timers that came out of it " +
		"and those that it moved to a lower level; medians of blocks. The row of clock calls nothing."}
	return t
}

// tailMeasure is who takes least at the 99.9th percentile, while the number of timers is held.
func (v *Report) tailMeasure(k tailKind, pending string) measure {
	series := slices.DeleteFunc(v.tails(k, "during="+rundata.DuringHold, "pending="+pending), func(s *rundata.Series) bool {
		return s.Get("op") == rundata.CallNext // only drivers call it
	})
	return measure{
		name:  fmt.Sprintf("the 99.9th percentile of single calls (%s %s)", valueWords(pending), k.with),
		group: "tail", takes: "as long", where: "for %s", baseline: k.baseline,
		note: "1 call in 1,000 takes longer",
		of:   grid{series, "op", k.method, rundata.P999Took, v.each(v.names)},
	}
}
