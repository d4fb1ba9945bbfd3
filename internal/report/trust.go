package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

var noiseChapter = chapter{
	section:   howFarToTrust,
	heading:   "How much of this is noise, and how much is significant?",
	sentences: func(v *Report) []string { return []string{v.aaLine(), v.answeredLine(), v.leftOutLine()} },
	tables:    func(v *Report) []*text.Table { return []*text.Table{v.unclearTable()} },
}

// unclearTable lists the measures whose leader is somewhere unclear, and how many more blocks would separate
// the two in front, the fewest first.
func (v *Report) unclearTable() *text.Table {
	type row struct {
		needs int
		cells []string
	}
	var rows []row
	for _, t := range v.measures {
		var cells, rivals []string
		blocks, needs := 0, 0
		for _, p := range t.cells {
			open := p.Others(judge.Unclear)
			if len(open) == 0 {
				continue
			}
			cells, rivals = append(cells, p.name), including(rivals, p.First().Name)
			for _, s := range open {
				rivals, blocks, needs = including(rivals, s.Name), max(blocks, s.ToFirst.Blocks), max(needs, s.ToFirst.More())
			}
		}
		if len(cells) == 0 {
			continue
		}
		where, among, more := words.List(cells), words.List(rivals), fmt.Sprint(needs)
		if len(cells) > 3 {
			where = fmt.Sprintf("%d of %d", len(cells), len(t.cells))
		}
		if len(rivals) > 3 {
			among = fmt.Sprintf("%s and %d others", rivals[0], len(rivals)-1)
		}
		if needs >= judge.TooMany {
			more = ""
		}
		rows = append(rows, row{needs, []string{t.name, where, among, fmt.Sprint(blocks), more}})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.needs, b.needs) })
	t := &text.Table{Title: "Where the leader is unclear", Names: 3, Header: []string{"measure", "where", "among", "blocks measured", "more blocks to decide"},
		Notes: []string{"More blocks make the intervals narrower: bench --blocks N. “-”: more than " + words.Count(judge.TooMany) + " blocks; the difference is too small to matter."}}
	for _, r := range rows {
		t.Add(r.cells...)
	}
	return t
}

// aaLine says how often two measurements of one contestant differ significantly. Chance alone gives one in twenty.
func (v *Report) aaLine() string {
	worst, at := 1.0, ""
	seems, of := v.aa()
	for t, p := range v.cells() {
		if n := judge.Noise(p.aa); p.aa.Blocks > 1 && n > worst {
			worst, at = n, t.named(p.name)
		}
	}
	if of == 0 {
		return ""
	}
	line := fmt.Sprintf("In %s one contestant was measured twice. The two measurements differ significantly in %d (chance alone gives %s)",
		words.Many(of, "cell"), seems, words.Number(float64(of)*(1-judge.Confidence)))
	if at != "" {
		line += fmt.Sprintf(". The largest ratio of the two is %s (%s)", words.Times(worst), at)
	}
	return line + ". In each cell a difference below that of its two measurements does not count."
}

// aa counts the cells where a contestant was measured twice, and in how many of them it seems to differ from itself.
func (v *Report) aa() (seem, of int) {
	for _, p := range v.cells() {
		if p.aa.Blocks > 1 {
			of++
			if p.aa.Significant() {
				seem++
			}
		}
	}
	return seem, of
}

// tally counts the comparisons of all measures: each contestant at each cell with the first there.
type tally struct {
	// different take significantly more, same are within the margin, and absent were not measured.
	different, same, unclear, absent int
}

func (v *Report) tally() (n tally) {
	for t, p := range v.cells() {
		n.different += len(p.Others(judge.Slower))
		n.same += len(p.Others(judge.AsFast))
		n.unclear += len(p.Others(judge.Unclear))
		n.absent += len(t.names()) - len(p.contestants)
	}
	return n
}

func (v *Report) answeredLine() string {
	n := v.tally()
	if n == (tally{}) {
		return ""
	}
	return fmt.Sprintf("Of %s with the best of a cell, %s significant, %s as fast (within %s), and %d unclear; %s not measured.",
		words.Many(n.different+n.same+n.unclear, "comparison"), words.Verb(n.different, "is", "are"), words.Verb(n.same, "is", "are"),
		v.margin(), n.unclear, words.Verb(n.absent, "was", "were"))
}

// leftOutLine says who could not hold the timers of a cell, and why.
func (v *Report) leftOutLine() string {
	why := func(s *rundata.Series) string { return s.Get("impl") + " " + s.Note }
	out := lists.Only(v.ordered(v.data.Series), func(s *rundata.Series) bool { return s.State() == rundata.CannotHold })
	said := lists.Each(lists.Groups(out, why), func(same []*rundata.Series) string {
		experiments := lists.Each(same, func(s *rundata.Series) string { return strings.ToLower(s.Experiment) })
		return fmt.Sprintf("%s (%s)", why(same[0]), words.List(including(nil, experiments...)))
	})
	if len(said) == 0 {
		return ""
	}
	return "Left out: " + strings.Join(said, "; ") + "."
}

func (v *Report) margin() string { return words.Share(v.marginRatio() - 1) }

// firstTouch is the control of what a page of fresh memory takes.
const firstTouch = "first-touch"

var controlChapter = chapter{
	heading: "Does the harness read back what is known?",
	section: howFarToTrust,
	tables: func(v *Report) []*text.Table {
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

// cautionControls warns of controls that read back wrong: the whole interval of read/known is off by more than 10 %. It
// also warns of controls that scatter: a reading is not positive, or the logarithms of read/known deviate by more than
// 0.15.
func (v *Report) cautionControls(add func(grave bool, format string, args ...any)) {
	for _, s := range v.data.Select(rundata.Control) {
		known, read := s.Blocks(rundata.KnownNs), s.Blocks(rundata.ReadNs)
		var ratios []float64
		nothing := false // was read
		for i := range min(len(known), len(read)) {
			if ratio := read[i] / known[i]; !math.IsNaN(ratio) && known[i] > 0 {
				ratios, nothing = append(ratios, ratio), nothing || ratio <= 0
			}
		}
		if len(ratios) == 0 {
			continue
		}
		what := cmp.Or(map[string]string{
			"spin": "a spin of %s", "spin-at-once": "the CPU time of a spin of %s on all processors", "slow-call": "a call of %s", "lateness": "a lateness of %s", "burn": "CPU time of %s a second",
		}[s.Get("what")], "the control "+s.Get("what")+" of %s")
		built := fmt.Sprintf(what, rangeOf(known))
		switch {
		case judge.GeometricMean(ratios).Within(0.9, 1.1) == judge.Fails:
			add(false, "the harness misreads a known figure: %s was read as %s", built, rangeOf(read))
		case nothing || judge.LogDeviation(ratios) > 0.15:
			add(false, "readings of a known figure scatter: %s was read as %s", built, rangeOf(read))
		}
	}
}

// rangeOf writes times from the least to the greatest.
func rangeOf(ns []float64) string {
	ns = slices.DeleteFunc(slices.Clone(ns), math.IsNaN)
	return words.FromTo(words.Time(slices.Min(ns)), words.Time(slices.Max(ns)))
}

// checkLine says whether every timer fired once and not early, or who got it wrong in which series.
func (v *Report) checkLine() string {
	var wrong []string
	for _, s := range v.data.Series {
		if did := wrongIn(s).Did(); did != "" {
			wrong = append(wrong, fmt.Sprintf("%s (%s) %s", s.Get("impl"), circumstance(s), did))
		}
	}
	if len(wrong) > 0 {
		return "The answers are WRONG: " + strings.Join(wrong, "; ") + "."
	}
	if checked := (card.Card{Checks: v.cardChecks()}).Checked(); checked != "" {
		return words.Capital(checked) + "."
	}
	return ""
}

func wrongIn(s *rundata.Series) card.Wrong {
	w := card.Wrong{Lost: int(total(s, rundata.Lost)), Early: int(total(s, rundata.Early)), Doubled: int(total(s, rundata.Doubled))}
	if s.State() == rundata.Wrong {
		w.Replays = []string{s.Get("profile")}
	}
	return w
}

func circumstance(s *rundata.Series) string {
	said := []string{strings.ToLower(s.Experiment)}
	for _, p := range s.Params {
		if p.Key != "impl" {
			said = append(said, p.Value)
		}
	}
	return strings.Join(said, " ")
}
