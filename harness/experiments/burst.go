package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/live"
)

const (
	burstPerTimer = 2 * time.Microsecond   // to arm a timer before all are due
	burstStill    = 5 * time.Millisecond   // before the deadline, in which the harness does nothing
	burstPatience = 2 * time.Minute        // to wait besides: time.AfterFunc may take more than 10 s for a million timers
	burstPhases   = 100 * time.Millisecond // from the start to a burst, at most: as long as most ticks
	drainEach     = 2 * time.Microsecond   // the mean time between two deadlines of a run-out
	floodDelay    = time.Millisecond       // of the timer whose lateness counts
	floodAhead    = time.Hour              // the delay of the stopped ones
	floodPatience = time.Minute
)

// burstPhase returns how much later the burst of a round comes: rounds are spread evenly, by the golden ratio.
func burstPhase(round int) time.Duration {
	_, share := math.Modf(float64(round) * math.Phi)
	return time.Duration(share * float64(burstPhases))
}

func init() { register(harness.Experiment{Name: rundata.Burst, Cells: burstCells, Reads: "burst"}) }

// burstCells returns the cell of timers that are all due at once. The firing pays for its garbage.
func burstCells(p *harness.Plan) []harness.Cell {
	turn := time.Duration(p.Burst)*3*burstPerTimer/2 + 35*time.Millisecond + burstPhases/2
	return massCells(p, rundata.Burst, "pending", p.Burst, turn, filled(p, tickless(p), p.Burst), burstTurn)
}

// massCells returns a cell with n timers, which are a parameter, and none if n is 0.
func massCells(p *harness.Plan, experiment, timers string, n int, turn time.Duration, variants []variant, take taking) []harness.Cell {
	if n == 0 {
		return nil
	}
	params := func(r variant) []any { return []any{"waking", r.waking, timers, n} }
	cell := harness.Cell{Experiment: experiment, Name: fmt.Sprintf("%s-%d", strings.ToLower(experiment), n), Weight: weightToExplain}
	return shared{cell, withAA(variants), turn, played(experiment, params, take)}.cells(p)
}

func burstTurn(s *harness.Session, r variant, series *rundata.Series, round int) (int, rundata.Values, error) {
	n := s.Plan.Burst
	sl := live.Pending(slices.Repeat([]time.Duration{burstStill}, n))
	out, values, err := play(s, r, series, sl, r.timers(costTick, n), live.Options{
		Patience: burstPatience, ToTheLast: true, Before: burstPhase(round),
		Armed: func() error { s.Collect(); return nil },
	}, nil)
	if err != nil {
		return 0, nil, err
	}
	values[rundata.DoneNs], values[rundata.GapNs] = course(out.Firings)
	if out.Metered {
		values[rundata.CPUPerTimer] = float64(out.CPU) / float64(n)
	}
	return n, values, nil
}

// course returns the lateness of the last timer, and the longest time without a firing between the first and the last.
func course(firings []live.Firing) (done, gap float64) {
	if len(firings) == 0 {
		return 0, 0
	}
	slices.SortFunc(firings, func(a, b live.Firing) int { return cmp.Compare(a.At, b.At) })
	for i := 1; i < len(firings); i++ {
		gap = max(gap, float64(firings[i].At-firings[i-1].At))
	}
	return float64(firings[len(firings)-1].Late()), gap
}

func init() { register(harness.Experiment{Name: rundata.Drain, Cells: drainCells, Reads: "drain"}) }

// drainCells returns the cell of timers that all run out on the real clock. Garbage is collected as usual.
func drainCells(p *harness.Plan) []harness.Cell {
	turn := time.Duration(p.Drain)*(drainEach+burstPerTimer+500) + aroundPlay
	return massCells(p, rundata.Drain, "pending", p.Drain, turn, filled(p, stoppable(p), p.Drain), drainTurn)
}

func drainTurn(s *harness.Session, r variant, series *rundata.Series, round int) (int, rundata.Values, error) {
	n := s.Plan.Drain
	random := s.Random(fmt.Sprint("drain", n, round))
	sl := live.Pending(drawn(n, func() time.Duration { return time.Duration(random.Int64N(int64(n) * int64(drainEach))) }))
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

func init() { register(harness.Experiment{Name: rundata.Flood, Cells: floodCells, Reads: "flood"}) }

// floodCells returns the cell of timers that are armed and stopped, one by one. Garbage is collected as usual.
func floodCells(p *harness.Plan) []harness.Cell {
	variants := slices.DeleteFunc(tickless(p), func(r variant) bool { return r.AddOnly })
	return massCells(p, rundata.Flood, "stopped", p.Flood, time.Duration(p.Flood)*perLivePair+aroundPlay, variants, floodTurn)
}

func floodTurn(s *harness.Session, r variant, _ *rundata.Series, _ int) (n int, values rundata.Values, err error) {
	n = s.Plan.Flood
	var late, took time.Duration
	if r.Launch != nil {
		err = elsewhere(s, r.Contestant, func(p harness.Process) (err error) {
			late, took, err = p.Flood(s.Ctx, n, floodAhead, floodDelay)
			return err
		})
	} else if target, cannot := r.target(costTick, floodAhead+floodPatience, 1); cannot != nil {
		err = cannot
	} else {
		late, took, err = flood(s, target, n)
		err = cmp.Or(err, target.Close())
	}
	return n, rundata.Values{rundata.LateAfter: float64(late), rundata.NsPerOp: float64(took) / float64(n)}, err
}

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
