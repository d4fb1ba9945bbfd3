package card

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// Legend explains the entries of the table, and names the columns that do not vote.
func (t Table) Legend() string {
	said := "times the best; = as fast, ^ ahead but not clearly, ? unclear, - not measured"
	if len(t.Explain) > 0 {
		said += "; " + words.List(t.Explain) + map[bool]string{true: " does", false: " do"}[len(t.Explain) == 1] + " not vote"
	}
	return said
}

// writeTable writes the worst of each contestant in each group.
func (c *Card) writeTable(p *text.Page) {
	if len(c.Worst.Rows) == 0 {
		return
	}
	p.Printf("\n")
	p.Labelled("AT WORST", c.Worst.Legend())
	widest := lists.Most(c.Worst.Rows, func(r Row) int { return utf8.RuneCountInString(r.Name) })
	widest = min(max(widest, text.LabelWidth-2), longestName)
	columns, room := 0, Columns-widest
	for _, head := range c.Worst.Columns {
		if room -= columnWidth(head); room < 0 {
			break
		}
		columns++
	}
	write := func(name string, cells []string) {
		p.Printf("%-*s", widest, cut(name, longestName))
		for i, cell := range cells[:columns] {
			p.Printf("%*s", columnWidth(c.Worst.Columns[i]), cut(cell, longestName))
		}
		p.Printf("\n")
	}
	write("", c.Worst.Columns)
	for _, r := range c.Worst.Rows {
		write(r.Name, lists.Each(r.Cells, Cell.Text))
	}
	geometry := lists.Each(c.Geometry, func(g Geometry) string { return g.Name + ": " + g.Text })
	p.Labelled("MEASURED", strings.Join(geometry, "; "))
}

// longestName is the most letters of a name in the table.
const longestName = 15

// columnWidth is that of a column, which begins with a blank.
func columnWidth(head string) int { return max(8, 2+min(utf8.RuneCountInString(head), longestName)) }

// Text writes a cell in few letters.
func (c Cell) Text() string {
	if c.State == CellBehind {
		return Short(c.Worst.Ratio)
	}
	return cmp.Or(map[string]string{CellSame: "=", CellAhead: "^", CellUnclear: "?"}[c.State], "-")
}

func cut(s string, letters int) string {
	if r := []rune(s); len(r) > letters {
		return string(r[:letters-1]) + "…"
	}
	return s
}
