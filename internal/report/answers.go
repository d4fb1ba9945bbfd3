package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
)

// WriteAnswers writes every comparison behind the verdict as CSV: who was compared with
// whom in which question and at which place, the ratio with its interval, by how many
// blocks, the answer, and how many more blocks would decide it.
func WriteAnswers(w io.Writer, d *rundata.Data, opt Options) error {
	v := newView(d, opt)
	rows := [][]string{{"question", "place", "contender", "against", "ratio", "low", "high", "blocks", "answer", "more-blocks"}}
	add := func(t topic, place, name, other string, c judge.Comparison) {
		rows = append(rows, append([]string{t.name, fmt.Sprintf(t.where, place), name, other}, fields(c)...))
	}
	for _, t := range v.topics {
		for _, p := range t.places {
			for _, s := range p.Standings[min(1, len(p.Standings)):] {
				add(t, p.name, s.Name, p.First().Name, s.ToFirst)
			}
		}
	}
	for _, a := range v.againstYardsticks() {
		add(a.topic, a.place, a.name, a.topic.yardstick, a.Comparison)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteRegret writes the worst factor of each contender to the best, for each
// question, and where, as CSV.
func WriteRegret(w io.Writer, d *rundata.Data, opt Options) error {
	v := newView(d, opt)
	rows := [][]string{{"contender", "question", "place", "against", "ratio", "low", "high", "blocks", "answer", "more-blocks"}}
	topics := v.choices()
	regrets := v.worstOf(topics)
	for _, name := range v.names {
		for i, t := range topics {
			if r, known := regrets[i][name]; known {
				rows = append(rows, append([]string{name, t.name, r.Place, r.First}, fields(r.ToFirst)...))
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// fields writes a comparison.
func fields(c judge.Comparison) []string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
	return []string{f(c.Ratio), f(c.Low), f(c.High), strconv.Itoa(c.Blocks), c.Answer.String(), strconv.Itoa(c.More())}
}
