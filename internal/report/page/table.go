package page

import (
	"strconv"
	"strings"

	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// table is a table as a page shows it.
type table struct {
	Title  string
	Header []tableCell
	// Groups are rows that stay together when the others are sorted: one, and those that say more of it.
	Groups [][]tableRow
	Notes  []string
}

type tableRow struct {
	More  bool
	Cells []tableCell
}

// tableCell is one of a row. Sort is its figure as a number, "" if it is none.
type tableCell struct {
	Text, Sort string
	Name       bool
	// Brief says that it is one word, which is not broken at a hyphen.
	Brief bool
}

// tableOf turns a table of text into one of a page. Rows that say more of the one above
// are those that begin with a space.
func tableOf(t *text.Table) table {
	header, rows := t.Grid()
	of := table{Title: t.Title, Notes: t.Notes}
	for i, head := range header {
		of.Header = append(of.Header, tableCell{Text: head, Name: i < t.Names, Brief: !strings.Contains(head, " ")})
	}
	for _, texts := range rows {
		r := tableRow{More: strings.HasPrefix(texts[0], " ")}
		for i, s := range texts {
			c := tableCell{Text: strings.TrimSpace(s), Name: i < t.Names}
			if v, ok := words.Figure(c.Text); ok && !r.More { // which stays under its row
				c.Sort = strings.Replace(strconv.FormatFloat(v, 'g', 6, 64), "e+", "e", 1) // a plus would be escaped
			}
			r.Cells = append(r.Cells, c)
		}
		if last := len(of.Groups) - 1; r.More && last >= 0 {
			of.Groups[last] = append(of.Groups[last], r)
			continue
		}
		of.Groups = append(of.Groups, []tableRow{r})
	}
	return of
}
