package judge

import (
	"math"
	"slices"
)

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
		r := Paired(c.Blocks, l.Ranked[0].Blocks, comparisons)
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

// LargestNoise returns the largest ratio of a contender to itself, whichever of the two
// measurements came out slower; 1 without any.
func LargestNoise(again []Ratio) float64 {
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
