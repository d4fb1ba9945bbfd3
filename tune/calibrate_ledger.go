package tune

import (
	"math"
	"slices"

	"schedbench/judge"
)

// ledger collects samples of terms.
type ledger struct {
	entries []*entry
	byTerm  map[Term]*entry
}

// entry is a term with its samples.
type entry struct {
	term    Term
	samples []float64
}

// note takes up a sample of the term that has this name, scheduler and so on, in
// seconds.
func (l *ledger) note(of Term, value float64) {
	if l.byTerm == nil {
		l.byTerm = map[Term]*entry{}
	}
	e := l.byTerm[of]
	if e == nil {
		e = &entry{term: of}
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
func (l *ledger) term(of Term) Estimate {
	if e := l.byTerm[of]; e != nil {
		return e.fit().Seconds
	}
	return Estimate{}
}

// fit returns the term with the mean of the middle of its samples, an interval that
// holds their true median with 95 % whatever the distribution, and as the residual
// the median distance of the samples from their median. Noise may make a small
// difference negative, which no cost is.
func (e *entry) fit() Term {
	t, s := e.term, judge.Summarize(e.samples, judge.Confidence)
	t.Seconds = Estimate{max(middle(e.samples), 0), max(s.Low, 0), max(s.High, 0)}
	if !s.Bounded() {
		t.Seconds.Low, t.Seconds.High = spread(e.samples)
	}
	t.Seconds = t.Seconds.around()
	distances := make([]float64, len(e.samples))
	for i, v := range e.samples {
		distances[i] = math.Abs(v - s.Median)
	}
	if s.Median > 0 {
		t.Residual = judge.Summarize(distances, judge.Confidence).Median / s.Median
	}
	return t
}

// middle returns the mean of samples without the least sixth of them and the
// greatest. Costs tend to have two modes, for minutes now this, now that: a median
// of few samples jumps from one to the other, where CPU time over a longer time is a
// mixture. What disturbs one round is left out all the same.
func middle(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	out := len(sorted) / 6
	sum := 0.0
	for _, v := range sorted[out : len(sorted)-out] {
		sum += v
	}
	return sum / float64(len(sorted)-2*out)
}

// around returns an estimate whose interval holds its value.
func (e Estimate) around() Estimate {
	return Estimate{e.Value, min(e.Low, e.Value), max(e.High, e.Value)}
}

// spread returns the least and the greatest sample, neither below 0.
func spread(samples []float64) (low, high float64) {
	low, high = math.Inf(1), 0
	for _, v := range samples {
		low, high = min(low, max(v, 0)), max(high, v)
	}
	return low, high
}

// quantiles returns n quantiles of samples, evenly spaced from the least to the
// greatest.
func quantiles(samples []float64, n int) []float64 {
	sorted := slices.Sorted(slices.Values(samples))
	if len(sorted) == 0 {
		return nil
	}
	q := make([]float64, n)
	for i := range q {
		q[i] = quantile(sorted, float64(i)/float64(n-1))
	}
	return q
}

// quantile returns a quantile of sorted samples, between two of them in
// proportion.
func quantile(sorted []float64, share float64) float64 {
	place := share * float64(len(sorted)-1)
	i := min(int(place), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (place-float64(i))*(sorted[j]-sorted[i])
}
