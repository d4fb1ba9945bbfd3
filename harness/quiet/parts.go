package quiet

import (
	"time"

	"github.com/montanaflynn/stats"

	"schedbench/internal/lists"
)

// Parts are those in which operations were timed one after another, turn by turn. The first part of a turn finds the caches
// as the turns of others left them. Later parts find warm caches. They count only for work that all operations cause and
// few parts do, such as a garbage collection.
type Parts struct {
	Ops     int // of each part
	all     []timedPart
	begins  bool // the next part is the first of a turn
	several bool // a turn has several parts, or garbage was collected
}

type timedPart struct {
	took             float64 // nanoseconds
	first, collected bool
}

// NewTurn begins a turn.
func (p *Parts) NewTurn() { p.begins = true }

// Add adds a part to the turn: how long it took, and whether garbage was collected meanwhile.
func (p *Parts) Add(took time.Duration, collected bool) {
	p.all = append(p.all, timedPart{float64(took), p.begins, collected})
	p.several = p.several || !p.begins || collected
	p.begins = false
}

// Len returns how many operations the parts have.
func (p *Parts) Len() int { return len(p.all) * p.Ops }

// PerOp returns the nanoseconds of an operation, for each turn: in its first part, and what an operation causes beyond the
// usual. A first part with a garbage collection counts as usual. If each turn has one part, and none has a collection, time
// beyond the usual is left out: other processes cause it.
func (p *Parts) PerOp() (figures []float64) {
	usual, beyond := p.usual(true), 0.0
	if p.several {
		beyond = max(p.beyond(), 0) // a few short parts could put it below
	}
	for _, part := range p.all {
		switch {
		case part.first && part.collected:
			figures = append(figures, usual+beyond)
		case part.first:
			figures = append(figures, p.perOp(part)+beyond)
		}
	}
	return figures
}

// Mean returns the usual nanoseconds of an operation in first parts, and what an operation causes beyond the usual. If each
// turn has one part, this is the mean of all.
func (p *Parts) Mean() float64 { return p.usual(true) + p.beyond() }

// usual returns the median time of an operation in first or in later parts without a garbage collection. If all of them have
// one, it takes any part without; if all parts have one, any part.
func (p *Parts) usual(first bool) float64 {
	median, err := p.median(func(part timedPart) bool { return part.first == first && !part.collected })
	if err != nil {
		median, err = p.median(func(part timedPart) bool { return !part.collected })
	}
	if err != nil {
		median, _ = p.median(func(timedPart) bool { return true })
	}
	return median
}

func (p *Parts) median(of func(timedPart) bool) (float64, error) {
	return stats.Median(lists.Each(lists.Only(p.all, of), p.perOp))
}

func (p *Parts) perOp(part timedPart) float64 { return part.took / float64(p.Ops) }

// beyond returns how much longer than usual an operation takes, on average over all parts.
func (p *Parts) beyond() (ns float64) {
	usual := map[bool]float64{true: p.usual(true), false: p.usual(false)}
	for _, part := range p.all {
		ns += p.perOp(part) - usual[part.first]
	}
	return ns / float64(max(len(p.all), 1))
}
