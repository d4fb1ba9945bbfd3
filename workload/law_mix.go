package workload

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"schedbench/internal/lists"
)

// alias picks one of several by weight in constant time: the method of A. J. Walker (ACM TOMS 3(3), 1977), its table
// filled as M. D. Vose has it (IEEE Transactions on Software Engineering 17(9), 1991).
type alias []aliasColumn

// aliasColumn stands for itself with probability keep, else for other.
type aliasColumn struct {
	keep  float64
	other int
}

// newAlias makes the table; weights add up to one.
func newAlias(weights []float64) alias {
	columns := make(alias, len(weights))
	var small, large []int
	for i, w := range weights {
		columns[i] = aliasColumn{w * float64(len(weights)), i}
		if columns[i].keep < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		columns[s].other = l
		columns[l].keep -= 1 - columns[s].keep
		if columns[l].keep < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return columns
}

func (a alias) pick(r *rand.Rand) int {
	if len(a) == 1 {
		return 0
	}
	x := r.Float64() * float64(len(a))
	i := int(x)
	if c := &a[i]; x-float64(i) >= c.keep {
		return c.other
	}
	return i
}

// normalized returns the weights scaled to add up to one.
func normalized(weights []float64) []float64 {
	var sum float64
	for _, w := range weights {
		sum += w
	}
	return lists.Each(weights, func(w float64) float64 { return w / sum })
}

// mixture draws from one of several laws, picked by weight.
type mixture struct {
	parts   []law
	weights []float64
	alias   alias
	lo, hi  float64
}

func newMixture(parts []law, weights []float64) *mixture {
	weights = normalized(weights)
	return &mixture{parts, weights, newAlias(weights), slices.Min(lists.Each(parts, least)), slices.Max(lists.Each(parts, greatest))}
}

// newLevels returns the law of a few weighted values, such as the 18 levels by which a broker delays messages.
func newLevels(values, weights []float64) *mixture {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return newMixture(lists.Each(order, func(i int) law { return constant(values[i]) }), lists.Each(order, func(i int) float64 { return weights[i] }))
}

func (m *mixture) sample(r *rand.Rand) float64 { return m.parts[m.alias.pick(r)].sample(r) }

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
		pick := newAlias(normalized(weights))
		return func(r *rand.Rand) float64 { return parts[pick.pick(r)](r) }
	}
	return biasedByStrata(l)
}

// biasedByStrata draws by rejection within strata of probability, picked by width times greatest value: the law is exact.
// Strata become narrower towards 1, where values may grow without bound: few draws are rejected.
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
