package fidelity

import (
	"fmt"
	"io"
	"strings"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/text"
)

// Write writes a table for each pair: a row for each figure, with both, how much more the
// preset has, and whether that is as the original.
func Write(w io.Writer, rows []Row, margin float64) error {
	tables := map[Pair]*text.Table{}
	var order []Pair
	for i := range rows {
		r := &rows[i]
		t := tables[r.Pair]
		if t == nil {
			t = &text.Table{
				Title: fmt.Sprintf("Preset %s beside its original, %s", r.Preset, r.Original), Names: 1,
				Header: []string{"figure", "original", "preset", "preset to original", "the preset has"},
			}
			tables[r.Pair] = t
			order = append(order, r.Pair)
		}
		t.Add(r.Figure, within(r.ByOriginal, r.figure.format), within(r.ByPreset, r.figure.format), r.comparison(), r.Told())
	}
	for _, p := range order {
		if err := tables[p].Write(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", summary(rows), terms(margin))
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
	return fmt.Sprintf("Of %d figures, %d of a preset are as those of the original, %d are more, %d are less, and %d cannot be told.",
		len(rows), count[judge.AsFast], count[judge.Slower], count[judge.Faster], count[judge.CannotTell])
}

// terms says what counts as the same.
func terms(margin float64) string {
	var small []string
	for _, f := range figures() {
		small = append(small, fmt.Sprintf("%s %s", f.name, words.Trimmed(f.format(f.same))))
	}
	return fmt.Sprintf("As the original: within %s, or by a difference that does not matter: %s. Idle figures are beyond those of the process without timers. Intervals hold together with %s.",
		words.Trimmed(words.Percent(margin-1)), strings.Join(small, ", "), words.Trimmed(words.Percent(judge.Confidence)))
}
