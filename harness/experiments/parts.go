package experiments

import (
	"slices"
	"time"

	"github.com/montanaflynn/stats"
)

// parts are those in which operations were timed one after another.
type parts struct {
	ops       int             // of each
	took      []time.Duration // by each
	collected []bool          // whether garbage was collected meanwhile
}

func (p *parts) add(took time.Duration, collected bool) {
	p.took, p.collected = append(p.took, took), append(p.collected, collected)
}

// perOp returns how many nanoseconds an operation takes. Parts are put together to stretches of so
// many operations, or one if they are fewer: what a scheduler does once in as many is in each. It is the median of the
// stretches, since the machine may stop for milliseconds in one. Where garbage was collected, they count by their
// mean, and for as much as they are.
func (p *parts) perOp(stretch int) float64 {
	var calm, collecting []float64
	each := min(max((stretch+p.ops-1)/p.ops, 1), len(p.took))
	for i := 0; i+each <= len(p.took); i += each {
		sum := time.Duration(0)
		for _, took := range p.took[i : i+each] {
			sum += took
		}
		into := &calm
		if slices.Contains(p.collected[i:i+each], true) {
			into = &collecting
		}
		*into = append(*into, float64(sum.Nanoseconds())/float64(each*p.ops))
	}
	sum := 0.0
	if len(calm) > 0 {
		median, _ := stats.Median(calm)
		sum += median * float64(len(calm))
	}
	for _, v := range collecting {
		sum += v
	}
	return sum / float64(len(calm)+len(collecting))
}
