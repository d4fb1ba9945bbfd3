package blocks

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"

	"schedbench/internal/judge"
	"schedbench/internal/lists"
)

// Learned is what the blocks of a cell have shown, which divides the rest of a budget. It omits which contestant is
// ahead: intervals stay valid. See Kalibera and Jones, "Rigorous benchmarking in reasonable time" (2013), and
// docs/decisions/0033.
type Learned struct {
	Blocks, Most int     // the number of blocks, and the largest allowed number; 0 is any number
	Cost         float64 // the time of one more block, in seconds
	Scatter      float64 // that of Scatter
	Weight       float64 // the worth of a narrower interval relative to other cells
	Large        bool    // the cell shares the budget of large populations
}

const (
	// compared is as how many comparisons one counts when intervals are planned: about as many as a published run makes.
	compared = 1000
	// ShareOfLarge is how much of a budget goes to large populations at most.
	ShareOfLarge = 0.3
	spread       = 0.5 // see unclear
)

// narrow is the half-width of an interval, as a logarithm, that leaves few comparisons unclear: a quarter of the margin.
// With half of it cells had their last block when a card still needed twice as narrow intervals: its statements hold together.
var narrow = math.Log(judge.Margin) / 4

// Width returns the half-width of the interval of a cell with so many blocks, by the quantile of Student's t. It is at
// least narrow.
func (l Learned) Width(blocks int) float64 {
	if blocks < 2 {
		return math.Inf(1)
	}
	degrees := float64(blocks - 1)
	if blocks > judge.UsualDegrees {
		degrees += judge.UsualDegrees
	}
	quantile := judge.QuantileOfT(1-(1-judge.Confidence)/compared, degrees)
	return max(l.Scatter*quantile/math.Sqrt(float64(blocks)), narrow)
}

// unclear grows with the expected number of unclear comparisons in a cell with so many blocks. It assumes that the
// density of the logarithms of ratios is in proportion to 1/(spread+ratio). In a published run half of them are below
// 0.9. So a wide interval that becomes narrower clears up less than a narrow one does.
func (l Learned) unclear(blocks int) float64 { return math.Log1p(l.Width(blocks) / spread) }

// Allocate returns how many more blocks each cell gets, within a budget of seconds and one for large populations. Each
// block goes to the cell where a second of measuring clears up most.
func Allocate(cells []Learned, budget, large float64) (more []int) {
	more = make([]int, len(cells))
	gain := func(i int) float64 {
		l := cells[i]
		n := l.Blocks + more[i]
		if l.Most > 0 && n >= l.Most || !(l.Scatter > 0) {
			return 0
		}
		return l.Weight * (l.unclear(n) - l.unclear(n+1)) / l.Cost
	}
	gains := make([]float64, len(cells))
	for i := range cells {
		gains[i] = gain(i)
	}
	for {
		best, most := -1, 0.0
		for i, l := range cells {
			if gains[i] > most && l.Cost <= budget && (!l.Large || l.Cost <= large) {
				best, most = i, gains[i]
			}
		}
		if best < 0 {
			return more
		}
		more[best]++
		gains[best] = gain(best)
		budget -= cells[best].Cost
		if cells[best].Large {
			large -= cells[best].Cost
		}
	}
}

// Scatter returns how far the logarithms of a cell's figures scatter from block to block. It subtracts the mean of each
// block, takes the variance of each series, and returns the root of the median variance. Figures that are not positive
// do not count. With fewer than two blocks Scatter is 0.
func Scatter(figures [][]float64) float64 {
	logs := make([][]float64, len(figures))
	for b := range lists.Most(figures, func(f []float64) int { return len(f) }) {
		sum, n := 0.0, 0.0
		for _, f := range figures {
			if b < len(f) && f[b] > 0 {
				sum, n = sum+math.Log(f[b]), n+1
			}
		}
		for i, f := range figures {
			if b < len(f) && f[b] > 0 && n > 1 {
				logs[i] = append(logs[i], math.Log(f[b])-sum/n)
			}
		}
	}
	var variances []float64
	for _, l := range logs {
		if v, _ := stats.SampleVariance(l); v > 0 { // NaN of fewer than two
			variances = append(variances, v)
		}
	}
	if len(variances) == 0 {
		return 0
	}
	slices.Sort(variances)
	return math.Sqrt(variances[len(variances)/2])
}
