package workload

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxParts is the most distributions in a mixture, over all levels: a search for a quantile takes time for each.
const maxParts = 64

// ParseDistribution reads a distribution in the form of profiles, such as uniform(1s, 2s).
func ParseDistribution(text string) (Distribution, error) {
	e, err := parseExpr(text)
	if err != nil {
		return Distribution{}, err
	}
	b := builder{}
	l, err := b.law(e)
	return Distribution{law: l, text: text, relative: b.relative}, err
}

// Uniform returns the distribution of equally likely durations from lo to hi; the single duration lo unless hi is longer.
func Uniform(lo, hi time.Duration) Distribution {
	d := Distribution{law: constant(lo), text: fmt.Sprintf("uniform(%v, %v)", lo, hi)}
	if lo < hi {
		d.law = uniform{float64(lo), float64(hi)}
	}
	return d
}

type builder struct {
	parts              int
	absolute, relative bool // durations were read, or percentages of the delay
}

// value reads a duration in nanoseconds, or a percentage of the delay. An expression has only one or the other.
func (b *builder) value(e expr) (x float64, err error) {
	if e.call {
		return 0, fmt.Errorf("%s(...) stands where a duration is due", e.word)
	}
	if strings.HasSuffix(e.word, "%") {
		b.relative = true
		x, err = parseShare(e.word)
	} else {
		b.absolute = true
		var d time.Duration
		d, err = parseDuration(e.word)
		x = float64(d)
	}
	if err == nil && b.relative && b.absolute {
		err = fmt.Errorf("percentages of the delay and durations are mixed")
	}
	return x, err
}

func (b *builder) law(e expr) (law, error) {
	if b.parts++; b.parts > maxParts {
		return nil, fmt.Errorf("more than %d distributions in one", maxParts)
	}
	if !e.call {
		x, err := b.value(e)
		return constant(x), err
	}
	c := &call{name: e.word, args: e.args}
	l := b.call(c)
	if c.err != nil {
		return nil, fmt.Errorf("%s: %w", e.word, c.err)
	}
	return l, nil
}

// call makes the law of a call. After an error the law is of no use.
func (b *builder) call(c *call) law {
	switch c.name {
	case "constant":
		x := b.required(c, "value", 0)
		c.end()
		return constant(x)
	case "uniform", "loguniform":
		return b.interval(c)
	case "exponential":
		return b.exponential(c)
	case "lognormal":
		return b.logNormal(c)
	case "levels":
		values, weights := weighted(c, b.value)
		if c.err == nil {
			return newLevels(values, weights)
		}
	case "mix":
		parts, weights := weighted(c, b.law)
		if c.err == nil {
			return newMixture(parts, weights)
		}
	default:
		c.check(false, "unknown distribution; there are constant, uniform, loguniform, exponential, lognormal, levels and mix")
	}
	return nil
}

func (b *builder) read(c *call, e expr) (x float64) {
	if c.err == nil {
		x, c.err = b.value(e)
	}
	return x
}

func (b *builder) required(c *call, key string, position int) float64 {
	e, ok := c.take(key, position)
	c.check(ok, "%s is missing", key)
	return b.read(c, e)
}

func (b *builder) optional(c *call, key string, otherwise float64) float64 {
	if e, ok := c.take(key, -1); ok {
		return b.read(c, e)
	}
	return otherwise
}

func (b *builder) interval(c *call) law {
	lo, hi := b.required(c, "min", 0), b.required(c, "max", 1)
	c.end()
	c.check(lo < hi, "min must be less than max")
	if c.name == "uniform" {
		return uniform{lo, hi}
	}
	c.check(lo > 0, "min must be more than 0")
	return logUniform{lo, hi, math.Log(hi / lo)}
}

func (b *builder) exponential(c *call) law {
	mu := b.required(c, "mean", 0)
	c.check(mu > 0, "mean must be more than 0")
	from := b.optional(c, "min", 0)
	return b.truncated(c, exponential{mu, from}, from+50*mu)
}

// truncated takes max and cuts l off there. Without max it cuts at far.
func (b *builder) truncated(c *call, l law, far float64) law {
	longest := float64(maxDuration)
	if b.relative {
		longest = 1
	}
	limit := b.optional(c, "max", min(far, longest))
	t := truncated{l, limit, l.cdf(limit)}
	c.check(!(t.kept < 1e-3), "max leaves less than 0.1 %% of the distribution")
	c.end()
	return t
}

func (b *builder) logNormal(c *call) law {
	z, x := b.quantiles(c)
	sigma := 0.0
	e, given := c.take("sigma", -1)
	switch {
	case c.err != nil:
		return nil
	case given && len(x) == 1:
		sigma, c.err = parseCount(e.word)
	case !given && len(x) == 2:
		sigma = (math.Log(x[1]) - math.Log(x[0])) / (z[1] - z[0])
	default:
		c.check(false, "want two quantiles, as p50=20ms, p75=50ms, or one and sigma")
	}
	c.check(sigma > 0 && sigma <= 5, "sigma is %.3g; it must be more than 0 and at most 5", sigma)
	if c.err != nil {
		return nil
	}
	median := x[0] / math.Exp(sigma*z[0])
	return b.truncated(c, logNormal{median, sigma}, median*math.Exp(8*sigma))
}

// quantiles takes all arguments named pN or median: z are the quantiles of the normal distribution, x those given.
func (b *builder) quantiles(c *call) (z, x []float64) {
	for i, a := range c.args {
		key := a.key
		if key == "median" {
			key = "p50"
		}
		text, ok := strings.CutPrefix(key, "p")
		if !ok {
			continue
		}
		percent, err := strconv.ParseFloat(text, 64)
		c.check(err == nil && percent > 0 && percent < 100, "%s is not a quantile such as p50 or p99.9", a.key)
		v := b.read(c, a.value)
		c.check(v > 0, "%s must be more than 0", a.key)
		c.args[i].used = true
		z, x = append(z, normalQuantile(percent/100)), append(x, v)
	}
	return z, x
}
