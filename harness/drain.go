package harness

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"schedbench/live"
)

// Drain asks what it costs to arm timers and have them all run out on the real clock.
const Drain = "Drain"

func drainExperiment() Experiment {
	return Experiment{Name: Drain, OnlyFull: true, Lateness: true, Unit: CPUPerTimer, cells: (*Plan).drainCells}
}

// drainSpan is the time over which the deadlines of a run-out on the real clock
// are spread, evenly.
const drainSpan = 2 * time.Second

// drainCells returns the cell of timers that all run out on the real clock. Garbage is
// collected as usual.
func (p *Plan) drainCells() []Cell {
	runners := slices.DeleteFunc(p.tickless(), func(r runner) bool {
		return r.Preset || r.LinearInsert && p.fillTooSlow(p.Drain, p.LiveRounds)
	})
	if p.Drain == 0 || len(runners) == 0 {
		return nil
	}
	turn := drainSpan + time.Duration(p.Drain)*(burstPerTimer+500) + aroundPlay
	name := fmt.Sprintf("drain-%d", p.Drain)
	return []Cell{p.runnersCell(Drain, name, runners, turn, func(s *session, r runner) *competitor {
		series := newLateSeries(Drain, Param{"impl", r.Name}, Param{"waking", r.waking}, Param{"pending", strconv.Itoa(p.Drain)})
		return &competitor{series: series, turn: func(round int) (int, map[string]float64, error) {
			values, err := s.drainTurn(r, series, p.Drain, round)
			return p.Drain, values, err
		}}
	})}
}

// drainTurn arms n timers, lets them run out, and reads the CPU time of all of that.
func (s *session) drainTurn(r runner, series *Series, n, round int) (map[string]float64, error) {
	random := s.random(fmt.Sprint("drain", n, round))
	deadlines := make([]time.Duration, n)
	for i := range deadlines {
		deadlines[i] = time.Duration(random.Int64N(int64(drainSpan)))
	}
	sl := live.Pending(deadlines)
	noting := live.NotingCPU(sl)
	out, err := s.play(sl, r.timers(costTick, n), live.Options{Patience: burstPatience, ToTheLast: true})
	if err != nil {
		return nil, err
	}
	values := series.addOutcome(out, nil)
	if out.Metered {
		values[CPUPerTimer] = float64(out.ArmingCPU+out.CPU) / float64(n)
		values[NotingCPU] = float64(noting) / float64(n)
	}
	return values, nil
}
