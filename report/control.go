package report

import (
	"fmt"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/report/chart"
	"schedbench/report/text"
)

// firstTouch is the control of what a page of fresh memory takes.
const firstTouch = "first-touch"

// controlQuestion is what the harness read of what was built to be known.
var controlQuestion = question{
	section: howFarToTrust, experiments: []string{rundata.Control},
	figures: func(v *view) []*chart.Figure {
		series := v.data.Select(rundata.Control)
		p := &chart.Panel{
			X:      nanosAxis("built to take"),
			Y:      nanosAxis("read by the harness"),
			Guides: []chart.Guide{{Name: "read = built", Of: func(x float64) float64 { return x }}},
			Anchor: chart.At(1, 1),
		}
		for i, what := range rundata.Distinct(series, "what") {
			l := chart.Line{Name: what, Style: chart.Reserve[i%len(chart.Reserve)]}
			for _, s := range v.data.Select(rundata.Control, "what="+what) {
				if known := summary(s, rundata.KnownNs); known.N > 0 {
					l.Points = append(l.Points, at(known.Median, summary(s, rundata.ReadNs)))
				}
			}
			p.Lines = append(p.Lines, l)
		}
		return []*chart.Figure{{
			Name: "control", Named: true, Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(8.6), Height: chart.Inches(5),
			Title:    "Does the harness read back what is known?",
			Subtitle: "Work, delays and CPU time of a known size, as measured; median and 95 % interval",
		}}
	},
	tables: func(v *view) []*text.Table {
		known := column{"known", func(s *rundata.Series) string {
			if k := summary(s, rundata.KnownNs); k.N > 0 {
				return words.Nanos(k.Median)
			}
			return ""
		}}
		ratio := column{"read/known", func(s *rundata.Series) string {
			known, read := summary(s, rundata.KnownNs), summary(s, rundata.ReadNs)
			if known.N > 0 && read.N > 0 && known.Median > 0 {
				return fmt.Sprintf("%.3f", read.Median/known.Median)
			}
			return ""
		}}
		t := tableOf("Controls: what measuring itself costs, and whether what is known is read back", 1, v.data.Select(rundata.Control), []column{
			param("control", "what"), known, median("read", rundata.ReadNs, words.Nanos), ratio, median("each", rundata.NsPerOp, words.Nanos),
		})
		if len(v.data.Select(rundata.Control, "what="+firstTouch)) > 0 {
			t.Notes = []string{firstTouch + " is the first write to a page of 4 KiB of fresh memory. No scheduler asks for it; timers on fresh pages pay for it."}
		}
		return []*text.Table{t}
	},
}
