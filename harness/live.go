package harness

import (
	"fmt"
	"strconv"
	"time"
)

// liveCells returns the cells of AfterFunc and Stop on the real clock, n pending
// in all, shared among one goroutine and, in a plan of everything, among two: as
// far as there is somebody to take part. What becomes of many goroutines is for
// Parallel.
func (p *Plan) liveCells(n int) (cells []Cell) {
	for _, goroutines := range []int{1, 2} {
		if goroutines > 1 && !p.Every {
			break
		}
		if contestants := p.liveContestants(n, goroutines); len(contestants) > 0 {
			cells = append(cells, p.liveCell(contestants, n, goroutines))
		}
	}
	return cells
}

func (p *Plan) liveContestants(n, goroutines int) (list []Contestant) {
	for _, c := range p.Contestants {
		if c.Live() && !(c.LinearInsert && p.tooSlow(n)) && !(c.Preset && n > middling) && n >= goroutines {
			list = append(list, c)
		}
	}
	return list
}

func (p *Plan) liveCell(contestants []Contestant, n, goroutines int) Cell {
	return Cell{
		Experiment: Cost,
		Name:       fmt.Sprintf("cost-%s-%d-%d", OpLivePair, n, goroutines),
		Time:       time.Duration(len(contestants)*p.pairRounds()) * p.pairsTime(n, goroutines),
		run: func(s *session) ([]*Series, error) {
			return s.live(contestants, n, goroutines)
		},
	}
}

// live runs a live cell.
func (s *session) live(contestants []Contestant, n, goroutines int) ([]*Series, error) {
	var entrants []*entrant
	for _, c := range contestants {
		series := &Series{Experiment: Cost, Params: []Param{
			{"op", OpLivePair}, {"impl", c.Name}, {"pending", strconv.Itoa(n)}, {"delay", "uniform"},
			{"goroutines", strconv.Itoa(goroutines)}}}
		entrants = append(entrants, s.pairsEntrant(c, nil, series, n, goroutines))
	}
	return interleave(s, s.plan.pairRounds(), entrants)
}
