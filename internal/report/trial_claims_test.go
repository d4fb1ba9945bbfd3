package report

import (
	"fmt"
	"slices"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// topicOf is what a verdict calls an operation.
var topicOf = map[string]string{rundata.OpInsert: "insert", rundata.OpLivePair: "AfterFunc and Stop"}

// kind is one of the kinds of claims that compare contestants.
type kind string

const (
	leads kind = "leads"   // or is in front together with others
	open  kind = "unclear" // who leads, and between what the ratio lies
	loses kind = "loses"   // to the baselines
)

// sentence is one of a kind: about a measure, or about one of those that Go has, since all losses to it hold together.
type sentence struct {
	kind  kind
	about string
}

// heard is what a verdict of a made-up run claims, held to the truth.
type heard struct {
	*madeRun
	// wrong are the false sentences: of which kind, and about what.
	wrong map[sentence]bool
	// said is how many claims of a kind there are.
	said map[kind]int
	// leads are who is said to lead, by measure and cell, and lost who is said to lose, by name, measure and cell.
	leads map[string]string
	lost  map[string]bool
	// more are the most blocks that would decide it, by measure and cell.
	more map[string]int
	// seems is in how many of aa cells a contestant seems to differ from itself.
	seems, aa int
}

// claims returns a heard without any.
func (r *madeRun) claims() *heard {
	return &heard{madeRun: r, wrong: map[sentence]bool{}, said: map[kind]int{}, leads: map[string]string{}, lost: map[string]bool{}, more: map[string]int{}}
}

// hear holds all that the sentences of a verdict are made of to the truth.
func (r *madeRun) hear(d *rundata.Data) *heard {
	v, h := Judge(d, Options{}), r.claims()
	h.seems, h.aa = v.aa()
	for _, t := range v.measures {
		for _, p := range t.cells {
			if len(p.Standings) > 1 {
				h.contest(h.cell(t.name, p.name), p.Contest)
			}
		}
	}
	for _, group := range v.lost() {
		h.losses(group)
	}
	return h
}

// say notes a claim that is to be true, as part of a sentence.
func (h *heard) say(k kind, about string, holds bool) {
	h.said[k]++
	if !holds {
		h.wrong[sentence{k, about}] = true
	}
}

// cell returns the cell of a measure and a cell.
func (h *heard) cell(measure, cell string) madeCell {
	for _, c := range h.cells {
		if topicOf[c.op] == measure && words.Count(float64(c.n)) == cell {
			return c
		}
	}
	panic(fmt.Sprintf("there is no %s with %s pending", measure, cell))
}

// ratio is how many times as long as another a contestant really takes.
func (h *heard) ratio(a, b string, c madeCell) float64 { return h.of(a, c.n) / h.of(b, c.n) }

// best is what the best really takes, of all but some.
func (h *heard) best(c madeCell, but ...string) float64 {
	least := 1e300
	for _, name := range c.names {
		if !slices.Contains(but, name) {
			least = min(least, h.of(name, c.n))
		}
	}
	return least
}

// contest holds who leads, who is in front together, and where that is unclear.
func (h *heard) contest(c madeCell, p judge.Contest) {
	measure, first := topicOf[c.op], p.First().Name
	front := append(namesOf(p.Others(judge.AsFast)), first)
	unclear := p.Others(judge.Unclear)
	switch {
	case p.Won():
		h.leads[c.named()] = first
		h.say(leads, measure, h.of(first, c.n) < h.best(c, first))
	case len(unclear) == 0:
		for _, name := range front {
			r := h.ratio(name, first, c)
			h.say(leads, measure, 1/judge.Margin < r*1.000001 && r < judge.Margin*1.000001)
		}
		h.say(leads, measure, len(front) == len(c.names) || h.of(first, c.n) < h.best(c, front...))
	default:
		for _, s := range unclear {
			h.say(open, measure, s.ToFirst.Blocks < 2 || inInterval(h.ratio(s.Name, first, c), s.ToFirst))
			h.more[c.named()] = max(h.more[c.named()], min(s.ToFirst.More(), judge.TooMany))
		}
		h.say(open, measure, slices.ContainsFunc(append(front, namesOf(unclear)...), func(name string) bool { return h.of(name, c.n) == h.best(c) }))
	}
}

// losses holds what one contestant loses to the baselines, the largest loss first: of that the interval is stated.
func (h *heard) losses(group []versus) {
	for i, a := range group {
		c := h.cell(a.measure.name, a.cell)
		r := h.ratio(a.name, a.measure.baseline, c)
		h.lost[a.name+" "+c.named()] = true
		h.say(loses, a.measure.baseline, r > 1 && (i > 0 || inInterval(r, a.Comparison)))
	}
}

// named names the measure and the cell of a cell.
func (c madeCell) named() string { return topicOf[c.op] + " " + words.Count(float64(c.n)) }

// inInterval reports whether a ratio lies in the interval of a comparison.
func inInterval(v float64, c judge.Comparison) bool { return c.Low <= v && v <= c.High }
