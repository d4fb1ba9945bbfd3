package harness

import (
	"fmt"
	"time"

	"schedbench/live"
)

// Drain asks what it costs to arm timers and have them all run out on the real clock.
const Drain = "Drain"

// drainSpan is the time over which the deadlines of a run-out on the real clock
// are spread, evenly.
const drainSpan = 2 * time.Second

// drainCells returns the cell of timers that all run out on the real clock. Garbage is
// collected as usual.
func (p *Plan) drainCells() []Cell {
	turn := drainSpan + time.Duration(p.Drain)*(burstPerTimer+500) + aroundPlay
	return p.massCells(Drain, "drain", p.Drain, turn, p.unset(), func(s *session, r runner) *competitor {
		series := newLateSeries(Drain, "impl", r.Name, "waking", r.waking, "pending", p.Drain)
		return &competitor{series: series, turn: func(round int) (int, sample, error) {
			return s.drainTurn(r, series, p.Drain, round)
		}}
	})
}

// drainTurn arms n timers, lets them run out, and reads the CPU time of all of that.
func (s *session) drainTurn(r runner, series *Series, n, round int) (int, sample, error) {
	random := s.random(fmt.Sprint("drain", n, round))
	sl := live.Pending(drawn(n, func() time.Duration { return time.Duration(random.Int64N(int64(drainSpan))) }))
	noting := live.NotingCPU(sl)
	out, values, err := s.play(r, series, sl, r.timers(costTick, n), live.Options{Patience: burstPatience, ToTheLast: true}, nil)
	if err != nil {
		return 0, nil, err
	}
	if out.Metered {
		values[CPUPerTimer] = float64(out.ArmingCPU+out.CPU) / float64(n)
		values[NotingCPU] = float64(noting) / float64(n)
	}
	return n, values, nil
}
