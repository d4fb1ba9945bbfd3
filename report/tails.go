package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/quantile"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
	"schedbench/report/text"
)

// tailsQuestion is how long single calls take, up to the longest.
var tailsQuestion = question{
	section: whichFastest, experiments: []string{harness.Tails},
	figures: func(v *view) []*chart.Figure {
		pending := v.tailPending()
		if len(pending) == 0 {
			return nil
		}
		most := pending[len(pending)-1]
		var panels []*chart.Panel
		for _, k := range tailKinds {
			for _, op := range k.ops {
				panels = append(panels, v.tailPanel(k, op, most))
			}
		}
		return []*chart.Figure{{
			Name: "tails", Alike: true, Rows: chart.InRows(panels, 4), Width: chart.Inches(11.4), Height: chart.Inches(8.4),
			Title: fmt.Sprintf("How long does a single call take, up to the longest, with %s timers?", words.Count(float64(most))),
			Subtitle: "Each call timed by itself while timers become many, are replaced, become few and many again, and come due in masses; " +
				"garbage collected as usual; median of blocks and 95 % interval; the worst is that of all blocks",
		}}
	},
	tables: func(v *view) []*text.Table {
		return []*text.Table{v.tailTable(tailKinds[0]), v.tailTable(tailKinds[1]), v.phaseTable(tailKinds[0]), v.phaseTable(tailKinds[1])}
	},
	topics: func(v *view) (all []topic) {
		for _, n := range v.tailPending() {
			for _, k := range tailKinds {
				all = append(all, v.tailTopic(k, n))
			}
		}
		return all
	},
	sentences: func(v *view) (lines []string) {
		for _, n := range v.tailPending() {
			for _, k := range tailKinds {
				lines = append(lines, v.tailLine(k, n))
			}
		}
		return lines
	},
}

// tailKind is one of two kinds of contestants whose calls are not compared with each other:
// bare schedulers, and what runs functions on the real clock, which has a lock, a clock and
// a function besides.
type tailKind struct {
	holding   string // the value of the parameter
	ops       []string
	of        string // whose calls they are
	with      string // what there is a number of
	short     string
	yardstick string
}

var tailKinds = []tailKind{
	{"", []string{harness.CallSchedule, harness.CallCancel, harness.CallReset, harness.CallExpire, harness.CallNext}, "bare schedulers", "pending", "", catalog.ContainerHeap},
	{harness.HoldingFunctions, []string{harness.CallSchedule, harness.CallCancel, harness.CallReset}, "timers on the real clock", "timers on the real clock", ", live", catalog.RuntimeTimer},
}

// callNames are those of calls as methods, of schedulers and on the real clock.
var callNames = map[string]map[string]string{
	"":                       {harness.CallSchedule: "Schedule", harness.CallCancel: "Cancel", harness.CallReset: "Reset", harness.CallExpire: "Expire", harness.CallNext: "Next"},
	harness.HoldingFunctions: {harness.CallSchedule: "AfterFunc", harness.CallCancel: "Stop", harness.CallReset: "Reset"},
}

// method names a call.
func (k tailKind) method(op string) string { return callNames[k.holding][op] }

// tailStep is one of the places of the horizontal axis: a percentile, or the worst.
type tailStep struct{ name, unit string }

var tailSteps = []tailStep{
	{"50 %", harness.P50Took}, {"99 %", harness.P99Took}, {"99.9 %", harness.P999Took}, {"99.99 %", harness.P9999Took}, {"worst", harness.MaxTook},
}

// tails returns the series of whole lives of a kind.
func (v *view) tails(holding string, params ...string) []*harness.Series {
	return v.data.Select(harness.Tails, append(params, "holding="+holding, "during=")...)
}

// tailPending returns the pending counts with which tails were measured.
func (v *view) tailPending() []int { return integers(v.data.Select(harness.Tails), "pending") }

// tail returns the series of a contender, or nil.
func (v *view) tail(k tailKind, op string, pending int, name string) *harness.Series {
	if found := v.tails(k.holding, "op="+op, "impl="+name, fmt.Sprintf("pending=%d", pending)); len(found) > 0 {
		return found[0]
	}
	return nil
}

// tailPanel shows a call of everybody of a kind, and the clock alone.
func (v *view) tailPanel(k tailKind, op string, pending int) *chart.Panel {
	title := k.method(op)
	if k.holding != "" {
		title += ", on the real clock"
	}
	p := &chart.Panel{Title: title, X: chart.Axis{Format: func(x float64) string { return tailSteps[int(x)].name }, WithZero: true}, Y: nanosAxis("time of a call, lower is better")}
	place := func(i int) float64 { return float64(i) + 0.4 } // off the axis
	for i := range tailSteps {
		p.X.At = append(p.X.At, place(i))
	}
	for _, name := range append(slices.Clone(v.names), harness.ClockControl, harness.MemoryControl) {
		s := v.tail(k, op, pending, name)
		if s == nil {
			continue
		}
		l := chart.Line{Name: name, Style: v.styles[name]}
		switch name {
		case harness.ClockControl:
			l.Name, l.Style = "the clock alone", chart.Style{Colour: chart.RGB(0xC4C4C4), Glyph: chart.NoGlyph{}}
		case harness.MemoryControl:
			l.Name, l.Style = "the clock and a touch of memory", chart.Style{Colour: chart.RGB(0x9A9A9A), Glyph: chart.NoGlyph{}}
		}
		for i, step := range tailSteps {
			if step.unit == harness.MaxTook {
				l.Points = append(l.Points, chart.At(place(i), worstCall(s)))
			} else {
				l.Points = append(l.Points, at(place(i), summary(s, step.unit)))
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

// worstCall is the longest of all blocks: a median of the longest would hide it.
func worstCall(s *harness.Series) float64 {
	return slices.Max(append([]float64{0}, samples(s, harness.MaxTook)...))
}

// tailTable has the percentiles of calls, all together and without those while garbage was
// collected.
func (v *view) tailTable(k tailKind) *text.Table {
	calm := func(head string, share float64) column {
		return column{head, func(s *harness.Series) string {
			if s.Took == nil || s.Collecting == nil || s.Collecting.TotalCount() == 0 || s.Took.TotalCount() == 0 {
				return ""
			}
			return words.Nanos(float64(quantile.Of(s.Took, share)))
		}}
	}
	columns := []column{{"call", func(s *harness.Series) string { return k.method(s.Get("op")) }}, contender, amount("pending", "pending"),
		{"calls", func(s *harness.Series) string { return words.Count(callsOf(s)) }}}
	for _, step := range tailSteps[:len(tailSteps)-1] {
		columns = append(columns, median(step.name, step.unit, words.Nanos))
	}
	columns = append(columns,
		column{"worst", func(s *harness.Series) string { return words.Nanos(worstCall(s)) }},
		sum("collections", harness.Collections), column{"calls meanwhile", meanwhile},
		calm("without: 99.99 %", 0.9999), calm("worst", 1))
	t := tableOf("Single calls of "+k.of, 2, v.byCall(k, v.tails(k.holding)), columns)
	for _, op := range k.ops {
		explain(t, operationCalled(k.method(op)))
	}
	t.Notes = append(t.Notes, "Each call has a reading of the clock in it; what that takes, and how long the machine stands still meanwhile, is in the rows of clock, which calls nothing. "+
		"The rows of memory, where there are more than 100k timers, touch one cell at random of as much memory as timers take: at its far end a call that reads a timer at random can hardly be shorter. "+
		"Calls meanwhile are those, some thousands at a time, during which garbage was collected or had just been; the last columns leave them out.")
	return t
}

// callsOf returns how many calls a series has.
func callsOf(s *harness.Series) (n float64) {
	for _, calls := range s.Iterations {
		n += float64(calls)
	}
	return n
}

// meanwhile is the share of calls that were made while garbage was collected.
func meanwhile(s *harness.Series) string {
	if s.Took == nil || s.Collecting == nil || s.Collecting.TotalCount() == 0 {
		return ""
	}
	n := float64(s.Collecting.TotalCount())
	return words.Percent(n / (n + float64(s.Took.TotalCount())))
}

// byCall returns series call by call, in the order in which contenders are shown.
func (v *view) byCall(k tailKind, series []*harness.Series) []*harness.Series {
	series = v.ordered(series)
	slices.SortStableFunc(series, func(a, b *harness.Series) int {
		return slices.Index(k.ops, a.Get("op")) - slices.Index(k.ops, b.Get("op"))
	})
	return series
}

// phaseTable has the far ends of calls by what happens meanwhile.
func (v *view) phaseTable(k tailKind) *text.Table {
	parts := slices.DeleteFunc(v.data.Select(harness.Tails, "holding="+k.holding), func(s *harness.Series) bool { return s.Get("during") == "" })
	phases := harness.Distinct(parts, "during")
	columns := []column{{"call", func(s *harness.Series) string { return k.method(s.Get("op")) }}, contender, amount("pending", "pending")}
	for _, phase := range phases {
		columns = append(columns, column{phase, func(s *harness.Series) string {
			of := v.one(harness.Tails, append(cellOf(s), "impl="+s.Get("impl"), "holding="+k.holding, "during="+phase)...)
			if of == nil {
				return ""
			}
			return words.Nanos(summary(of, harness.P9999Took).Median) + " / " + words.Nanos(worstCall(of))
		}})
	}
	whole := slices.DeleteFunc(v.byCall(k, v.tails(k.holding)), func(s *harness.Series) bool { return s.Get("op") == harness.CallNext })
	t := tableOf("Single calls of "+k.of+", 99.99 % and the worst, by what happens to the timers", 2, whole, columns)
	t.Notes = []string{"They grow to the number pending; are held at it while others come, go and are moved; shrink to a tenth; are held at these few; grow again; " +
		"and are moved and come due in a few slots of a hierarchical wheel, which cascade. Where there are fewer than 10,000 calls in a block, 99.99 % is its worst."}
	return t
}

// fewestCalls is how many calls a block has at least of which the slowest of 10,000 is told.
const fewestCalls = 10_000

// tailTopic is who takes least in the slowest of 10,000 calls.
func (v *view) tailTopic(k tailKind, pending int) topic {
	count := words.Count(float64(pending))
	t := topic{
		name:  fmt.Sprintf("the slowest of 10,000 single calls with %s %s", count, k.with),
		short: "tail, " + count + k.short, takes: "as long", where: "in %s", yardstick: k.yardstick,
		repeat: "--experiments tails --pending " + count,
	}
	for _, op := range k.ops {
		if op == harness.CallNext {
			continue
		}
		t.add(k.method(op), v.names, func(name string) []float64 {
			s := v.tail(k, op, pending, name)
			if s == nil || slices.Min(append(slices.Clone(s.Iterations), fewestCalls)) < fewestCalls {
				return nil
			}
			return blocksOf(s, harness.P9999Took)
		})
	}
	return t
}

// tailLine says how long the slowest of 10,000 calls is of whoever is in front and of whoever
// is told to be the last, and of the controls.
func (v *view) tailLine(k tailKind, pending int) string {
	takes := func(op, name string) string {
		return words.Time(summary(v.tail(k, op, pending, name), harness.P9999Took).Median)
	}
	t := v.decide(v.tailTopic(k, pending))
	var said []string
	alone := map[string]float64{}
	for _, op := range k.ops {
		p := t.at(k.method(op))
		slower := p.Others(judge.Slower)
		if len(slower) == 0 {
			continue
		}
		first, last := p.First().Name, slower[len(slower)-1].Name
		said = append(said, fmt.Sprintf("%s %s with %s and %s with %s", k.method(op), takes(op, first), first, takes(op, last), last))
		for _, control := range []string{harness.ClockControl, harness.MemoryControl} {
			if s := v.tail(k, op, pending, control); s != nil {
				alone[control] = max(alone[control], summary(s, harness.P9999Took).Median)
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	if took := alone[harness.ClockControl]; took > 0 {
		said = append(said, "of two readings of the clock with nothing between them "+words.Time(took))
	}
	if took := alone[harness.MemoryControl]; took > 0 {
		said = append(said, "with one cell of as much memory touched between them "+words.Time(took))
	}
	return fmt.Sprintf("So long is %s, at best and at worst, as far as they are told apart: %s.", t.name, strings.Join(said, "; "))
}
