package quiet

import (
	"time"

	"github.com/montanaflynn/stats"
)

// Parts are those in which operations were timed one after another, turn by turn.
type Parts struct {
	Ops int // of each part
	// calm has the times of parts without a garbage collection, turn by turn. collecting has those of parts with one,
	// of all turns.
	calm       [][]time.Duration
	collecting []time.Duration
	parts      int
}

// NewTurn begins a turn.
func (p *Parts) NewTurn() { p.calm = append(p.calm, nil) }

// Add adds a part to the turn: how long it took, and whether garbage was collected meanwhile.
func (p *Parts) Add(took time.Duration, collected bool) {
	into := &p.collecting
	if !collected {
		into = &p.calm[len(p.calm)-1]
	}
	*into = append(*into, took)
	p.parts++
}

// Len returns how many operations the parts have.
func (p *Parts) Len() int { return p.parts * p.Ops }

// PerOp returns the nanoseconds of an operation, for each turn. Few turns have a garbage collection, but all turns
// cause them. So a figure averages two means: of the calm parts of the turn, and of the collecting parts of all turns.
// The weights are the shares of calm and collecting parts among all parts. A turn without calm parts gets the median of
// the calm means.
func (p *Parts) PerOp() []float64 {
	var means, figures []float64
	for _, turn := range p.calm {
		if len(turn) > 0 {
			means = append(means, p.mean(turn))
		}
	}
	median, _ := stats.Median(means) // NaN of none: then it has no share
	share := float64(len(p.collecting)) / float64(max(p.parts, 1))
	for _, turn := range p.calm {
		calm := median
		if len(turn) > 0 {
			calm = p.mean(turn)
		}
		if share == 1 {
			calm = 0
		}
		figures = append(figures, (1-share)*calm+share*p.mean(p.collecting))
	}
	return figures
}

func (p *Parts) mean(took []time.Duration) float64 {
	sum := time.Duration(0)
	for _, t := range took {
		sum += t
	}
	return float64(sum.Nanoseconds()) / float64(max(len(took), 1)*p.Ops)
}
