package harness

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"schedbench/driver"
)

// liveCells returns the cells of AfterFunc and Stop on the real clock, n pending
// in all, shared among one goroutine and among two: as far as there is somebody
// to take part.
func (p *Plan) liveCells(n int) (cells []Cell) {
	for _, goroutines := range []int{1, 2} {
		if contestants := p.liveContestants(n, goroutines); len(contestants) > 0 {
			cells = append(cells, p.liveCell(contestants, n, goroutines))
		}
	}
	return cells
}

func (p *Plan) liveContestants(n, goroutines int) (list []Contestant) {
	for _, c := range p.Contestants {
		if c.Live() && !(c.LinearInsert && p.fillTooSlow(n, 1)) && n >= goroutines {
			list = append(list, c)
		}
	}
	return list
}

func (p *Plan) liveCell(contestants []Contestant, n, goroutines int) Cell {
	return Cell{
		Experiment: Cost,
		Name:       fmt.Sprintf("cost-%s-%d-%d", OpLivePair, n, goroutines),
		Time:       time.Duration(len(contestants)) * (time.Duration(n)*300 + 2*time.Duration(p.rounds(n))*p.Epoch),
		run: func(s *session) (series []*Series, err error) {
			withoutGC(func() { series, err = s.live(contestants, n, goroutines) })
			return series, err
		},
	}
}

// live runs a live cell.
func (s *session) live(contestants []Contestant, n, goroutines int) ([]*Series, error) {
	draw := uniform(shortest, longest)
	var entrants []*entrant
	for _, c := range contestants {
		pops, err := s.livePopulations(c, n, goroutines)
		if err != nil {
			free(entrants)
			return nil, err
		}
		series := &Series{Experiment: Cost, Params: []Param{
			{"op", OpLivePair}, {"impl", c.Name}, {"pending", strconv.Itoa(n)}, {"delay", "uniform"},
			{"goroutines", strconv.Itoa(goroutines)}}}
		r := s.random(fmt.Sprint(OpLivePair, n, goroutines))
		scripts := make([]*script, goroutines)
		for i := range scripts {
			scripts[i] = newScript(s.plan.ops(c, n) / goroutines)
		}
		entrants = append(entrants, &entrant{series: series,
			turn: func() (int, map[string]float64, error) {
				for i, sc := range scripts {
					sc.draw(r, pops[i].len(), draw)
				}
				collectGarbage()
				took, wrong := timed(func() int { return inParallel(pops, scripts) })
				ops := len(scripts[0].picks) * goroutines
				if wrong > 0 {
					return 0, nil, fmt.Errorf("%s: %d of %d operations gave a wrong answer", series.Name(), wrong, ops)
				}
				return ops, map[string]float64{NsPerOp: float64(took.Nanoseconds()) / float64(ops)}, nil
			},
			done: func() { closeAll(pops) }})
	}
	return interleave(s, s.plan.rounds(n), entrants)
}

// livePopulations fills a population for each goroutine, of one driver.
func (s *session) livePopulations(c Contestant, n, goroutines int) ([]population, error) {
	var d *driver.Driver
	if !c.Runtime {
		var err error
		if d, err = startDriver(c, costGeometry(OpLivePair)); err != nil {
			return nil, err
		}
	}
	draw, r := uniform(shortest, longest), s.random(fmt.Sprint("fill", n))
	pops := make([]population, goroutines)
	for i := range pops {
		if d == nil {
			pops[i] = newRuntimeTimers()
		} else {
			pops[i] = newDriverTimers(d)
		}
		delays := make([]time.Duration, n/goroutines)
		for j := range delays {
			delays[j] = draw(r)
		}
		if wrong := pops[i].fill(delays); wrong > 0 {
			closeAll(pops[:i+1])
			return nil, fmt.Errorf("%s: %d of %d insertions failed", c.Name, wrong, len(delays))
		}
	}
	return pops, nil
}

func closeAll(pops []population) {
	for _, p := range pops {
		p.close()
	}
}

// inParallel plays a script on each population at once.
func inParallel(pops []population, scripts []*script) (wrong int) {
	if len(pops) == 1 {
		return pops[0].pairs(scripts[0])
	}
	counts := make([]int, len(pops))
	var wg sync.WaitGroup
	for i := range pops {
		wg.Go(func() { counts[i] = pops[i].pairs(scripts[i]) })
	}
	wg.Wait()
	for _, c := range counts {
		wrong += c
	}
	return wrong
}
