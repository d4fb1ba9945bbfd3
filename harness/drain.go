package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// drainSpan is the time over which the deadlines of a run-out on the real clock
// are spread, evenly.
const drainSpan = 2 * time.Second

// drainCells returns the cell of timers that all run out on the real clock.
func (p *Plan) drainCells() []Cell {
	runners := slices.DeleteFunc(p.tickless(), func(r runner) bool {
		return r.Preset || r.LinearInsert && p.fillTooSlow(p.Drain, p.LiveRounds)
	})
	if p.Drain == 0 || len(runners) == 0 {
		return nil
	}
	turn := drainLead(p.Drain) + drainSpan + time.Duration(p.Drain)*500
	return []Cell{{
		Experiment: Drain,
		Name:       fmt.Sprintf("drain-%d", p.Drain),
		Time:       time.Duration(len(runners)*p.LiveRounds) * turn,
		run:        func(s *session) ([]*Series, error) { return s.drain(runners, p.Drain) },
	}}
}

// drainLead is how long before the first deadline scheduling begins.
func drainLead(n int) time.Duration { return time.Duration(n)*burstPerTimer/2 + burstLead }

// drain runs a cell of timers that run out. Garbage is collected as usual.
func (s *session) drain(runners []runner, n int) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		series := newLateSeries(Drain, Param{"impl", r.Name}, Param{"waking", r.waking}, Param{"pending", strconv.Itoa(n)})
		entrants = append(entrants, &entrant{series: series, turn: func() (int, map[string]float64, error) {
			values, err := s.drainTurn(r, series, n)
			if err != nil {
				err = fmt.Errorf("%s: %w", series.Name(), err)
			}
			return n, values, err
		}})
	}
	return interleave(s, s.plan.LiveRounds, entrants)
}

// drainTurn schedules n timers, lets them run out, and reads the CPU time of the
// process over all of that. A machine that is too slow makes timers late, but
// not dear.
func (s *session) drainTurn(r runner, series *Series, n int) (map[string]float64, error) {
	v := newVolley(n)
	random := s.random(fmt.Sprint("drain", n, len(series.Iterations)))
	first := drainLead(n)
	for i := range v.deadline {
		v.deadline[i] = first + time.Duration(random.Int64N(int64(drainSpan)))
	}
	noting := noteAll(v.deadline)
	d, err := r.start(costTick, first+drainSpan+jitterHorizon)
	if err != nil {
		return nil, err
	}
	if d != nil {
		defer func() { _ = closeDriver(d) }()
	}
	collectGarbage()
	before, metered := readUsage()
	v.start = time.Now()
	if err := v.arm(s.ctx, starterOf(d)); err != nil {
		return nil, err
	}
	if err := v.wait(s.ctx, first+drainSpan+burstPatience); err != nil {
		return nil, err
	}
	now, _ := readUsage()
	values := judge(v.arrivals, v.fired, series)
	if metered {
		values[CPUPerTimer] = float64(now.cpu-before.cpu) / float64(n)
		values[NotingCPU] = float64(noting) / float64(n)
	}
	return values, nil
}

// noteAll returns the CPU time that tasks like those of a run-out take by
// themselves, called in the order of the deadlines.
func noteAll(deadlines []time.Duration) time.Duration {
	v := newVolley(len(deadlines))
	order := make([]int, len(deadlines))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(deadlines[a], deadlines[b]) })
	collectGarbage()
	before, _ := readUsage()
	v.start = time.Now()
	for _, i := range order {
		v.tasks[i]()
	}
	after, _ := readUsage()
	return after.cpu - before.cpu
}
