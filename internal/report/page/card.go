package page

import (
	"slices"
	"strconv"
	"strings"

	"schedbench/internal/report/card"
)

// heatOf returns the class of a cell's colour: h0 is as good as the best, h4 more than 30 times as much.
func heatOf(c card.Cell) string {
	switch c.State {
	case card.CellSame, card.CellAhead:
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

// paragraphsOf returns the answers of a card, in the order of a page.
func paragraphsOf(c card.Card) []card.Paragraph {
	order := []string{"WRONG", "DO NOT TRUST", "TAKE", "NEEDED?", "IF YOU TICK", "UNLESS", "CAUTION", "BECAUSE", "YOUR OWN"}
	return slices.SortedStableFunc(slices.Values(c.Answers()), func(a, b card.Paragraph) int {
		return slices.Index(order, a.Label) - slices.Index(order, b.Label)
	})
}

// linesOf returns the lines of a paragraph. What to take is in large letters, but what is in brackets.
func linesOf(p card.Paragraph) []string {
	if name, more, found := strings.Cut(p.Text, " ("); found && p.Label == "TAKE" {
		return []string{name, "(" + more}
	}
	return strings.Split(p.Text, "\n")
}

func classOf(label string) string { return strings.ReplaceAll(strings.ToLower(label), " ", "-") }

// sortOf returns the times the best of a cell, by which a page sorts; "" if that is unclear.
func sortOf(c card.Cell) string {
	switch c.State {
	case card.CellBehind:
		return strconv.FormatFloat(float64(c.Worst.Ratio), 'g', -1, 64)
	case card.CellSame, card.CellAhead:
		return "1"
	}
	return ""
}
