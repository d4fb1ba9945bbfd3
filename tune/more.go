package tune

import (
	"math"
	"slices"

	"schedbench/judge"
)

// spending is a cost that a prediction counts so many times a second: of a scheduler or
// a way of waiting, at what it is estimated to be.
type spending struct {
	name, of string
	each     judge.Estimate
	count    float64
}

// spend counts a cost, of which there may be some already.
func (p *Prediction) spend(s spending) {
	if i := slices.IndexFunc(p.spent, s.same); i >= 0 {
		p.spent[i].count += s.count
	} else if s.count > 0 {
		p.spent = append(p.spent, s)
	}
}

// same reports whether another is of the same cost.
func (s spending) same(other spending) bool {
	return s.name == other.name && s.of == other.of && s.each == other.each
}

// spends returns what makes up the CPU share of a prediction.
func (p *Prediction) spends() []spending {
	if p.spent == nil {
		return []spending{{of: p.Config.String(), each: p.CPU, count: 1}}
	}
	return p.spent
}

// moreCPU returns how much more CPU time p is predicted to take than q. A cost that both
// count is the same for both, whatever it is: only by how much more often it occurs
// does it leave anything open, where two predictions by themselves would leave it
// open twice. Terms are fitted apart from each other.
func (p *Prediction) moreCPU(q *Prediction) (more judge.Estimate) {
	below, above := 0.0, 0.0
	add := func(count float64, each judge.Estimate) {
		more.Value += count * each.Value
		down, up := count*(each.Value-each.Low), count*(each.High-each.Value)
		if count < 0 {
			down, up = -up, -down
		}
		below, above = math.Hypot(below, down), math.Hypot(above, up)
	}
	others := q.spends()
	for _, s := range p.spends() {
		add(s.count-countOf(others, s), s.each)
	}
	for _, s := range others {
		if countOf(p.spends(), s) == 0 {
			add(-s.count, s.each)
		}
	}
	more.Low, more.High = more.Value-below, more.Value+above
	return more
}

// countOf returns how often a cost is among some.
func countOf(all []spending, of spending) float64 {
	if i := slices.IndexFunc(all, of.same); i >= 0 {
		return all[i].count
	}
	return 0
}

// comparedTo says whether p is predicted to take more CPU time than q, less or as much, or
// whether the costs of the machine are not known well enough to tell. Differences of no
// more than worth count as none.
func (p *Prediction) comparedTo(q *Prediction, worth float64) judge.Answer {
	return p.moreCPU(q).Answer(worth)
}
