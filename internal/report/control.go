package report

import (
	"fmt"
	"math"
	"slices"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// firstTouch is the control of what a page of fresh memory takes.
const firstTouch = "first-touch"

// controlQuestion is what the harness read of what was built to be known.
var controlQuestion = question{
	heading: "Does the harness read back what is known?",
	section: howFarToTrust, experiments: []string{rundata.Control},
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

// A control reads back wrong if the whole interval of read/known is off by more than
// controlMargin, and scatters if the logarithms of the blocks' read/known deviate by more than
// controlScatter.
const controlMargin, controlScatter = 0.10, 0.15

// controlWords say what a control was built to be, a format that takes the figure.
var controlWords = map[string]string{
	"spin": "a spin of %s", "slow-call": "a call of %s", "lateness": "a lateness of %s", "burn": "CPU time of %s a second",
}

// cautionControls warns of controls that read back wrong, or scatter.
func (v *view) cautionControls(add func(grave bool, format string, args ...any)) {
	for _, s := range v.data.Select(rundata.Control) {
		known, read := s.Blocks(rundata.KnownNs), s.Blocks(rundata.ReadNs)
		var ratios []float64
		nothing := false // was read
		for i := range min(len(known), len(read)) {
			if ratio := read[i] / known[i]; !math.IsNaN(ratio) && known[i] > 0 {
				ratios, nothing = append(ratios, ratio), nothing || ratio <= 0
			}
		}
		what := controlWords[s.Get("what")]
		if what == "" {
			what = "the control " + s.Get("what") + " of %s"
		}
		built := fmt.Sprintf(what, words.Time(summarize(known).Median))
		switch {
		case len(ratios) == 0:
		case judge.GeometricMean(ratios).Is(judge.Band{Low: 1 - controlMargin, High: 1 + controlMargin}) == judge.Fails:
			add(false, "a control reads back wrong: %s read %s", built, rangeOf(read))
		case nothing || judge.LogDeviation(ratios) > controlScatter:
			add(false, "a control scatters: %s read %s", built, rangeOf(read))
		}
	}
}

// rangeOf writes times from the least to the greatest.
func rangeOf(ns []float64) string {
	ns = slices.DeleteFunc(slices.Clone(ns), math.IsNaN)
	least, most := words.Time(slices.Min(ns)), words.Time(slices.Max(ns))
	if least == most {
		return least
	}
	return least + " to " + most
}
