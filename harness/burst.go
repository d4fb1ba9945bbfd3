package harness

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"schedbench/live"
)

// Burst asks how long it takes until timers have fired that are all due at once.
const Burst = "Burst"

func burstExperiment() Experiment {
	return Experiment{Name: Burst, Lateness: true, Unit: DoneNs, cells: (*Plan).burstCells}
}

const (
	// burstPerTimer is the time allowed for arming each timer before all are due.
	burstPerTimer = 2 * time.Microsecond
	// burstStill is how long before the deadline nothing else is done any more.
	burstStill = 5 * time.Millisecond
	// burstPatience is how much longer than others timers are waited for that
	// come in masses: time.AfterFunc has been seen to take more than ten seconds
	// for a million.
	burstPatience = 2 * time.Minute
)

// burstCells returns the cell of timers that are all due at once. Garbage is collected
// as usual: what the firing leaves behind is charged to it.
func (p *Plan) burstCells() []Cell {
	runners := slices.DeleteFunc(p.tickless(), func(r runner) bool {
		return r.LinearInsert && p.fillTooSlow(p.Burst, p.LiveRounds)
	})
	if p.Burst == 0 || len(runners) == 0 {
		return nil
	}
	turn := time.Duration(p.Burst)*3*burstPerTimer/2 + 35*time.Millisecond
	name := fmt.Sprintf("burst-%d", p.Burst)
	return []Cell{p.runnersCell(Burst, name, runners, turn, func(s *session, r runner) *competitor {
		series := newLateSeries(Burst, Param{"impl", r.Name}, Param{"waking", r.waking}, Param{"pending", strconv.Itoa(p.Burst)})
		return &competitor{series: series, turn: func(int) (int, map[string]float64, error) {
			return s.burstTurn(r, series, p.Burst)
		}}
	})}
}

// burstTurn has n timers fall due at once, and watches them fire.
func (s *session) burstTurn(r runner, series *Series, n int) (int, map[string]float64, error) {
	sl := live.Pending(slices.Repeat([]time.Duration{burstStill}, n))
	out, err := s.play(sl, r.timers(costTick, n), live.Options{
		Patience: burstPatience, ToTheLast: true,
		Armed: func() error { runtime.GC(); return nil },
	})
	if err != nil {
		return 0, nil, err
	}
	values := series.addOutcome(out, nil)
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
