package report

import (
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
	"schedbench/report/text"
)

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
				s := v.costAt(op, delay, name, counts[len(counts)-1])
				if _, ok := stepsTaken(s); ok {
					series = append(series, s)
				}
			}
		}
		columns := []column{operated, contender, amount("pending", "pending")}
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
	p := &chart.Panel{
		Title:  OperationOf(op).heading(),
		X:      pendingAxis(v.data.Select(rundata.Cost, "op="+op)),
		Y:      chart.Axis{Label: "steps per operation", Log: true, WithZero: true, Format: words.Count},
		Guides: guides(),
	}
	p.Lines = v.lines(func(name string) chart.Line {
		return v.line(name, p.X.At, func(n float64) judge.Summary {
			taken, _ := stepsTaken(v.costAt(op, delay, name, int(n)))
			return taken
		})
	})
	return p
}

// stepsTaken adds up all kinds of steps, round by round, and reports whether
// any were counted.
func stepsTaken(s *rundata.Series) (judge.Summary, bool) {
	var sum []float64
	for _, unit := range steps {
		for i, value := range samples(s, unit) {
			if i == len(sum) {
				sum = append(sum, 0)
			}
			sum[i] += value
		}
	}
	return summarize(sum), len(sum) > 0
}
