package harness

import (
	"fmt"
	"time"

	"schedbench/live"
)

// Flood asks how late a timer is that is armed right after very many were armed and stopped
// again: whoever puts their removal off may have to do that first.
const Flood = "Flood"

const (
	// floodDelay is the delay of the timer, and floodAhead that of those that are stopped.
	floodDelay = time.Millisecond
	floodAhead = time.Hour
	// floodPatience is how long it is waited for.
	floodPatience = time.Minute
)

// floodCells returns the cell of so many timers that are armed and stopped, one after
// another. Garbage is collected as usual.
func (p *Plan) floodCells() []Cell {
	runners := p.floodable()
	if p.Flood == 0 || len(runners) == 0 {
		return nil
	}
	turn := time.Duration(p.Flood)*perLivePair + aroundPlay
	return []Cell{runnersCell(Flood, fmt.Sprintf("flood-%d", p.Flood), runners, turn, func(s *session, r runner) *competitor {
		series := newSeries(Flood, "impl", r.Name, "waking", r.waking, "stopped", p.Flood)
		return &competitor{series: series, turn: func(int) (int, sample, error) { return s.floodTurn(r, p.Flood) }}
	})}
}

// floodable returns those whose timers can be stopped.
func (p *Plan) floodable() (list []runner) {
	for _, r := range p.tickless() {
		if !r.AddOnly {
			list = append(list, r)
		}
	}
	return withRunnerAgain(list)
}

// floodTurn arms and stops n timers, one after another, and then sees how late another is.
func (s *session) floodTurn(r runner, n int) (iterations int, values sample, err error) {
	if r.Launch != nil {
		err = s.elsewhere(r.Contestant, func(p Process) error {
			late, took, err := p.Flood(s.ctx, n, floodAhead, floodDelay)
			values = floodSample(late, took, n)
			return err
		})
		return n, values, err
	}
	timers, err := r.start(costTick, floodAhead+floodPatience)
	if err != nil {
		return 0, nil, err
	}
	target := timers.target(1)
	late, took, err := s.flood(target, n)
	if end := target.Close(); err == nil {
		err = end
	}
	return n, floodSample(late, took, n), err
}

func floodSample(late, took time.Duration, n int) sample {
	return sample{LateAfter: float64(late), NsPerOp: float64(took) / float64(n)}
}

// flood is floodTurn with timers that can be armed.
func (s *session) flood(target live.Target, n int) (late, took time.Duration, err error) {
	began := time.Now()
	for i := range n {
		if i%replacedAtOnce == 0 && s.ctx.Err() != nil {
			return 0, 0, s.ctx.Err()
		}
		if err := target.Arm(0, floodAhead, nothing); err != nil {
			return 0, 0, err
		}
		if !target.Stop(0) {
			return 0, 0, fmt.Errorf(wrongAnswers, 1, i+1, 1, 0)
		}
	}
	took = time.Since(began)
	fired := make(chan time.Time, 1)
	due := time.Now().Add(floodDelay)
	if err := target.Arm(0, floodDelay, func() { fired <- time.Now() }); err != nil {
		return 0, 0, err
	}
	select {
	case at := <-fired:
		return at.Sub(due), took, nil
	case <-s.ctx.Done():
		return 0, 0, s.ctx.Err()
	case <-time.After(floodPatience):
		return 0, 0, fmt.Errorf("a timer of %v did not fire within %v", floodDelay, floodPatience)
	}
}
