package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"schedbench/internal/words"
	"schedbench/judge"
)

// table is text in columns: the first ones hold names and are aligned to the
// left, the others hold figures and are aligned to the right.
type table struct {
	title string
	// names is how many columns hold names.
	names  int
	header []string
	rows   [][]string
	notes  []string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// compact leaves out columns of figures in which every cell is empty.
func (t *table) compact() {
	for col := len(t.header) - 1; col >= t.names; col-- {
		if slices.ContainsFunc(t.rows, func(row []string) bool { return row[col] != "" }) {
			continue
		}
		t.header = slices.Delete(t.header, col, col+1)
		for i := range t.rows {
			t.rows[i] = slices.Delete(t.rows[i], col, col+1)
		}
	}
}

// write writes the table, or nothing if it has no rows.
func (t *table) write(w io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	t.compact()
	all := append([][]string{t.header}, t.rows...)
	widths := make([]int, len(t.header))
	for _, row := range all {
		for col, cell := range row {
			widths[col] = max(widths[col], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.title)
	for i, row := range all {
		b.WriteString(t.aligned(row, widths))
		if i == 0 {
			b.WriteString(rulerFor(widths))
		}
	}
	for _, note := range t.notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// aligned returns one line.
func (t *table) aligned(row []string, widths []int) string {
	var b strings.Builder
	for col, cell := range row {
		if cell == "" && col >= t.names {
			cell = "-"
		}
		room := strings.Repeat(" ", max(0, widths[col]-utf8.RuneCountInString(cell)))
		b.WriteString("  ")
		if col < t.names {
			b.WriteString(cell + room)
		} else {
			b.WriteString(room + cell)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

func rulerFor(widths []int) string {
	var b strings.Builder
	for _, width := range widths {
		b.WriteString("  " + strings.Repeat("─", width))
	}
	return b.String() + "\n"
}

// within writes a median and how far the interval goes from it.
func within(s judge.Summary, f words.Format) string {
	if s.N == 0 {
		return ""
	}
	return words.Interval(s.Median, s.Low, s.High, f)
}
