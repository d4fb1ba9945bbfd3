package judge

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/montanaflynn/stats"

	"schedbench/internal/lists"
)

// Vote is a cell that counts for averages: what its contestants take, block by block.
type Vote struct {
	Contestants []Contestant
	// Weight is how much the cell counts, beside others.
	Weight float64
	// Negligible is the difference of figures, in their own unit, that counts as none. A figure
	// below it counts as this. 0 is none.
	Negligible float64
}

// Averages are what contestants take on average over some cells, as multiples of the best of each cell. They
// are geometric means of the measured ratios. Resampled blocks give their intervals.
type Averages struct{ cells []resampled }

// resampled has the logarithm of the ratio of each contestant of a cell to the best.
type resampled struct {
	weight float64
	of     map[string]ratioDrawn
	// luck is by how much the best seems better than it is: chance helped to make it the best.
	luck float64
}

// ratioDrawn is the logarithm of a ratio: as measured, of so many blocks, and as drawn again.
type ratioDrawn struct {
	measured float64
	blocks   int
	drawn    []float64
}

// draws is how often blocks are resampled.
const draws = 1000

// AverageOver resamples the blocks of cells. All contestants of a cell get the same blocks in
// a draw, since they are compared block by block. The same votes give the same averages.
func AverageOver(votes []Vote) *Averages {
	a := &Averages{}
	for i, v := range votes {
		if cell := v.resample(rand.New(rand.NewPCG(uint64(i), draws))); len(cell.of) > 1 {
			a.cells = append(a.cells, cell)
		}
	}
	return a
}

// resample draws blocks of a cell.
func (v Vote) resample(rng *rand.Rand) resampled {
	cell := resampled{weight: v.Weight, of: map[string]ratioDrawn{}}
	ranked := Rank(floored(v.Contestants, v.Negligible))
	var logs [][]float64 // of the ratios to the first, block by block
	var means []float64
	for _, c := range ranked {
		l := logRatios(c.Blocks, ranked[0].Blocks)
		mean, _ := stats.Mean(finite(l)) // NaN of none
		logs, means = append(logs, l), append(means, mean)
	}
	if len(ranked) == 0 {
		return cell
	}
	all := drawMeans(logs, means, rng)
	measured, drawn := v.toBest(means, ranked[0].Mean), make([][]float64, len(ranked))
	for _, of := range all {
		for i, r := range v.toBest(of, ranked[0].Mean) {
			drawn[i] = append(drawn[i], r)
		}
	}
	var near []int // contestants that may be the best
	for i, c := range ranked {
		if blocks := len(finite(logs[i])); blocks > 0 {
			cell.of[c.Name] = ratioDrawn{measured[i], blocks, drawn[i]}
		}
		if deviation, _ := stats.StandardDeviationPopulation(drawn[i]); measured[i] <= 3*deviation {
			near = append(near, i)
		}
	}
	cell.luck = v.luck(near, means, all, ranked[0].Mean)
	return cell
}

// drawMeans returns the means of drawn blocks, draw by draw.
func drawMeans(logs [][]float64, means []float64, rng *rand.Rand) (all [][]float64) {
	n := lists.Most(logs, func(l []float64) int { return len(l) })
	at := make([]int, n)
	for range draws {
		for i := range at {
			at[i] = rng.IntN(n)
		}
		of := make([]float64, len(logs))
		for i, l := range logs {
			of[i] = drawnMean(l, at, means[i])
		}
		all = append(all, of)
	}
	return all
}

// luck returns the mean ratio to the best, as a logarithm, of contestants near it, if they were all equal.
func (v Vote) luck(near []int, means []float64, drawn [][]float64, first float64) float64 {
	if len(near) < 2 {
		return 0
	}
	sum := 0.0
	for _, d := range drawn {
		of := lists.Each(near, func(i int) float64 { return d[i] - means[i] })
		mean, _ := stats.Mean(v.toBest(of, first)) // of two at least
		sum += mean
	}
	return sum / float64(len(drawn))
}

// floored raises figures below negligible to negligible: a ratio to next to nothing says nothing.
func floored(contestants []Contestant, negligible float64) []Contestant {
	all := slices.Clone(contestants)
	for i := range all {
		all[i].Blocks = atLeast(all[i].Blocks, negligible)
	}
	return all
}

// atLeast returns figures with a least one in place of less; a least of 0 changes none.
func atLeast(figures []float64, least float64) []float64 {
	if least <= 0 {
		return figures
	}
	return lists.Each(figures, func(figure float64) float64 { return max(figure, least) })
}

// logRatios returns the logarithms of ratios block by block, NaN where a figure is missing.
func logRatios(a, b []float64) []float64 {
	logs := make([]float64, min(len(a), len(b)))
	for i := range logs {
		logs[i] = math.NaN()
		if a[i] > 0 && b[i] > 0 {
			logs[i] = math.Log(a[i] / b[i])
		}
	}
	return logs
}

// drawnMean returns the mean of the drawn blocks that have a figure, or mean if fewer than two have one. Means of drawn
// blocks scatter less than those of new blocks: the last factor corrects this.
func drawnMean(logs []float64, at []int, mean float64) float64 {
	sum, n := 0.0, 0.0
	for _, i := range at {
		if i < len(logs) && !math.IsNaN(logs[i]) {
			sum, n = sum+logs[i], n+1
		}
	}
	if n < 2 {
		return mean
	}
	return mean + (sum/n-mean)*math.Sqrt(n/(n-1))
}

// toBest turns logarithms of ratios to the first into those of ratios to the best; first is what the first
// takes. A negligible difference counts as none.
func (v Vote) toBest(toFirst []float64, first float64) []float64 {
	best := math.Inf(1)
	for _, r := range toFirst {
		if r < best { // not if it is no number
			best = r
		}
	}
	return lists.Each(toFirst, func(r float64) float64 {
		if v.Negligible > 0 && first*(math.Exp(r)-math.Exp(best)) <= v.Negligible {
			return 0
		}
		return r - best
	})
}

// Of returns what a contestant takes on average as a multiple of the best, with its interval;
// NaN if it has no vote. The interval allows for the luck of the best.
func (a *Averages) Of(name string, t Terms) Estimate {
	luck, weights := 0.0, 0.0
	e := a.estimate(t.confidence(), func(cell resampled) (ratioDrawn, bool) {
		r, known := cell.of[name]
		if known {
			luck, weights = luck+cell.weight*cell.luck, weights+cell.weight
		}
		return r, known
	})
	e.Low -= luck / weights
	e = e.each(math.Exp)
	e.Low = min(max(e.Low, 1), e.Value) // none is better than the best
	return e
}

// Compare returns how many times as much one contestant takes as another, on average over the
// cells in which both have a vote.
func (a *Averages) Compare(one, other string, t Terms) (Estimate, Answer) {
	e := a.estimate(t.confidence(), func(cell resampled) (ratioDrawn, bool) {
		x, y := cell.of[one], cell.of[other]
		d := ratioDrawn{x.measured - y.measured, min(x.blocks, y.blocks), slices.Clone(x.drawn)}
		for i := range min(len(x.drawn), len(y.drawn)) {
			d.drawn[i] -= y.drawn[i]
		}
		return d, d.blocks > 0
	})
	return e.each(math.Exp), answer(e, t.margin(), 0)
}

// estimate returns the weighted mean of a logarithm over cells, with an interval by Student's t. The degrees of freedom
// are those of Welch and Satterthwaite: few cells of few blocks leave much open.
func (a *Averages) estimate(confidence float64, of func(resampled) (ratioDrawn, bool)) Estimate {
	sum, weights, variance, spread, open := 0.0, 0.0, 0.0, 0.0, false
	for _, cell := range a.cells {
		r, known := of(cell)
		if !known {
			continue
		}
		drawn, _ := stats.PopulationVariance(r.drawn) // NaN of none
		own := cell.weight * cell.weight * drawn
		sum, weights, variance = sum+cell.weight*r.measured, weights+cell.weight, variance+own
		if r.blocks < 2 {
			open = true
			continue
		}
		spread += own * own / float64(r.blocks-1)
	}
	mean, reach := sum/weights, 0.0 // NaN of none
	if open {
		reach = math.Inf(1)
	} else if variance > 0 {
		reach = math.Sqrt(variance) / weights * QuantileOfT(confidence, variance*variance/spread)
	}
	return Estimate{mean, mean - reach, mean + reach}
}
