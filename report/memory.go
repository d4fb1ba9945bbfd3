package report

import (
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
	"schedbench/report/text"
)

// memoryQuestion is what a pending timer takes up, at first and after all have been
// replaced. The table has collections of garbage too.
var memoryQuestion = question{
	figures: func(v *view) []*chart.Figure {
		var panels []*chart.Panel
		for _, kind := range []struct{ title, unit string }{
			{"just inserted", harness.BytesPerTimer},
			{"after replacing all", harness.ChurnedPerTimer},
		} {
			panels = append(panels, v.memoryPanel(kind.title, kind.unit,
				chart.Axis{Label: "bytes per timer, lower is better", Format: words.Tidy(words.Bytes), Log: true}))
		}
		return []*chart.Figure{{
			Name: "memory", Alike: true, Width: chart.Inches(9.6), Height: chart.Inches(5.4),
			Title: "How much memory does a pending timer take?",
			Subtitle: "Heap in use for each timer: just inserted, and after every timer was cancelled and " +
				"another inserted; median and 95 % interval",
			Rows: chart.InRows(panels, 2),
		}}
	},
	tables: func(v *view) []*text.Table {
		return []*text.Table{tableOf("Memory of pending timers, and what they cost a garbage collection", 1, v.ordered(v.pendingMemory()), []column{
			contender, amount("pending", "pending"),
			median("for each timer", harness.BytesPerTimer, words.Bytes), median("after replacing all", harness.ChurnedPerTimer, words.Bytes),
			median("collection", harness.GCNs, words.Nanos),
		})}
	},
}

// horizonQuestion is what a scheduler takes up before it holds anything.
var horizonQuestion = question{
	figures: func(v *view) []*chart.Figure {
		horizons := durations(v.data.Select(harness.Memory), "horizon")
		p := &chart.Panel{
			X: chart.Axis{Label: "horizon: how far ahead deadlines may lie", Log: true, At: floats(horizons), Format: words.Span},
			Y: chart.Axis{Label: "memory when empty, lower is better", Log: true, Format: words.Tidy(words.Bytes)},
		}
		p.Lines = v.lines(func(name string) chart.Line {
			return v.line(name, p.X.At, func(horizon float64) judge.Summary { return v.whenEmpty(name, time.Duration(horizon)) })
		})
		return []*chart.Figure{{
			Name: "memory-horizon", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(5.4),
			Title:    "What does a wide horizon cost before anything is scheduled?",
			Subtitle: "Heap in use of a scheduler with nothing in it; median and 95 % interval",
		}}
	},
	tables: func(v *view) []*text.Table {
		t := &text.Table{Title: "Memory of an empty scheduler by horizon", Names: 1, Header: []string{"contender"}}
		horizons := durations(v.data.Select(harness.Memory), "horizon")
		for _, horizon := range horizons {
			t.Header = append(t.Header, words.Span(float64(horizon)))
		}
		for _, name := range v.names {
			row := []string{name}
			for _, horizon := range horizons {
				row = append(row, within(v.whenEmpty(name, horizon), words.Bytes))
			}
			if slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "" }) {
				t.Add(row...)
			}
		}
		return []*text.Table{t}
	},
}

// gcQuestion is what pending timers cost the garbage collector.
var gcQuestion = question{
	figures: func(v *view) []*chart.Figure {
		p := v.memoryPanel("", harness.GCNs, nanosAxis("time of a collection, lower is better"))
		if bare := v.against(v.pendingMemory(), "pending", harness.NothingControl, harness.GCNs); len(bare.Points) > 0 {
			p.Bands = []chart.Band{{Name: "nothing pending", Points: bare.Points}}
		}
		return []*chart.Figure{{
			Name: "gc", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(5.4),
			Title:    "How long does a garbage collection take, with n timers pending?",
			Subtitle: "A forced collection of the whole heap; median and 95 % interval",
		}}
	},
}

// memoryPanel shows a unit of each contender against what is pending.
func (v *view) memoryPanel(title, unit string, y chart.Axis) *chart.Panel {
	series := v.pendingMemory()
	return &chart.Panel{Title: title, X: pendingAxis(series), Y: y, Lines: v.lines(func(name string) chart.Line {
		return v.against(series, "pending", name, unit)
	})}
}

// pendingMemory returns the memory series that count timers, and not wheels.
func (v *view) pendingMemory() []*harness.Series {
	return slices.DeleteFunc(slices.Clone(v.data.Select(harness.Memory)), func(s *harness.Series) bool { return s.Get("pending") == "" })
}

// whenEmpty returns what a contender takes up when empty, by its horizon.
func (v *view) whenEmpty(name string, horizon time.Duration) judge.Summary {
	label := labelOf(v.data.Select(harness.Memory), "horizon", horizon)
	return summary(v.one(harness.Memory, "impl="+name, "horizon="+label), harness.BytesPerWheel)
}
