package workload

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxParts is how many distributions a mixture may be made of, all levels
// counted: what is said of a mixture is searched for, and takes time for each.
const maxParts = 64

// ParseDistribution reads a distribution in the form that profiles have, such as
// uniform(1s, 2s); one of a file is refused.
func ParseDistribution(text string) (Distribution, error) { return buildDistribution(text, "") }

// Uniform returns the distribution in which all durations from lo to hi are as
// likely, which is the one duration lo unless hi is longer.
func Uniform(lo, hi time.Duration) Distribution {
	d := Distribution{law: constant(lo), text: fmt.Sprintf("uniform(%v, %v)", lo, hi)}
	if lo < hi {
		d.law = uniform{float64(lo), float64(hi)}
	}
	return d
}

// buildDistribution reads a distribution. Files are looked for beside the
// profile, in dir.
func buildDistribution(text, dir string) (Distribution, error) {
	e, err := parseExpr(text)
	if err != nil {
		return Distribution{}, err
	}
	b := builder{dir: dir}
	l, err := b.law(e)
	if err != nil {
		return Distribution{}, err
	}
	return Distribution{law: l, text: text, relative: b.kind == relativeValues}, nil
}

// builder makes a law of an expression.
type builder struct {
	dir   string
	kind  valueKind
	parts int
}

type valueKind int

const (
	anyValues valueKind = iota
	durations
	relativeValues
)

// limit is the greatest value allowed.
func (b *builder) limit() float64 {
	if b.kind == relativeValues {
		return 1
	}
	return float64(maxDuration)
}

// value reads a duration in nanoseconds, or a part of the delay from a
// percentage. An expression has only one or the other.
func (b *builder) value(e expr) (x float64, err error) {
	if e.call {
		return 0, fmt.Errorf("%s(...) stands where a duration is due", e.word)
	}
	kind := durations
	if strings.HasSuffix(e.word, "%") {
		kind = relativeValues
		x, err = parseShare(e.word)
	} else {
		d, parseErr := parseDuration(e.word)
		x, err = float64(d), parseErr
	}
	if err != nil {
		return 0, err
	}
	return x, b.is(kind)
}

func (b *builder) is(kind valueKind) error {
	if b.kind != anyValues && b.kind != kind {
		return fmt.Errorf("percentages of the delay and durations are mixed")
	}
	b.kind = kind
	return nil
}

func (b *builder) law(e expr) (law, error) {
	if b.parts++; b.parts > maxParts {
		return nil, fmt.Errorf("more than %d distributions in one", maxParts)
	}
	if !e.call {
		x, err := b.value(e)
		return constant(x), err
	}
	l, err := b.call(&call{name: e.word, args: e.args})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.word, err)
	}
	return l, nil
}

func (b *builder) call(c *call) (law, error) {
	switch c.name {
	case "constant":
		x, err := b.required(c, "value", 0)
		return constant(x), c.end(err)
	case "uniform", "loguniform":
		return b.interval(c)
	case "exponential":
		return b.exponential(c)
	case "lognormal":
		return b.logNormal(c)
	case "levels":
		return b.levels(c)
	case "mix":
		return b.mixture(c)
	case "bimodal":
		return b.bimodal(c)
	case "file":
		return b.file(c)
	}
	return nil, fmt.Errorf("unknown distribution; there are constant, uniform, loguniform, " +
		"exponential, lognormal, levels, mix, bimodal and file")
}

// required takes a value that must be there.
func (b *builder) required(c *call, key string, position int) (float64, error) {
	e, ok := c.take(key, position)
	if !ok {
		return 0, fmt.Errorf("%s is missing", key)
	}
	return b.value(e)
}

func (b *builder) interval(c *call) (law, error) {
	lo, err := b.required(c, "min", 0)
	if err != nil {
		return nil, err
	}
	hi, err := b.required(c, "max", 1)
	if err = c.end(err); err != nil {
		return nil, err
	}
	switch {
	case lo >= hi:
		return nil, fmt.Errorf("min must be less than max")
	case c.name == "uniform":
		return uniform{lo, hi}, nil
	case lo == 0:
		return nil, fmt.Errorf("min must be more than 0")
	}
	return newLogUniform(lo, hi), nil
}

func (b *builder) exponential(c *call) (law, error) {
	mu, err := b.required(c, "mean", 0)
	if err == nil && mu == 0 {
		err = fmt.Errorf("mean must be more than 0")
	}
	if err != nil {
		return nil, err
	}
	var from float64
	if e, ok := c.take("min", -1); ok {
		if from, err = b.value(e); err != nil {
			return nil, err
		}
	}
	if from == 0 {
		return b.truncated(c, exponential{mu}, 50*mu)
	}
	return b.truncated(c, shifted{exponential{mu}, from}, from+50*mu)
}

// truncated takes max and cuts l off there; without max, far out.
func (b *builder) truncated(c *call, l law, far float64) (law, error) {
	limit := min(far, b.limit())
	if e, ok := c.take("max", -1); ok {
		x, err := b.value(e)
		if err != nil {
			return nil, err
		}
		limit = x
	}
	t := newTruncated(l, limit)
	if t.kept < 1e-3 {
		return nil, fmt.Errorf("max leaves less than 0.1 %% of the distribution")
	}
	return t, c.end(nil)
}

func (b *builder) logNormal(c *call) (law, error) {
	z, x, err := b.quantiles(c)
	if err != nil {
		return nil, err
	}
	sigma := 0.0
	e, given := c.take("sigma", -1)
	switch {
	case given && len(x) == 1:
		sigma, err = parseCount(e.word)
	case !given && len(x) == 2:
		sigma = (math.Log(x[1]) - math.Log(x[0])) / (z[1] - z[0])
	default:
		err = fmt.Errorf("want two quantiles, as p50=20ms, p75=50ms, or one and sigma")
	}
	if err != nil {
		return nil, err
	}
	if !(sigma > 0 && sigma <= 5) {
		return nil, fmt.Errorf("sigma is %.3g; it must be more than 0 and at most 5", sigma)
	}
	median := x[0] / math.Exp(sigma*z[0])
	return b.truncated(c, logNormal{median, sigma}, median*math.Exp(8*sigma))
}

// quantiles takes all arguments named pN or median: z are the quantiles of the
// normal distribution, x those given.
func (b *builder) quantiles(c *call) (z, x []float64, err error) {
	for i, a := range c.args {
		percent, named := 50.0, a.key == "median"
		if text, ok := strings.CutPrefix(a.key, "p"); ok && !named {
			percent, err = strconv.ParseFloat(text, 64)
			if err != nil || !(percent > 0 && percent < 100) {
				return nil, nil, fmt.Errorf("%s is not a quantile such as p50 or p99.9", a.key)
			}
			named = true
		}
		if !named {
			continue
		}
		v, err := b.value(a.value)
		if err != nil {
			return nil, nil, err
		}
		if v == 0 {
			return nil, nil, fmt.Errorf("%s must be more than 0", a.key)
		}
		c.args[i].used = true
		z, x = append(z, normalQuantile(percent/100)), append(x, v)
	}
	return z, x, nil
}

// weighted takes all arguments that have no key, with their weights; without
// weights all are alike.
func (c *call) weighted() (values []expr, weights []float64, err error) {
	for i, a := range c.args {
		if a.key != "" {
			continue
		}
		w := 1.0
		if a.weight != "" {
			if w, err = parseWeight(a.weight); err != nil {
				return nil, nil, err
			}
		}
		if (a.weight == "") != (c.args[0].weight == "") {
			return nil, nil, fmt.Errorf("give all of them a weight, or none")
		}
		c.args[i].used = true
		values, weights = append(values, a.value), append(weights, w)
	}
	if len(values) == 0 {
		return nil, nil, fmt.Errorf("nothing to choose from")
	}
	return values, weights, c.end(nil)
}

func parseWeight(text string) (float64, error) {
	w, err := parseCount(strings.TrimSuffix(text, "%"))
	if err != nil || w < 1e-6 || w > 1e9 {
		return 0, fmt.Errorf("%q is not a weight from 1e-6 to 1e9, such as 3 or 30%%", text)
	}
	return w, nil
}

func (b *builder) levels(c *call) (law, error) {
	exprs, weights, err := c.weighted()
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(exprs))
	for i, e := range exprs {
		if values[i], err = b.value(e); err != nil {
			return nil, err
		}
	}
	return newLevels(values, weights), nil
}

func (b *builder) mixture(c *call) (law, error) {
	exprs, weights, err := c.weighted()
	if err != nil {
		return nil, err
	}
	return b.mix(exprs, weights)
}

func (b *builder) mix(exprs []expr, weights []float64) (law, error) {
	parts := make([]law, len(exprs))
	for i, e := range exprs {
		l, err := b.law(e)
		if err != nil {
			return nil, err
		}
		parts[i] = l
	}
	return newMixture(parts, weights), nil
}

// bimodal is a mixture of two.
func (b *builder) bimodal(c *call) (law, error) {
	share, ok := c.take("share", -1)
	if !ok {
		return nil, fmt.Errorf("share, of the second distribution, is missing")
	}
	s, err := parseShare(share.word)
	if err != nil {
		return nil, err
	}
	exprs, _, err := c.weighted()
	if err != nil {
		return nil, err
	}
	if len(exprs) != 2 || s == 0 || s == 1 {
		return nil, fmt.Errorf("want two distributions and a share between 0 and 100 %%")
	}
	return b.mix(exprs, []float64{1 - s, s})
}
