package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

type arrivalKind uint8

const (
	poisson arrivalKind = iota + 1 // independent of each other, at a rate
	paced                          // at even intervals
	bursts                         // many at once, at even intervals
	fixed                          // a constant number
)

type arrivals struct {
	kind  arrivalKind
	text  string
	rate  float64       // per second: of poisson and paced
	count int           // the size of a burst, or the fixed number
	span  time.Duration // between bursts, or in which a fixed number starts, at random instants
}

func buildArrivals(text string) (arrivals, error) {
	e, err := parseExpr(text)
	if err != nil {
		return arrivals{}, err
	}
	known := map[string]arrivalKind{"poisson": poisson, "paced": paced, "bursts": bursts, "fixed": fixed}
	a := arrivals{kind: known[e.word], text: text}
	c := &call{args: e.args}
	switch a.kind {
	case poisson, paced:
		a.rate = takeAs(c, "rate", 0, "a rate such as 10k/s is missing", parseRate)
	case bursts, fixed:
		span := map[arrivalKind]string{bursts: "every", fixed: "over"}[a.kind]
		a.count = takeAs(c, "count", 0, "how many is missing", parsePopulation)
		a.span = takeAs(c, span, -1, span+"= is missing", parseDuration)
		c.check(a.kind == fixed || a.span > 0, "every must be more than 0")
	default:
		return a, fmt.Errorf("%q are unknown arrivals; there are poisson, paced, bursts and fixed", e.word)
	}
	if c.end(); c.err != nil {
		return a, fmt.Errorf("%s: %w", e.word, c.err)
	}
	return a, nil
}

// perSecond returns the rate of arrivals in the long run; 0 for a fixed number.
func (a arrivals) perSecond() float64 {
	switch a.kind {
	case bursts:
		return float64(a.count) / a.span.Seconds()
	case fixed:
		return 0
	}
	return a.rate
}

func (a arrivals) scaled(by float64) arrivals {
	a.rate *= by
	if a.count > 0 {
		a.count = max(1, int(math.Round(float64(a.count)*by)))
	}
	return a
}

// never is after every instant of a stream.
const never = math.MaxInt64

type arriver struct {
	arrivals
	rand  *rand.Rand
	until int64   // arrivals from here on are left out
	at    int64   // the next one, or never
	gap   float64 // mean time between two
	carry float64 // the part of the time that rounding cut off
	left  int     // of the burst or of the fixed number
}

func newArriver(a arrivals, r *rand.Rand, until int64) *arriver {
	v := &arriver{arrivals: a, rand: r, until: until, left: a.count}
	if a.rate > 0 {
		v.gap = 1e9 / a.rate
	}
	if a.kind != bursts {
		v.left++ // for the instant 0, at which only a burst is due
		v.next()
	}
	return v
}

func (v *arriver) next() {
	switch v.kind {
	case poisson:
		v.advance(v.rand.ExpFloat64() * v.gap)
	case paced:
		v.advance(v.gap)
	case bursts:
		if v.left--; v.left == 0 {
			v.left = v.count
			v.at += int64(v.span)
		}
	case fixed:
		v.nextFixed()
	}
	if v.at >= v.until {
		v.at = never
	}
}

// advance moves on by nanoseconds that need not be whole.
func (v *arriver) advance(by float64) {
	by += v.carry
	whole := math.Floor(by)
	v.carry = by - whole
	if whole >= float64(v.until-v.at) {
		v.at = never
		return
	}
	v.at += int64(whole)
}

// nextFixed draws the next of the k instants left, independent in the rest of the time: it comes after a part 1 - U^(1/k).
func (v *arriver) nextFixed() {
	if v.left--; v.left == 0 {
		v.at = never
		return
	}
	rest := float64(int64(v.span) - v.at)
	v.at += int64(rest * -math.Expm1(-v.rand.ExpFloat64()/float64(v.left)))
}
