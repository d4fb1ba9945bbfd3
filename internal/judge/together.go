package judge

import (
	"cmp"
	"math"
	"slices"

	"schedbench/internal/lists"
)

// Pair is two contestants to compare: their figures in the same blocks, and the terms. Others are the figures of the
// other contestants of their cell, which say how ratios scatter there; none is allowed.
type Pair struct {
	A, B   []float64
	Terms  Terms
	Others [][]float64
}

// PairOf returns the pair of two contestants of a cell, by their numbers.
func PairOf(cell []Contestant, a, b int, t Terms) Pair {
	p := Pair{A: cell[a].Blocks, B: cell[b].Blocks, Terms: t}
	for i, c := range cell {
		if i != a && i != b {
			p.Others = append(p.Others, c.Blocks)
		}
	}
	return p
}

// CompareTogether compares pairs whose answers hold together, by S. Holm's procedure (A Simple Sequentially Rejective
// Multiple Test Procedure, 1979). The surest answer counts as one of all pairs, the next as one of the pairs left, and
// so on. From the first answer that is not significant on, each counts as one of the pairs left then. Bonferroni would
// count all pairs each time, and guard against errors in answers that are already significant. The count is at least
// stated, the number of intervals that are shown: these hold together too. Terms.Comparisons multiplies the count.
func CompareTogether(pairs []Pair, stated int) []Comparison {
	return stepDown(pairs, make([]int, len(pairs)), 1, func(left []int) int { return max(left[0], stated) })
}

// Field is a contest to be held: who competes, and the terms.
type Field struct {
	Contestants []Contestant
	Terms       Terms
}

// CompeteTogether holds several contests and compares further pairs. Compete says how a contest is judged. All answers
// hold together, by Holm's procedure over all contests and pairs. All intervals hold together too: each counts as all
// comparisons. An interval ends at 1 if the answer excludes what is beyond. A figure below Negligible counts as
// Negligible.
func CompeteTogether(fields []Field, beside []Pair) ([]Contest, []Comparison) {
	fields, beside = slices.Clone(fields), slices.Clone(beside)
	for i, f := range fields {
		fields[i].Contestants = floored(f.Contestants, f.Terms.Negligible)
	}
	for i, p := range beside {
		floor := func(figures []float64) []float64 { return atLeast(figures, p.Terms.Negligible) }
		beside[i].A, beside[i].B, beside[i].Others = floor(p.A), floor(p.B), lists.Each(p.Others, floor)
	}
	contests, others, all := compete(fields, beside)
	state := func(c *Comparison, t Terms) {
		t.Comparisons = max(t.Comparisons, 1) * all
		*c = c.stated(t.confidence())
	}
	for i, c := range contests {
		for k := range c.Behind() {
			state(&c.Behind()[k].ToFirst, fields[i].Terms)
		}
	}
	for i := range others {
		state(&others[i], beside[i].Terms)
	}
	return contests, others
}

// stated returns the comparison with the interval of a confidence; what is as fast keeps the interval that showed it.
func (c Comparison) stated(confidence float64) Comparison {
	d := c.measured
	d.confidence = confidence
	if c.Answer == AsFast {
		return c
	}
	switch c.Estimate = d.estimate().each(math.Exp); c.Answer {
	case Slower:
		c.Low = max(c.Low, 1)
	case Faster:
		c.High = min(c.High, 1)
	}
	return c
}

// compete holds contests and compares pairs. all is how many comparisons the surest one counted as.
func compete(fields []Field, beside []Pair) (contests []Contest, others []Comparison, all int) {
	var pairs []Pair
	var of []int
	for i, f := range fields {
		var c Contest
		ranked := Rank(f.Contestants)
		for k, r := range ranked {
			if k > 0 {
				pairs, of = append(pairs, PairOf(ranked, k, 0, f.Terms)), append(of, i)
			}
			c.Standings = append(c.Standings, Standing{Contestant: r})
		}
		contests = append(contests, c)
	}
	for _, p := range beside {
		pairs, of = append(pairs, p), append(of, len(fields))
	}
	found := stepDown(pairs, of, len(fields)+1, func(left []int) (n int) {
		for i, c := range contests {
			n += (len(c.Standings)*left[i] + 1) / 2
		}
		n += left[len(fields)]
		all = max(all, n)
		return n
	})
	for _, c := range contests {
		for k := range c.Behind() {
			c.Behind()[k].ToFirst, found = found[0], found[1:]
		}
	}
	return contests, found, all
}

// stepDown compares pairs, the surest first. of has the family of each pair. counts returns how many comparisons the
// surest one counts as, given how many pairs of each family are left.
func stepDown(pairs []Pair, of []int, families int, counts func(left []int) int) []Comparison {
	type compared struct {
		at, blocks int
		difference
		chance float64
	}
	var all []compared
	left, scatter := make([]int, families), keptScatter()
	for i, p := range pairs {
		logs := finite(logRatios(p.A, p.B))
		d := paired(logs, usualOf(p.Others, scatter))
		all = append(all, compared{i, len(logs), d, min(d.chance(), d.chanceBeyond(p.Terms.margin()))})
		left[of[i]]++
	}
	slices.SortStableFunc(all, func(a, b compared) int { return cmp.Compare(a.chance, b.chance) })
	found := make([]Comparison, len(pairs))
	for _, c := range all {
		p := pairs[c.at]
		p.Terms.Comparisons = max(p.Terms.Comparisons, 1) * counts(left)
		found[c.at] = p.Terms.ratio(c.difference, c.blocks, p.B)
		if c.chance <= 1-p.Terms.confidence() {
			left[of[c.at]]--
		}
	}
	return found
}

// chance returns the probability of a mean this far from none, or farther, if there is no difference: 1 if it
// is unknown.
func (d *difference) chance() float64 {
	switch se, degrees := d.error(0); {
	case math.IsNaN(se) || !(degrees > 0) || d.mean == 0:
		return 1
	case se == 0:
		return 0
	default:
		return beyond(math.Abs(d.mean)/se, degrees)
	}
}

// chanceBeyond returns the probability of a mean this far within a margin, or farther, if the true difference is the
// margin.
func (d *difference) chanceBeyond(margin float64) float64 {
	inside := *d
	inside.mean = max(margin-math.Abs(d.mean), 0)
	return inside.chance()
}
