package fidelity

import (
	"fmt"
	"io"

	"schedbench/internal/judge"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// Write writes a table for each pair, whose rows follow each other: a row for each figure, with both, how much more the
// preset has, and whether that is as the original.
func Write(w io.Writer, rows []Row, margin float64) error {
	var tables []*text.Table
	for i := range rows {
		r := &rows[i]
		if i == 0 || r.Pair != rows[i-1].Pair {
			tables = append(tables, &text.Table{
				Title: fmt.Sprintf("Preset %s beside its original, %s", r.Preset, r.Original), Names: 1,
				Header: []string{"figure", "original", "preset", "preset to original", "the same within", "the preset has"},
			})
		}
		tables[len(tables)-1].Add(r.figure.name, within(r.ByOriginal, r.figure.format), within(r.ByPreset, r.figure.format), r.comparison(), r.figure.tolerance(margin), r.InWords())
	}
	for _, t := range tables {
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

// summary counts the answers.
func summary(rows []Row) string {
	count := map[judge.Answer]int{}
	for _, r := range rows {
		count[r.Answer]++
	}
	return fmt.Sprintf("Of %d figures of presets, %d are as the original's, %d are more, %d are less, and %d are unclear.",
		len(rows), count[judge.AsFast], count[judge.Slower], count[judge.Faster], count[judge.Unclear])
}

// tolerance says what counts as the same.
func (f *figure) tolerance(margin float64) string {
	small := words.Trimmed(f.format(f.same))
	if f.nothing {
		return small
	}
	return words.Share(margin-1) + " or " + small
}
