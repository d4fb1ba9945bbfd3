package report

import (
	"io"
	"slices"

	"schedbench/harness"
	"schedbench/report/chart"
	"schedbench/report/text"
)

// question is what a run answers with some of its data: with charts, tables and
// sentences, of which any may be missing.
type question struct {
	figures   func(*view) []*chart.Figure
	tables    func(*view) []*text.Table
	sentences func(*view) []string
}

// questions are all that a run may answer, in the order in which they are shown.
func questions() []question {
	return []question{
		costQuestion, replayQuestion, clockQuestion, livePairQuestion, parallelQuestion, workQuestion, noiseQuestion, checkQuestion,
		latenessQuestion, slowQuestion, burstQuestion, drainQuestion, pauseQuestion, waitingQuestion, slackQuestion,
		tradeoffQuestion, idleQuestion, systemsQuestion, memoryQuestion, horizonQuestion, gcQuestion, controlQuestion,
	}
}

// ChartOptions says what the charts show besides the data.
type ChartOptions struct {
	// SVG asks for an SVG file beside each PNG.
	SVG bool
	// Recommended is the waking label of the tick to mark, such as 5ms, and ""
	// for none.
	Recommended string
	// Requirement is drawn on the chart of the trade-off.
	Requirement Requirement
}

// Charts writes all charts that the data allow into a directory, which it
// makes if need be, and returns the names of the files.
func Charts(d *harness.Data, dir string, opt ChartOptions) ([]string, error) {
	return chart.SaveAll(newView(d).figures(opt), dir, opt.SVG)
}

// figures returns the charts that have something to show.
func (v *view) figures(opt ChartOptions) (kept []*chart.Figure) {
	v.opt = opt
	for _, q := range questions() {
		if q.figures == nil {
			continue
		}
		for _, f := range q.figures(v) {
			if f.Prepare() {
				Sign(f, v.data.Env, v.data.Complete)
				kept = append(kept, f)
			}
		}
	}
	return kept
}

// Tables writes the figures behind the charts: medians, with how far their
// 95 % intervals go from them.
func Tables(w io.Writer, d *harness.Data) error {
	v := newView(d)
	for _, q := range questions() {
		if q.tables == nil {
			continue
		}
		for _, t := range q.tables(v) {
			if err := t.Write(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// Judgement is what the data come to, in words.
type Judgement struct {
	// Lines are sentences, the most important first, without the
	// recommendation.
	Lines          []string
	Recommendation Recommendation
}

// Verdict says who leads at what, from where on a contestant loses to what Go
// has, how much of it is noise, and which tick meets the requirement. It claims
// a lead over the runner-up only, only when the interval of their paired
// ratios, corrected for the number of comparisons, leaves no doubt, and only
// when the lead is larger than what the same contestant differs from itself. The
// comparisons counted are those of one operation, since each operation is a
// question of its own.
func Verdict(d *harness.Data, req Requirement) Judgement {
	v := newView(d)
	var lines []string
	for _, q := range questions() {
		if q.sentences != nil {
			lines = append(lines, q.sentences(v)...)
		}
	}
	if !v.data.Complete && len(v.data.Series) > 0 {
		lines = append(lines, "The run is not complete: what is missing may change this verdict.")
	}
	return Judgement{
		Lines:          slices.DeleteFunc(lines, func(s string) bool { return s == "" }),
		Recommendation: v.recommend(req),
	}
}
