package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"schedbench/internal/report/card"
)

// answer is the card of a run as a page shows it.
type answer struct {
	Headline   string
	Paragraphs []labelled
	Legend     string
	Columns    []string
	Rows       []worstRow
	Checked    string
	Open       []card.Open
}

// labelled is what stands beside a label, line by line.
type labelled struct {
	Label, Class string
	Lines        []string
}

// worstRow has the worst of one contestant in each group.
type worstRow struct {
	Name  string
	Cells []worstCell
}

// worstCell is one of its cells; Spot says where its figure comes from.
type worstCell struct{ Text, Spot, Sort, Heat string }

// heatOf returns the class of a cell's colour: h0 is as good as the best, h4 more than 30 times as much.
func heatOf(c card.Cell) string {
	switch c.State {
	case card.CellSame, card.CellFront:
		return "h0"
	case card.CellBehind:
		for i, most := range []float64{1.5, 4, 10, 30} {
			if float64(c.Worst.Ratio) < most {
				return "h" + strconv.Itoa(i+1)
			}
		}
		return "h5"
	}
	return ""
}

func answerOf(c card.Card) answer {
	first := []string{"WRONG", "DO NOT TRUST", "TAKE", "IF YOU TICK", "UNLESS", "NEEDED?"}
	a := answer{Headline: c.Headline(), Legend: card.Legend, Columns: c.Worst.Columns, Checked: c.Checked(), Open: c.Open}
	for _, p := range c.Answers() {
		said := labelled{Label: p.Label, Class: strings.ReplaceAll(strings.ToLower(p.Label), " ", "-"), Lines: strings.Split(p.Text, "\n")}
		if p.Label == "TAKE" { // in large letters, but what is in brackets
			if whom, more, found := strings.Cut(p.Text, " ("); found {
				said.Lines = []string{whom, "(" + more}
			}
		}
		a.Paragraphs = append(a.Paragraphs, said)
	}
	rank := func(l labelled) int { return (slices.Index(first, l.Label) + len(first) + 1) % (len(first) + 1) }
	slices.SortStableFunc(a.Paragraphs, func(x, y labelled) int { return cmp.Compare(rank(x), rank(y)) })
	for _, row := range c.Worst.Rows {
		r := worstRow{Name: row.Name}
		for _, cell := range row.Cells {
			r.Cells = append(r.Cells, worstCell{Text: cell.Text(), Spot: cell.Spot(), Sort: sortOf(cell), Heat: heatOf(cell)})
		}
		a.Rows = append(a.Rows, r)
	}
	return a
}

// sortOf returns the times the best of a cell, by which a page sorts; "" if that is unclear.
func sortOf(c card.Cell) string {
	switch c.State {
	case card.CellBehind:
		return strconv.FormatFloat(float64(c.Worst.Ratio), 'g', -1, 64)
	case card.CellSame, card.CellFront:
		return "1"
	}
	return ""
}
