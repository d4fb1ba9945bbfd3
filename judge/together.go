package judge

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Pair is two contestants to compare: their figures in the same blocks, and the terms.
type Pair struct {
	A, B  []float64
	Terms Terms
}

// CompareTogether compares pairs so that what is told of all of them holds together, by
// S. Holm's procedure (A Simple Sequentially Rejective Multiple Test Procedure, 1979). The
// surest difference counts as one of all, the next as one of those left, and so on down
// to the first that is not told: it, and all that are less sure, count as those left then.
// To count all of them each time (Bonferroni) would guard against errors that cannot be
// made any more: in what has been told already. At least as many count as intervals are
// stated, so that these hold together too. What the terms say of comparisons multiplies
// that.
func CompareTogether(pairs []Pair, stated int) []Comparison {
	return stepDown(pairs, func(left int) int { return max(left, stated) })
}

// stepDown compares pairs, the surest first. counts says as how many comparisons the
// surest of so many that are left counts.
func stepDown(pairs []Pair, counts func(left int) int) []Comparison {
	type candidate struct {
		at, blocks int
		difference
		chance float64
	}
	var all []candidate
	for i, p := range pairs {
		d, blocks := ratios(p.A, p.B)
		all = append(all, candidate{i, blocks, d, d.chance()})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.chance, b.chance) })
	found, left, quantile := make([]Comparison, len(pairs)), len(pairs), keptQuantiles()
	for _, c := range all {
		p := pairs[c.at]
		p.Terms.Comparisons = max(p.Terms.Comparisons, 1) * counts(left)
		found[c.at] = p.Terms.compareBy(c.difference, c.blocks, quantile).orNegligible(p.B, p.Terms)
		if c.chance <= 1-p.Terms.confidence() {
			left--
		}
	}
	return found
}

// chance returns how likely a mean is that is so far from none, or farther, if there is no
// difference: 1 if nothing is known of that.
func (d *difference) chance() float64 {
	switch se, degrees := d.error(0); {
	case math.IsNaN(se) || !(degrees > 0) || d.mean == 0:
		return 1
	case se == 0:
		return 0
	default:
		return 2 * distuv.StudentsT{Sigma: 1, Nu: degrees}.Survival(math.Abs(d.mean)/se)
	}
}
