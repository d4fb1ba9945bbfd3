package workload

import (
	"math/rand/v2"
	"sort"
)

// measuredLaw is the law of measured values: its quantiles run along straight lines
// from each value to the next, the least at 0 and the greatest at 1, evenly
// spaced in probability. Equal values make a step.
type measuredLaw struct {
	values []float64 // ascending, not empty
	areas  []float64 // areas[i] is the sum of the means of neighbours up to values[i]
}

func newMeasuredLaw(ascending []float64) *measuredLaw {
	t := &measuredLaw{ascending, make([]float64, len(ascending))}
	for i := 1; i < len(ascending); i++ {
		t.areas[i] = t.areas[i-1] + (ascending[i-1]+ascending[i])/2
	}
	return t
}

func (t *measuredLaw) sample(r *rand.Rand) float64 { return t.quantile(r.Float64()) }

func (t *measuredLaw) quantile(p float64) float64 {
	last := len(t.values) - 1
	x := p * float64(last)
	i := int(x)
	if i >= last {
		return t.values[last]
	}
	return t.values[i] + float64((x-float64(i))*(t.values[i+1]-t.values[i]))
}

// place returns how many values are at most x, and how far x is on the way to
// the next one.
func (t *measuredLaw) place(x float64) (n int, part float64) {
	n = sort.Search(len(t.values), func(i int) bool { return t.values[i] > x })
	if n > 0 && n < len(t.values) {
		part = (x - t.values[n-1]) / (t.values[n] - t.values[n-1])
	}
	return n, part
}

func (t *measuredLaw) cdf(x float64) float64 {
	n, part := t.place(x)
	switch n {
	case 0:
		return 0
	case len(t.values):
		return 1
	}
	return (float64(n-1) + part) / float64(len(t.values)-1)
}

func (t *measuredLaw) partial(x float64) float64 {
	if len(t.values) == 1 {
		return constant(t.values[0]).partial(x)
	}
	n, part := t.place(x)
	if n == 0 {
		return 0
	}
	sum := t.areas[n-1]
	if part > 0 {
		sum += part * (t.values[n-1] + x) / 2
	}
	return sum / float64(len(t.values)-1)
}
