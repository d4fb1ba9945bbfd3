package fidelity

import (
	"fmt"
	"io"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// Write compares each pair in every figure that both have, and writes a table for each: both figures, how much more the preset has,
// the answer. A ratio up to the margin counts as none.
func Write(w io.Writer, d *rundata.Data, pairs []Pair, margin float64) error {
	rows := compare(d, pairs, margin)
	title := func(r row) string { return fmt.Sprintf("Preset %s beside its original, %s", r.Preset, r.Original) }
	for _, pair := range lists.Groups(rows, title) {
		t := &text.Table{
			Title: title(pair[0]), Names: 1,
			Header: []string{"figure", "original", "preset", "preset to original", "the same within", "the preset has"},
		}
		for _, r := range pair {
			t.Add(r.name, within(r.byOriginal, r.format), within(r.byPreset, r.format), r.comparison(), r.tolerance(margin), r.inWords())
		}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s\nIdle figures are beyond those of the process without timers. All answers hold together with %s.\n",
		summary(rows), words.Share(judge.Confidence))
	return err
}

func within(s judge.Summary, f words.Format) string {
	return words.Interval(s.Median, s.Low, s.High, f)
}

func summary(rows []row) string {
	count := map[judge.Answer]int{}
	for _, r := range rows {
		count[r.Answer]++
	}
	return fmt.Sprintf("Of %d figures of presets, %d are as the original's, %d are more, %d are less, and %d are unclear.",
		len(rows), count[judge.AsFast], count[judge.Slower], count[judge.Faster], count[judge.Unclear])
}

func (f *figure) tolerance(margin float64) string {
	small := words.Trimmed(f.format(f.same))
	if f.nothing {
		return small
	}
	return words.Share(margin-1) + " or " + small
}
