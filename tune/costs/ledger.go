package costs

import (
	"schedbench/judge"
)

// ledger collects samples of terms.
type ledger struct {
	entries []*sampledTerm
	byTerm  map[Term]*sampledTerm
}

// sampledTerm is a term with its samples.
type sampledTerm struct {
	term    Term
	samples []float64
}

// note takes up a sample of the term that has this name, scheduler and so on, in
// seconds.
func (l *ledger) note(of Term, value float64) {
	if l.byTerm == nil {
		l.byTerm = map[Term]*sampledTerm{}
	}
	e := l.byTerm[of]
	if e == nil {
		e = &sampledTerm{term: of}
		l.byTerm[of] = e
		l.entries = append(l.entries, e)
	}
	e.samples = append(e.samples, value)
}

// terms returns the fitted terms, in the order of their first samples.
func (l *ledger) terms() (terms []Term) {
	for _, e := range l.entries {
		terms = append(terms, e.fit())
	}
	return terms
}

// term returns what has been fitted of a term so far.
func (l *ledger) term(of Term) judge.Estimate {
	if e := l.byTerm[of]; e != nil {
		return e.fit().Seconds
	}
	return judge.Estimate{}
}

// fit returns the term with the mean of the middle of its samples, an interval that
// holds their true median with 95 % whatever the distribution, and as the residual
// their scatter. Noise may make a small difference negative, which no cost is.
func (e *sampledTerm) fit() Term {
	t := e.term
	t.Seconds = judge.TrimmedMean(e.samples).AtLeast(0)
	if median := judge.Median(e.samples).Value; median > 0 {
		t.Residual = judge.Scatter(e.samples) / median
	}
	return t
}
