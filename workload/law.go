package workload

import (
	"math"
	"math/rand/v2"
)

// law is a distribution of nanoseconds, or of parts of a delay. It has no negative values, and a greatest value.
type law interface {
	sample(r *rand.Rand) float64
	quantile(p float64) float64 // the least x with cdf(x) >= p, for p in [0, 1]
	cdf(x float64) float64      // the probability of a value of at most x
	partial(x float64) float64  // E[X; X <= x]: values beyond x count as zero
}

func least(l law) float64    { return l.quantile(0) }
func greatest(l law) float64 { return l.quantile(1) }
func mean(l law) float64     { return l.partial(math.Inf(1)) }

// constant is the law of a single value.
type constant float64

func (c constant) sample(*rand.Rand) float64 { return float64(c) }
func (c constant) quantile(float64) float64  { return float64(c) }

func (c constant) cdf(x float64) float64 {
	if x < float64(c) {
		return 0
	}
	return 1
}

func (c constant) partial(x float64) float64 { return float64(c) * c.cdf(x) }

// uniform has the same density everywhere from lo to hi; lo < hi.
type uniform struct{ lo, hi float64 }

func (u uniform) sample(r *rand.Rand) float64 { return u.quantile(r.Float64()) }

func (u uniform) quantile(p float64) float64 { return min(u.lo+float64(p*(u.hi-u.lo)), u.hi) }

func (u uniform) cdf(x float64) float64 { return clamp((x-u.lo)/(u.hi-u.lo), 0, 1) }

func (u uniform) partial(x float64) float64 {
	x = clamp(x, u.lo, u.hi)
	return (x - u.lo) / (u.hi - u.lo) * (x + u.lo) / 2
}

// logUniform is the law of a value whose logarithm is uniform; 0 < lo < hi.
type logUniform struct{ lo, hi, ratio float64 } // ratio is the logarithm of hi/lo

func (u logUniform) sample(r *rand.Rand) float64 { return u.quantile(r.Float64()) }

func (u logUniform) quantile(p float64) float64 { return clamp(u.lo*math.Exp(p*u.ratio), u.lo, u.hi) }

func (u logUniform) cdf(x float64) float64 { return min(math.Log(max(x, u.lo)/u.lo)/u.ratio, 1) }

func (u logUniform) partial(x float64) float64 { return (clamp(x, u.lo, u.hi) - u.lo) / u.ratio }

// exponential has a mean beyond its least value. It is sampled by Marsaglia's and Tsang's ziggurat (J. Stat. Softw. 5(8), 2000).
type exponential struct{ mu, from float64 }

func (e exponential) sample(r *rand.Rand) float64 { return e.from + float64(e.mu*r.ExpFloat64()) }
func (e exponential) quantile(p float64) float64  { return e.from - float64(e.mu*math.Log1p(-p)) }

func (e exponential) cdf(x float64) float64 { return -math.Expm1(-max(x-e.from, 0) / e.mu) }

func (e exponential) partial(x float64) float64 {
	if math.IsInf(x, 1) {
		return e.mu + e.from
	}
	beyond := max(x-e.from, 0)
	return e.mu*e.cdf(x) - beyond*math.Exp(-beyond/e.mu) + e.from*e.cdf(x)
}

type logNormal struct{ median, sigma float64 }

func (l logNormal) sample(r *rand.Rand) float64 { return l.median * math.Exp(l.sigma*r.NormFloat64()) }

func (l logNormal) quantile(p float64) float64 { return l.median * math.Exp(l.sigma*normalQuantile(p)) }

func (l logNormal) cdf(x float64) float64 { return normalCDF(math.Log(max(x, 0)/l.median) / l.sigma) }

func (l logNormal) partial(x float64) float64 {
	return l.median * math.Exp(l.sigma*l.sigma/2) * normalCDF(math.Log(max(x, 0)/l.median)/l.sigma-l.sigma)
}

func normalCDF(z float64) float64      { return math.Erfc(-z/math.Sqrt2) / 2 }
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// truncated is a law without the values beyond limit. All others are more likely in proportion.
type truncated struct {
	base  law
	limit float64
	kept  float64 // base.cdf(limit)
}

func (t truncated) sample(r *rand.Rand) float64 {
	if t.kept > 0.5 {
		for {
			if x := t.base.sample(r); x <= t.limit {
				return x
			}
		}
	}
	return t.quantile(r.Float64())
}

func (t truncated) quantile(p float64) float64 {
	if p >= 1 {
		return t.limit
	}
	return min(t.base.quantile(p*t.kept), t.limit)
}

func (t truncated) cdf(x float64) float64 { return t.base.cdf(min(x, t.limit)) / t.kept }

func (t truncated) partial(x float64) float64 { return t.base.partial(min(x, t.limit)) / t.kept }

func clamp(x, lo, hi float64) float64 { return max(lo, min(x, hi)) }
