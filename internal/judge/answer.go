package judge

import (
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/aclements/go-moremath/mathx"
	moremath "github.com/aclements/go-moremath/stats"
	"github.com/montanaflynn/stats"

	"schedbench/internal/lists"
)

// Answer says how one contestant compares with another where less is better.
type Answer int

// The answers. Unclear means that the data allow both: a difference, and none.
const (
	Unclear Answer = iota
	Faster
	Slower
	AsFast
)

// String returns the answer in words.
func (a Answer) String() string { return [...]string{"unclear", "faster", "slower", "as fast"}[a] }

// Margin is the ratio up to which two contestants count as equally fast, unless asked otherwise.
const Margin = 1.10

// Terms are how comparisons are made.
type Terms struct {
	// Comparisons is the number of comparisons in one sentence. Their intervals hold together with Confidence
	// (Bonferroni). 0 counts as 1.
	Comparisons int
	// Margin is the ratio up to which contestants count as equally fast; 0 is Margin.
	Margin float64
	// Noise is the ratio by which a contestant differs from itself, built separately: smaller differences do
	// not count. 0 is none.
	Noise float64
	// Negligible is the difference of figures, in their own unit, that counts as none whatever the ratio. 0 is none.
	Negligible float64
}

func (t Terms) confidence() float64 { return 1 - (1-Confidence)/float64(max(t.Comparisons, 1)) }

// margin and noise are logarithms of ratios.
func (t Terms) margin() float64 {
	if t.Margin < 1 {
		return math.Log(Margin)
	}
	return math.Log(t.Margin)
}

func (t Terms) noise() float64 { return math.Log(max(t.Noise, 1)) }

// BeyondSense is the ratio of an interval's ends beyond which its figures mean nothing: a few blocks that scatter may
// give astronomical ones.
const BeyondSense = 1000

// Comparison is the comparison of two contestants.
type Comparison struct {
	// Estimate is the first contestant's figure divided by the second's or, of Differ and its like, less the second's. With
	// fewer than two blocks the interval is open. Without any the value is NaN.
	Estimate
	// Blocks is the number of blocks: of both if they were paired, otherwise of the contestant with fewer.
	Blocks int
	Answer Answer

	measured difference
}

// Significant reports whether one of the two is faster.
func (c Comparison) Significant() bool { return c.Answer == Faster || c.Answer == Slower }

// difference is a mean difference of figures, or of logarithms of figures.
type difference struct {
	mean       float64
	confidence float64
	// same is the largest difference that counts as none, and noise the largest that is not significant.
	same, noise float64
	// error returns the standard error of the mean and its degrees of freedom if there were so many more blocks.
	error func(more int) (se, degrees float64)
}

// Compare compares two contestants by their figures in the same blocks, by Student's t of the logarithms of the ratios.
// Blocks in which one of them has no positive figure count for nothing.
func Compare(a, b []float64, t Terms) Comparison {
	logs := finite(logRatios(a, b))
	return t.ratio(paired(logs, usual{}), len(logs), b)
}

// CompareApart compares two contestants whose blocks were measured at different times, by Welch's t of logarithms.
func CompareApart(a, b []float64, t Terms) Comparison {
	logsA, logsB := logarithms(a), logarithms(b)
	return t.ratio(apart(logsA, logsB), min(len(logsA), len(logsB)), b)
}

// ratio returns the comparison by a difference of logarithms, of so many blocks. It answers AsFast if the whole interval,
// as a difference from the figures b, is at most Negligible.
func (t Terms) ratio(d difference, blocks int, b []float64) Comparison {
	d.same, d.noise = t.margin(), t.noise()
	c := t.compare(d, blocks)
	c.Estimate = c.each(math.Exp)
	if far := max(math.Abs(c.High-1), math.Abs(1-c.Low)); t.Negligible > 0 && far*MedianFinite(b) <= t.Negligible {
		c.Answer = AsFast
	}
	return c
}

func logarithms(figures []float64) []float64 {
	positive := lists.Only(figures, func(v float64) bool { return v > 0 && !math.IsInf(v, 1) })
	return lists.Each(positive, math.Log)
}

func (t Terms) compare(d difference, blocks int) Comparison {
	d.confidence = t.confidence()
	e := d.estimate()
	return Comparison{e, blocks, answer(e, d.same, d.noise), d}
}

// paired returns the difference that those of blocks come to.
func paired(differences []float64, u usual) difference {
	n, mean, variance := moments(differences)
	variance, degrees := u.moderate(variance, n-1)
	return difference{mean: mean, error: func(more int) (float64, float64) {
		return math.Sqrt(variance / (n + float64(more))), degrees + float64(more)
	}}
}

// apart returns the difference between two measured apart, with the degrees of freedom of Welch and Satterthwaite.
func apart(a, b []float64) difference {
	na, meanA, varA := moments(a)
	nb, meanB, varB := moments(b)
	return difference{mean: meanA - meanB, error: func(more int) (float64, float64) {
		na, nb := na+float64(more), nb+float64(more)
		a, b := varA/na, varB/nb
		if a+b == 0 {
			return 0, min(na, nb) - 1
		}
		return math.Sqrt(a + b), (a + b) * (a + b) / (a*a/(na-1) + b*b/(nb-1))
	}}
}

// moments returns how many figures there are, their mean, NaN without any, and their variance, NaN of fewer than two.
func moments(figures []float64) (n, mean, variance float64) {
	mean, _ = stats.Mean(figures)
	variance, _ = stats.SampleVariance(figures)
	return float64(len(figures)), mean, variance
}

// quantiles are those that QuantileOfT has computed, by its arguments: that takes most of the time of many comparisons.
var quantiles sync.Map

// QuantileOfT returns how many standard errors a two-sided interval of Student's t reaches. It computes each quantile once.
func QuantileOfT(confidence, degrees float64) float64 {
	of := [2]float64{confidence, degrees}
	q, known := quantiles.Load(of)
	if !known {
		q = moremath.InvCDF(moremath.TDist{V: degrees})((1 + confidence) / 2)
		quantiles.Store(of, q)
	}
	return q.(float64)
}

// beyond returns the probability that a mean lies more than errors standard errors from the truth, by Student's t. It
// is 1 if errors or degrees is not positive. Tiny probabilities are exact: stepDown ranks comparisons by them.
func beyond(errors, degrees float64) float64 {
	if !(errors > 0 && degrees > 0) {
		return 1
	}
	return mathx.BetaInc(degrees/(degrees+errors*errors), degrees/2, 0.5)
}

// reach returns how far the interval goes to either side of the mean.
func (d *difference) reach() float64 {
	se, degrees := d.error(0)
	if math.IsNaN(se) || !(degrees > 0) {
		return math.Inf(1)
	}
	return se * QuantileOfT(d.confidence, degrees)
}

func (d *difference) estimate() Estimate {
	reach := d.reach()
	return Estimate{d.mean, d.mean - reach, d.mean + reach}
}

// answer returns what follows from the interval of a difference. An interval within the
// margin is as fast, however surely one is ahead by a little.
func answer(difference Estimate, same, noise float64) Answer {
	switch d := difference; {
	case -same <= d.Low && d.High <= same:
		return AsFast
	case math.Abs(d.Value) <= noise:
		return Unclear
	case d.High < 0:
		return Faster
	case d.Low > 0:
		return Slower
	}
	return Unclear
}

// TooMany blocks are more than a run will measure.
const TooMany = 1000

// More returns about how many more blocks would decide it, if they have the mean and the
// scatter of the measured ones: 0 if it is decided, and TooMany if it takes more than that.
func (c Comparison) More() int { return c.measured.more(c.Answer, c.Blocks) }

// Resolves returns the smallest ratio that is significant with blocks that scatter like
// these: +Inf with fewer than two.
func (c Comparison) Resolves() float64 { return math.Exp(max(c.measured.reach(), c.measured.noise)) }

func (d *difference) more(answer Answer, blocks int) int {
	switch {
	case answer != Unclear:
		return 0
	case blocks < 2:
		return 2 - blocks
	}
	// The half-width at which the interval lies within same. A mean beyond noise is also decided by an interval that
	// excludes 0.
	short := d.same - math.Abs(d.mean)
	if math.Abs(d.mean) > d.noise {
		short = max(short, math.Abs(d.mean))
	}
	return 1 + sort.Search(TooMany-1, func(i int) bool { // more blocks have a narrower interval
		se, degrees := d.error(1 + i)
		return beyond(short/se, degrees) < 1-d.confidence
	})
}

// Blocks returns the medians of blocks, by their numbers: the independent samples of a comparison. of is the block of
// each sample, ascending; a block without samples is NaN. Rounds on one population share its place in memory and agree
// more with each other than with the next population. Populations of one process agree more than with those of the
// next. So an interval is made of blocks, each with its own process and population.
func Blocks(samples []float64, of []int) (medians []float64) {
	for from := 0; from < len(samples); {
		to := from + 1
		for to < len(samples) && of[to] == of[from] {
			to++
		}
		for len(medians) < of[from] {
			medians = append(medians, math.NaN())
		}
		medians = append(medians, median(samples[from:to]))
		from = to
	}
	return medians
}

// Levels returns how many times as long as usual each round of a block took. In each round it takes the median, over
// contestants, of the sample divided by the contestant's own median. This is one step of Tukey's median polish
// (Exploratory Data Analysis, 1977). A contestant with fewer samples than others, or with one that is not positive,
// does not count. Levels needs two contestants and three rounds, and is nil otherwise: two samples are equally far from
// their median. O(samples log samples).
func Levels(samples [][]float64) (levels []float64) {
	rounds := lists.Most(samples, func(s []float64) int { return len(s) })
	samples = lists.Only(samples, func(s []float64) bool {
		return len(s) == rounds && !slices.ContainsFunc(s, func(v float64) bool { return !(v > 0) || math.IsInf(v, 1) })
	})
	if rounds < 3 || len(samples) < 2 {
		return nil
	}
	for round := range rounds {
		levels = append(levels, median(lists.Each(samples, func(s []float64) float64 { return math.Log(s[round] / median(s)) })))
	}
	return lists.Each(levels, math.Exp)
}

func median(samples []float64) float64 {
	m, _ := stats.Median(samples) // never empty
	return m
}
