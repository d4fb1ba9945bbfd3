package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"schedbench/internal/lists"
)

// picker picks one of several by weight, in logarithmic time: it has the sum of the weights up to each.
type picker []float64

func newPicker(weights []float64) (p picker) {
	sum := 0.0
	for _, w := range weights {
		sum += w
		p = append(p, sum)
	}
	return p
}

func (p picker) pick(r *rand.Rand) int {
	x := r.Float64() * p[len(p)-1]
	return sort.Search(len(p)-1, func(i int) bool { return p[i] > x })
}

// mixture draws from one of several laws, picked by weight.
type mixture struct {
	parts   []law
	weights []float64 // add up to one
	picker  picker
	lo, hi  float64
}

func newMixture(parts []law, weights []float64) *mixture {
	p := newPicker(weights)
	weights = lists.Each(weights, func(w float64) float64 { return w / p[len(p)-1] })
	return &mixture{parts, weights, p, slices.Min(lists.Each(parts, least)), slices.Max(lists.Each(parts, greatest))}
}

// newLevels returns the law of a few weighted values, such as the 18 levels by which a broker delays messages.
func newLevels(values, weights []float64) *mixture {
	return newMixture(lists.Each(values, func(v float64) law { return constant(v) }), weights)
}

func (m *mixture) sample(r *rand.Rand) float64 { return m.parts[m.picker.pick(r)].sample(r) }

// quantile searches by bisection, down to neighbouring numbers.
func (m *mixture) quantile(p float64) float64 {
	lo, hi := m.lo, m.hi
	if p <= 0 || m.cdf(lo) >= p {
		return lo
	}
	for {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			return hi
		}
		if m.cdf(mid) >= p {
			hi = mid
		} else {
			lo = mid
		}
	}
}

func (m *mixture) cdf(x float64) (sum float64) {
	if x >= m.hi {
		return 1
	}
	for i, p := range m.parts {
		sum += m.weights[i] * p.cdf(x)
	}
	return min(sum, 1)
}

func (m *mixture) partial(x float64) (sum float64) {
	for i, p := range m.parts {
		sum += m.weights[i] * p.partial(x)
	}
	return sum
}

type sampler func(r *rand.Rand) float64

// lengthBiased returns a sampler of the delays pending at an instant of the steady state: an hour is pending 3600 times as
// often as a second (W. Feller, An Introduction to Probability Theory, volume 2, section I.4, the inspection paradox).
func lengthBiased(l law) sampler {
	switch l := l.(type) {
	case constant:
		return func(*rand.Rand) float64 { return float64(l) }
	case *mixture:
		parts, weights := make([]sampler, len(l.parts)), make([]float64, len(l.parts))
		for i, p := range l.parts {
			parts[i], weights[i] = lengthBiased(p), l.weights[i]*mean(p)
		}
		picker := newPicker(weights)
		return func(r *rand.Rand) float64 { return parts[picker.pick(r)](r) }
	}
	return biasedByStrata(l)
}

// biasedByStrata draws by rejection within strata of probability, picked by width times greatest value: the law is exact.
// Strata become narrower towards 1, where values may grow without bound: few draws are rejected.
func biasedByStrata(l law) sampler {
	var edges []float64
	const halvings, perHalving = 45, 16
	for i := range halvings * perHalving {
		edges = append(edges, 1-math.Exp2(-float64(i)/perHalving))
	}
	edges = append(edges, 1)
	tops, weights := make([]float64, len(edges)-1), make([]float64, len(edges)-1)
	for i := range tops {
		tops[i] = l.quantile(edges[i+1])
		weights[i] = (edges[i+1] - edges[i]) * tops[i]
	}
	picker := newPicker(weights)
	return func(r *rand.Rand) float64 {
		for {
			i := picker.pick(r)
			x := l.quantile(edges[i] + r.Float64()*(edges[i+1]-edges[i]))
			if r.Float64()*tops[i] <= x {
				return x
			}
		}
	}
}
