package experiments

import (
	"fmt"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/live"
)

const (
	// floodDelay is the delay of the timer, and floodAhead that of those that are stopped.
	floodDelay = time.Millisecond
	floodAhead = time.Hour
	// floodPatience is how long it is waited for.
	floodPatience = time.Minute
)

// floodCells returns the cell of so many timers that are armed and stopped, one after
// another. Garbage is collected as usual.
func floodCells(p *harness.Plan) []harness.Cell {
	if p.Flood == 0 {
		return nil
	}
	return played{
		experiment: rundata.Flood, name: fmt.Sprintf("flood-%d", p.Flood), turn: time.Duration(p.Flood)*perLivePair + aroundPlay,
		variants: harness.WithAA(slices.DeleteFunc(tickless(p), func(r variant) bool { return r.AddOnly })),
		params:   func(r variant) []any { return []any{"waking", r.waking, "stopped", p.Flood} },
		take: func(s *harness.Session, r variant, _ *rundata.Series, _ int) (int, rundata.Values, error) {
			return floodTurn(s, r, p.Flood)
		},
	}.cells(p)
}

// floodTurn arms and stops n timers, one after another, and then sees how late another is.
func floodTurn(s *harness.Session, r variant, n int) (iterations int, values rundata.Values, err error) {
	if r.Launch != nil {
		err = elsewhere(s, r.Contestant, func(p harness.Process) error {
			late, took, err := p.Flood(s.Ctx, n, floodAhead, floodDelay)
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
	late, took, err := flood(s, target, n)
	if end := target.Close(); err == nil {
		err = end
	}
	return n, floodSample(late, took, n), err
}

func floodSample(late, took time.Duration, n int) rundata.Values {
	return rundata.Values{rundata.LateAfter: float64(late), rundata.NsPerOp: float64(took) / float64(n)}
}

// flood is floodTurn with timers that can be armed.
func flood(s *harness.Session, target live.Target, n int) (late, took time.Duration, err error) {
	began := time.Now()
	for i := range n {
		if i%replacedAtOnce == 0 && s.Ctx.Err() != nil {
			return 0, 0, s.Ctx.Err()
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
	case <-s.Ctx.Done():
		return 0, 0, s.Ctx.Err()
	case <-time.After(floodPatience):
		return 0, 0, fmt.Errorf("a timer of %v did not fire within %v", floodDelay, floodPatience)
	}
}
