package harness

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"schedbench/live"
)

// Burst asks how long it takes until timers have fired that are all due at once.
const Burst = "Burst"

const (
	// burstPerTimer is the time allowed for arming each timer before all are due.
	burstPerTimer = 2 * time.Microsecond
	// burstStill is how long before the deadline nothing else is done any more.
	burstStill = 5 * time.Millisecond
	// burstPatience is how much longer than others timers are waited for that
	// come in masses: time.AfterFunc has been seen to take more than ten seconds
	// for a million.
	burstPatience = 2 * time.Minute
	// burstPhases is over how much time bursts are spread from the start of the timers on, so that those of
	// a contestant with ticks of its own come at all times of a tick: as long as that of most.
	burstPhases = 100 * time.Millisecond
)

// burstPhase returns how much later the burst of a round comes. Whatever the number of rounds, they are
// spread evenly, by the golden ratio.
func burstPhase(round int) time.Duration {
	_, share := math.Modf(float64(round) * math.Phi)
	return time.Duration(share * float64(burstPhases))
}

// burstCells returns the cell of timers that are all due at once. Garbage is collected
// as usual: what the firing leaves behind is charged to it.
func (p *Plan) burstCells() []Cell {
	turn := time.Duration(p.Burst)*3*burstPerTimer/2 + 35*time.Millisecond + burstPhases/2
	return p.massCells(Burst, "burst", p.Burst, turn, p.tickless(), func(s *session, r runner) *competitor {
		series := newLateSeries(Burst, "impl", r.Name, "waking", r.waking, "pending", p.Burst)
		return &competitor{series: series, turn: func(round int) (int, sample, error) {
			return s.burstTurn(r, series, p.Burst, round)
		}}
	})
}

// massCells returns the cell of n timers that come in masses, which a sorted list cannot
// hold if there are too many.
func (p *Plan) massCells(experiment, name string, n int, turn time.Duration, runners []runner, of func(*session, runner) *competitor) []Cell {
	runners = withRunnerAgain(slices.DeleteFunc(runners, func(r runner) bool { return r.LinearInsert && p.fillTooSlow(n) }))
	if n == 0 || len(runners) == 0 {
		return nil
	}
	return []Cell{runnersCell(experiment, fmt.Sprintf("%s-%d", name, n), runners, turn, of).weighing(weightOfBare)}
}

// burstTurn has n timers fall due at once, and watches them fire.
func (s *session) burstTurn(r runner, series *Series, n, round int) (int, sample, error) {
	sl := live.Pending(slices.Repeat([]time.Duration{burstStill}, n))
	out, values, err := s.play(r, series, sl, r.timers(costTick, n), live.Options{
		Patience: burstPatience, ToTheLast: true, Before: burstPhase(round),
		Armed: func() error { runtime.GC(); return nil },
	}, nil)
	if err != nil {
		return 0, nil, err
	}
	values[DoneNs], values[GapNs] = course(out.Firings)
	if out.Metered {
		values[CPUPerTimer] = float64(out.CPU) / float64(n)
	}
	return n, values, nil
}

// course returns how long after their deadline the last of some timers fired, and the
// longest time in which none did, from the first that fired to the last.
func course(firings []live.Firing) (done, gap float64) {
	if len(firings) == 0 {
		return 0, 0
	}
	slices.SortFunc(firings, byTime)
	for i := 1; i < len(firings); i++ {
		gap = max(gap, float64(firings[i].At-firings[i-1].At))
	}
	return float64(firings[len(firings)-1].Late()), gap
}

// byTime compares two timers by when they fired.
func byTime(a, b live.Firing) int { return cmp.Compare(a.At, b.At) }
