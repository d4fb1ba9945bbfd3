package judge

import (
	"cmp"
	"math"
	"slices"
)

// Contender is what one of those that are compared showed, round by round.
type Contender struct {
	Name   string
	Values []float64
	// Median is set by Rank.
	Median float64
}

// Rank returns the contenders that have samples, the one with the least median
// first; equals keep their order. Samples that are not numbers do not count.
func Rank(all []Contender) (ranked []Contender) {
	for _, c := range all {
		if s := SummarizeFinite(c.Values); s.N > 0 {
			c.Median = s.Median
			ranked = append(ranked, c)
		}
	}
	slices.SortStableFunc(ranked, func(a, b Contender) int { return cmp.Compare(a.Median, b.Median) })
	return ranked
}

// Lead is who is in front where less is better.
type Lead struct {
	// Ranked are those that were compared, as Rank returns them.
	Ranked []Contender
	// Front are the names of those that cannot be told from the first, in order; the
	// first is one of them.
	Front []string
	// Next compares the second with the first: how many times as fast the first is.
	// Its N is 0 if there is no second.
	Next Ratio
}

// Leading returns who leads: it takes more than noise, the ratio of a contender to
// itself (1: none), and intervals that hold together for a number of comparisons.
func Leading(all []Contender, comparisons int, noise float64) Lead {
	l := Lead{Ranked: Rank(all)}
	for i, c := range l.Ranked {
		r := Paired(c.Values, l.Ranked[0].Values, comparisons)
		if i == 1 {
			l.Next = r
		}
		if i == 0 || !(r.Above() && r.Median > noise) {
			l.Front = append(l.Front, c.Name)
		}
	}
	return l
}

// BeatsNext reports whether the first is told from the second.
func (l Lead) BeatsNext() bool {
	return len(l.Ranked) > 1 && !slices.Contains(l.Front, l.Ranked[1].Name)
}

// BeatsAll reports whether the first is told from all others.
func (l Lead) BeatsAll() bool { return len(l.Ranked) > 1 && len(l.Front) == 1 }

// Noise returns the largest ratio of a contender to itself, whichever of the two
// measurements came out slower; 1 without any.
func Noise(again []Ratio) float64 {
	largest := 1.0
	for _, r := range again {
		largest = max(largest, r.Median, 1/r.Median)
	}
	return largest
}

// RoundsFor returns how many rounds it takes for an interval of a median that is
// corrected for a number of comparisons: all samples lie on one side of the true
// median with a chance of 2/2ⁿ.
func RoundsFor(comparisons int) int {
	return int(math.Ceil(math.Log2(2 * float64(comparisons) / (1 - Confidence))))
}
