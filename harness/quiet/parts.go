package quiet

import (
	"time"

	"github.com/montanaflynn/stats"
)

// Parts are those in which operations were timed one after another.
type Parts struct {
	// Ops is how many operations each part has.
	Ops int
	// calm and collecting are how long parts took: those without a garbage collection, and those with one.
	calm, collecting []time.Duration
}

// Add adds a part: how long it took, and whether garbage was collected meanwhile.
func (p *Parts) Add(took time.Duration, collected bool) {
	into := &p.calm
	if collected {
		into = &p.collecting
	}
	*into = append(*into, took)
}

// Len returns how many operations the parts have.
func (p *Parts) Len() int { return (len(p.calm) + len(p.collecting)) * p.Ops }

// PerOp returns the nanoseconds of an operation. Parts without a collection count by the median of stretches
// of at least so many operations, or of all if they are fewer: each stretch then has the rare work of a
// scheduler, and a stall of milliseconds falls into one. Parts with a collection count by their mean. Each
// kind has the weight of its share of all parts. Without any part it returns 0.
func (p *Parts) PerOp(stretch int) float64 {
	each := max((stretch+p.Ops-1)/p.Ops, 1)
	var stretches []float64
	for left := p.calm; len(left) > 0; {
		n := min(each, len(left))
		if len(left) < 2*each { // the last has the rest
			n = len(left)
		}
		stretches, left = append(stretches, p.mean(left[:n])), left[n:]
	}
	share := float64(len(p.collecting)) / float64(max(len(p.calm)+len(p.collecting), 1))
	median, err := stats.Median(stretches)
	if err != nil { // there are none
		median = 0
	}
	return (1-share)*median + share*p.mean(p.collecting)
}

// mean returns what an operation takes in parts on average, 0 of none.
func (p *Parts) mean(took []time.Duration) float64 {
	sum := time.Duration(0)
	for _, t := range took {
		sum += t
	}
	return float64(sum.Nanoseconds()) / float64(max(len(took), 1)*p.Ops)
}
