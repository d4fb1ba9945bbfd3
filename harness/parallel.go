package harness

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// parallelPending returns the pending counts of parallel cells.
func (p *Plan) parallelPending() []int {
	if len(p.Pending) == 0 {
		return nil
	}
	if p.Asked {
		return p.Pending
	}
	few, many := min(1_000, slices.Max(p.Pending)), min(middling, slices.Max(p.Pending))
	if !p.Every || few == many {
		return []int{few}
	}
	return []int{few, many}
}

// parallelCells returns a cell for each pending count and number of goroutines:
// the same pairs as OpLivePair, by goroutines that each have timers of their own,
// through every kind of inbox of one contestant, beside time.AfterFunc.
func (p *Plan) parallelCells() (cells []Cell) {
	who := p.standIns()
	if len(who) == 0 {
		return nil
	}
	entrants := 0
	for _, c := range who {
		entrants += len(inboxes(c, Geometry{}))
	}
	for _, n := range p.parallelPending() {
		for _, goroutines := range p.Goroutines {
			if n < goroutines {
				continue
			}
			cells = append(cells, Cell{
				Experiment: Parallel,
				Name:       fmt.Sprintf("parallel-%d-%d", n, goroutines),
				Time:       time.Duration(entrants*p.pairRounds()) * p.pairsTime(n, goroutines),
				run: func(s *session) ([]*Series, error) {
					return s.parallel(who, n, goroutines)
				},
			})
		}
	}
	return cells
}

// standIns returns who takes part where the driver is asked about and not the
// structure: one contestant for all, and time.AfterFunc.
func (p *Plan) standIns() (list []Contestant) {
	if c, ok := p.standIn(); ok {
		list = append(list, c)
	}
	for _, c := range p.Contestants {
		if c.Runtime {
			list = append(list, c)
		}
	}
	return list
}

// standIn returns the contestant that stands for all: the hierarchical wheel, or
// else the first that has a tick, or else the first that runs live.
func (p *Plan) standIn() (best Contestant, ok bool) {
	rank := func(c Contestant) int {
		switch {
		case !c.Live() || c.Runtime || c.Preset:
			return 0
		case c.Name == "hierwheel":
			return 3
		case c.HasTick:
			return 2
		}
		return 1
	}
	for _, c := range p.Contestants {
		if rank(c) > rank(best) {
			best, ok = c, true
		}
	}
	return best, ok
}

// parallel runs a parallel cell.
func (s *session) parallel(who []Contestant, n, goroutines int) ([]*Series, error) {
	var entrants []*entrant
	for _, c := range who {
		for _, in := range inboxes(c, costGeometry(OpLivePair)) {
			series := &Series{Experiment: Parallel, Params: []Param{
				{"impl", c.Name}, {"inbox", in.name}, {"pending", strconv.Itoa(n)},
				{"goroutines", strconv.Itoa(goroutines)}}}
			entrants = append(entrants, s.pairsEntrant(c, in.opts, series, n, goroutines))
		}
	}
	return interleave(s, s.plan.pairRounds(), entrants)
}
