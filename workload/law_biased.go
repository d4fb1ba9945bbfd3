package workload

import (
	"math"
	"math/rand/v2"
)

// sampler draws a value.
type sampler func(r *rand.Rand) float64

// lengthBiased returns a sampler of the delays that are found pending when a
// program in its steady state is looked at: a delay of an hour is found 3600
// times as often as one of a second that is scheduled as often. This is the
// inspection paradox of renewal theory (W. Feller, An Introduction to
// Probability Theory, volume 2, section I.4).
func lengthBiased(l law) sampler {
	switch l := l.(type) {
	case constant:
		return func(*rand.Rand) float64 { return float64(l) }
	case *levels:
		weights := make([]float64, len(l.values))
		for i, v := range l.values {
			weights[i] = v * l.weights[i]
		}
		pick := newAlias(normalized(weights))
		return func(r *rand.Rand) float64 { return l.values[pick.pick(r)] }
	case *mixture:
		parts, weights := make([]sampler, len(l.parts)), make([]float64, len(l.parts))
		for i, p := range l.parts {
			parts[i], weights[i] = lengthBiased(p), l.weights[i]*mean(p)
		}
		pick := newAlias(normalized(weights))
		return func(r *rand.Rand) float64 { return parts[pick.pick(r)](r) }
	}
	return biasedByStrata(l)
}

// biasedByStrata draws by rejection within strata of probability. A stratum is
// picked by its width times its greatest value, and a value of it accepted in
// proportion to itself, so the law is exact. Strata become narrower towards 1,
// where values may grow without measure, so that few draws are rejected.
func biasedByStrata(l law) sampler {
	edges := []float64{0}
	const even, halvings, perHalving = 64, 44, 8
	for i := range even {
		edges = append(edges, float64(i+1)/even/2)
	}
	for i := range halvings * perHalving {
		edges = append(edges, 1-math.Exp2(-1-float64(i+1)/perHalving))
	}
	edges = append(edges, 1)
	tops, weights := make([]float64, len(edges)-1), make([]float64, len(edges)-1)
	for i := range tops {
		tops[i] = l.quantile(edges[i+1])
		weights[i] = (edges[i+1] - edges[i]) * tops[i]
	}
	pick := newAlias(normalized(weights))
	return func(r *rand.Rand) float64 {
		for {
			i := pick.pick(r)
			x := l.quantile(edges[i] + r.Float64()*(edges[i+1]-edges[i]))
			if r.Float64()*tops[i] <= x {
				return x
			}
		}
	}
}
