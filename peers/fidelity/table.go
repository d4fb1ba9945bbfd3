package fidelity

import (
	"fmt"
	"io"

	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// Write writes a table for each pair: both figures, how much more the preset has, the answer.
func Write(w io.Writer, rows []Row, margin float64) error {
	title := func(r Row) string { return fmt.Sprintf("Preset %s beside its original, %s", r.Preset, r.Original) }
	for _, pair := range lists.Groups(rows, title) {
		t := &text.Table{
			Title: title(pair[0]), Names: 1,
			Header: []string{"figure", "original", "preset", "preset to original", "the same within", "the preset has"},
		}
		for _, r := range pair {
			f := r.figure
			t.Add(f.name, within(r.ByOriginal, f.format), within(r.ByPreset, f.format), r.comparison(), f.tolerance(margin), r.InWords())
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

func summary(rows []Row) string {
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
