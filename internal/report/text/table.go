package text

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"schedbench/internal/lists"
)

// Table is text in columns: the first ones hold names and are aligned to the left, the others hold figures and are aligned to
// the right.
type Table struct {
	Title string
	// Names is how many columns hold names.
	Names  int
	Header []string
	rows   [][]string
	Notes  []string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Rows returns how many rows there are.
func (t *Table) Rows() int { return len(t.rows) }

// Grid returns the header and, after it, the rows as they are shown: without columns of figures in
// which every cell is empty, and with a dash where a figure is missing.
func (t *Table) Grid() [][]string {
	all := append([][]string{t.Header}, t.rows...)
	grid := make([][]string, len(all))
	for col := range t.Header {
		figures := col >= t.Names
		if figures && !slices.ContainsFunc(t.rows, func(row []string) bool { return row[col] != "" }) {
			continue
		}
		for i, row := range all {
			cell := row[col]
			if figures && i > 0 {
				cell = cmp.Or(cell, "-")
			}
			grid[i] = append(grid[i], cell)
		}
	}
	return grid
}

// Write writes the table, or nothing if it has no rows.
func (t *Table) Write(w io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	grid := t.Grid()
	widths := make([]int, len(grid[0]))
	for _, row := range grid {
		for col, cell := range row {
			widths[col] = max(widths[col], utf8.RuneCountInString(cell))
		}
	}
	ruler := lists.Each(widths, func(width int) string { return strings.Repeat("─", width) })
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.Title)
	for _, row := range slices.Insert(grid, 1, ruler) {
		var line strings.Builder
		for col, cell := range row {
			width := widths[col]
			if col < t.Names {
				width = -width // to the left
			}
			fmt.Fprintf(&line, "  %*s", width, cell)
		}
		fmt.Fprintln(&b, strings.TrimRight(line.String(), " "))
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}
