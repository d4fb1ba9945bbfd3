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
	card.Card
	Paragraphs []labelled
}

// labelled is what stands beside a label, line by line.
type labelled struct {
	Label, Class string
	Lines        []string
}

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

func answerOf(c card.Card) answer {
	first := []string{"WRONG", "DO NOT TRUST", "TAKE", "NEEDED?", "IF YOU TICK", "UNLESS"}
	a := answer{Card: c}
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
	return a
}

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
