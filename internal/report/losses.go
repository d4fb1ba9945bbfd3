package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// lossQuestion is who is slower than what Go has, and how much.
var lossQuestion = question{
	section:   whichFastest,
	heading:   "Who is slower than what Go has?",
	sentences: (*view).losses,
}

// versus is how a contender compares with the baseline of a topic at a place.
type versus struct {
	name  string
	topic topic
	place string
	judge.Comparison
}

// againstBaselines compares all contenders with Go's own at each place. All that is
// said of one of these holds together, since the largest loss is said first.
func (v *view) againstBaselines() (all []versus) {
	var pairs []judge.Pair
	var at []int // places in both
	for _, t := range v.topics {
		for _, p := range t.places {
			i := slices.IndexFunc(p.contenders, func(c judge.Contender) bool { return c.Name == t.baseline })
			for _, c := range p.contenders {
				if i >= 0 && c.Name != t.baseline {
					at = append(at, len(all))
					all = append(all, versus{name: c.Name, topic: t, place: p.name})
					pairs = append(pairs, judge.Pair{A: c.Blocks, B: p.contenders[i].Blocks, Terms: v.terms(t, p, 1)})
				}
			}
		}
	}
	for _, of := range grouped(at, func(int) bool { return true }, func(i int) string { return all[i].topic.baseline }) {
		var together []judge.Pair
		stated := map[string]bool{} // of each contender one interval is
		for _, i := range of {
			together, stated[all[i].name] = append(together, pairs[i]), true
		}
		for i, c := range judge.CompareTogether(together, len(stated)) {
			all[of[i]].Comparison = c
		}
	}
	return all
}

// sentence names the sentence that a comparison is in.
func (a versus) sentence() string { return a.name + " loses to " + a.topic.baseline }

// lost returns the losses to what Go has, those of a contender to one of these together, the
// largest first.
func (v *view) lost() [][]versus {
	all := slices.DeleteFunc(v.againstBaselines(), func(a versus) bool { return a.Answer != judge.Slower })
	slices.SortStableFunc(all, func(a, b versus) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return grouped(all, func(versus) bool { return true }, versus.sentence)
}

// losses says who loses to what Go has, and where most, the largest loss first.
func (v *view) losses() (lines []string) {
	for _, group := range v.lost() {
		worst := group[0]
		line := fmt.Sprintf("%s: it takes %s %s at %s", worst.sentence(), factorOf(worst.Comparison), worst.topic.takes, worst.spot())
		if more := len(group) - 1; more > 0 {
			line += fmt.Sprintf(", and significantly more in %s", words.Many(more, "other comparison"))
		}
		lines = append(lines, line+".")
	}
	return lines
}

// spot names the topic and the place of a comparison.
func (a versus) spot() string { return a.topic.name + " " + fmt.Sprintf(a.topic.where, a.place) }

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
	for _, a := range v.againstBaselines() {
		add(a.topic, a.place, a.name, a.topic.baseline, a.Comparison)
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
