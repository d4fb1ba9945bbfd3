package judge

import (
	"math"
	"slices"
	"sort"
)

// Finding says whether a statement is true of what was measured or predicted.
type Finding int

// The findings. A statement that is neither known to hold nor to fail is undecided.
const (
	Undecided Finding = iota
	Holds
	Fails
)

// String returns the finding in words.
func (f Finding) String() string { return [...]string{"unclear", "holds", "fails"}[f] }

// All returns what is known of statements together: all of them hold, one fails, or
// neither is known. Without any it holds.
func All(of ...Finding) Finding {
	switch {
	case slices.Contains(of, Fails):
		return Fails
	case slices.Contains(of, Undecided):
		return Undecided
	}
	return Holds
}

// Band is where a figure is to be, ends included.
type Band struct{ Low, High float64 }

// AtMost returns the band up to a limit.
func AtMost(limit float64) Band { return Band{math.Inf(-1), limit} }

// Is says whether a figure is in a band: it is or is not with the whole of its interval, or that is undecided.
func (e Estimate) Is(in Band) Finding {
	switch {
	case in.Low <= e.Low && e.High <= in.High:
		return Holds
	case e.High < in.Low || in.High < e.Low:
		return Fails
	}
	return Undecided
}

// Average is a mean of blocks, with its interval by Student's t. With fewer than two blocks the interval has
// no bounds. Without any the mean is NaN.
type Average struct {
	Estimate
	// Blocks are the figures of the blocks, in their order.
	Blocks []float64

	n        int // of those that count
	of       difference
	positive bool // of is of logarithms
}

// Mean returns the mean of blocks. Those that are not numbers count for nothing.
func Mean(blocks []float64) Average { return average(blocks, finite(blocks), false) }

// GeometricMean returns the geometric mean of blocks of a positive figure with outliers only above, such as
// lateness. Blocks without a positive figure do not count.
func GeometricMean(blocks []float64) Average { return average(blocks, logarithms(blocks), true) }

func average(blocks, known []float64, positive bool) Average {
	a := Average{Blocks: blocks, n: len(known), of: paired(known, usual{}), positive: positive}
	a.of.confidence = Confidence
	a.Estimate = a.after(0)
	return a
}

// after returns the estimate if there were so many more blocks.
func (a *Average) after(more int) Estimate {
	reach := a.of.reach(more, twoSided)
	e := Estimate{a.of.mean, a.of.mean - reach, a.of.mean + reach}
	if a.positive {
		e = Estimate{math.Exp(e.Value), math.Exp(e.Low), math.Exp(e.High)}
	}
	return e
}

// More returns about how many more blocks would decide whether a figure is in a band: 0 if
// it is decided, and TooMany if it takes more than that.
func (a Average) More(in Band) int {
	switch {
	case a.Is(in) != Undecided:
		return 0
	case a.n < 2:
		return 2 - a.n
	}
	return enoughMore(func(more int) bool { return a.after(more).Is(in) != Undecided })
}

// enoughMore returns the least number of further blocks that decide, at least 1. A binary
// search finds it: more blocks have a narrower interval.
func enoughMore(decided func(more int) bool) int {
	return 1 + sort.Search(TooMany-1, func(i int) bool { return decided(1 + i) })
}
