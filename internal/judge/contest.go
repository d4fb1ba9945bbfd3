package judge

import (
	"cmp"
	"math"
	"slices"

	"schedbench/internal/lists"
)

// Contestant is the figures of a contestant, block by block.
type Contestant struct {
	Name   string
	Blocks []float64
	// Mean is that of the logarithms, as comparisons have it. It is set by Rank.
	Mean float64
}

// Rank returns the contestants that have blocks, the one with the least mean first; equals
// keep their order. Blocks without a positive figure do not count.
func Rank(all []Contestant) (ranked []Contestant) {
	for _, c := range all {
		if n, mean, _ := moments(logarithms(c.Blocks)); n > 0 {
			c.Mean = math.Exp(mean)
			ranked = append(ranked, c)
		}
	}
	slices.SortStableFunc(ranked, func(a, b Contestant) int { return cmp.Compare(a.Mean, b.Mean) })
	return ranked
}

// Standing is where a contestant stands in a contest: how it compares with the first.
type Standing struct {
	Contestant
	// ToFirst is the ratio of its figure to that of the first. It is the zero value for the first itself.
	ToFirst Comparison
}

// Contest is how the contestants of a cell compare, where less is better.
type Contest struct {
	// Standings are as Rank orders them.
	Standings []Standing
}

// Compete compares all contestants with the first of them. The comparisons of the terms
// are how many such contests one sentence is about; 0 is one.
//
// The figures choose the first. Each of k contestants could be first by mistake: each gets a k-th of the allowed
// errors. Given the first, the only error is a false slower, by one end of an interval. By Holm's procedure as many
// errors are possible as comparisons are left (see CompareTogether). So the surest of k−1 counts as k(k−1)/2, the
// number of pairs, and the last as k/2.
//
// The scatter of a ratio is moderated by that of the others: see Pair. One scatter for all has more degrees of freedom
// and shows more. But 9 % of sentences were false where one of six contestants scattered twice as much as the others.
func Compete(all []Contestant, t Terms) Contest {
	contests, _, _ := compete([]Field{{all, t}}, nil)
	return contests[0]
}

// First returns the contestant with the least figure, the zero value if there is none.
func (c Contest) First() Contestant {
	if len(c.Standings) == 0 {
		return Contestant{}
	}
	return c.Standings[0].Contestant
}

// Behind returns the standings behind the first, in order.
func (c Contest) Behind() []Standing { return c.Standings[min(1, len(c.Standings)):] }

// Others returns the standings behind the first that have an answer, in order.
func (c Contest) Others(answer Answer) []Standing {
	return lists.Only(c.Behind(), func(s Standing) bool { return s.ToFirst.Answer == answer })
}

// Won reports whether the first is significantly ahead of all others, at least one.
func (c Contest) Won() bool {
	return len(c.Standings) > 1 && len(c.Others(Slower)) == len(c.Standings)-1
}

// Noise returns how far a contestant came out from itself: the ratio of two measurements, at least 1; 1 without any.
func Noise(aa Comparison) float64 {
	if aa.Blocks == 0 {
		return 1
	}
	return max(aa.Value, 1/aa.Value)
}
