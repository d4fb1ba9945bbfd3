package harness

import (
	"fmt"
	"time"

	"schedbench/internal/quantile"
	"schedbench/live"
)

// ShortDelays is the value of the parameter delays of lateness with delays so short that
// many a timer is due before the one for which the worker sleeps.
const ShortDelays = "short"

// mostShort is the longest of the short delays. They begin at 0.
const mostShort = 5 * time.Millisecond

// shortCells returns the cell of short delays, whose timers arrive when they are planned to
// and not ahead of it, if there is somebody to take part. The worker of a driver is kicked for those that come first. It
// takes half a slice, since lateness hardly depends on who keeps the timers.
func (p *Plan) shortCells() []Cell {
	runners, length := withRunnerAgain(p.tickless()), p.Slice/2
	if len(runners) == 0 {
		return nil
	}
	turn := length + mostShort + aroundPlay
	return []Cell{runnersCell(Jitter, "jitter-short", runners, turn, func(s *session, r runner) *competitor {
		series := newLateSeries(Jitter, "impl", r.Name, "waking", r.waking, "rate", p.Rate, "delays", ShortDelays)
		return &competitor{series: series, turn: func(round int) (int, sample, error) {
			return s.jitterTurn(r, series, s.arriveShortly(round, length), nil)
		}}
	}).withoutGC().sideBySide(p, latenessAbreast)}
}

// arriveShortly draws arrivals with short delays, different ones in each round.
func (s *session) arriveShortly(round int, length time.Duration) *live.Slice {
	return live.PunctualArrivals(s.arrivals(fmt.Sprint("short", round), length, s.plan.Rate, 0, mostShort))
}

// addArming adds how late timers were armed that arrive when they are planned to, and what
// it took to be there in time. What is armed late may fire late, through no fault of its
// driver's.
func addArming(values sample, out *live.Outcome) {
	if len(out.HandedLate) == 0 {
		return
	}
	late := newHistogram()
	for _, l := range out.HandedLate {
		record(late, l)
	}
	values[ArmedP50Late], values[ArmedP99Late] = float64(quantile.Of(late, 0.5)), float64(quantile.Of(late, 0.99))
	if out.Metered {
		values[ArmingCPU] = float64(out.PlayerCPU) / out.Took.Seconds()
	}
}
