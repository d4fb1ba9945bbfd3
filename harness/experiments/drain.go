package experiments

import (
	"fmt"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/live"
)

// drainSpan is the time over which the deadlines of a run-out on the real clock
// are spread, evenly.
const drainSpan = 2 * time.Second

// drainCells returns the cell of timers that all run out on the real clock. Garbage is
// collected as usual.
func drainCells(p *harness.Plan) []harness.Cell {
	turn := drainSpan + time.Duration(p.Drain)*(burstPerTimer+500) + aroundPlay
	return massCells(p, rundata.Drain, "drain", p.Drain, turn, unset(p), func(s *harness.Session, r variant) *harness.Turns {
		series := rundata.NewLateSeries(rundata.Drain, "impl", r.Name, "waking", r.waking, "pending", p.Drain)
		return &harness.Turns{Series: series, Turn: func(round int) (int, rundata.Values, error) {
			return drainTurn(s, r, series, p.Drain, round)
		}}
	})
}

// drainTurn arms n timers, lets them run out, and reads the CPU time of all of that.
func drainTurn(s *harness.Session, r variant, series *rundata.Series, n, round int) (int, rundata.Values, error) {
	random := s.Random(fmt.Sprint("drain", n, round))
	sl := live.Pending(drawn(n, func() time.Duration { return time.Duration(random.Int64N(int64(drainSpan))) }))
	noting := live.NotingCPU(sl)
	out, values, err := play(s, r, series, sl, r.timers(costTick, n), live.Options{Patience: burstPatience, ToTheLast: true}, nil)
	if err != nil {
		return 0, nil, err
	}
	if out.Metered {
		values[rundata.CPUPerTimer] = float64(out.ArmingCPU+out.CPU) / float64(n)
		values[rundata.NotingCPU] = float64(noting) / float64(n)
	}
	return n, values, nil
}
