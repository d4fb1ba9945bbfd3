package experiments

import (
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/live"
)

const (
	// A process is stopped for stoppedFor. The stop begins stopAfter after its timers were armed, plus a random time up
	// to stopApart. Otherwise processes side by side would catch up at the same time.
	stoppedFor = 500 * time.Millisecond
	stopAfter  = 300 * time.Millisecond
	stopApart  = 400 * time.Millisecond
	pauseEvery = time.Millisecond        // between deadlines
	pauseSpan  = 1500 * time.Millisecond // from the first to the last: well around the stop
	pauseLead  = 50 * time.Millisecond

	pausePatience = 10 * time.Second
)

// pauseCells returns the cell of processes that are stopped for a while: none if the system cannot stop them, or the plan
// has no Start. It has one wheel, a heap, presets and time.AfterFunc. A suspended machine is not measured: Go's clock,
// CLOCK_MONOTONIC on Linux, stands still meanwhile.
func pauseCells(p *harness.Plan) []harness.Cell {
	who := append(sleepers(p), asTheyAre(p)...)
	variants := withAA(slices.DeleteFunc(tickless(p), func(r variant) bool { return !oneOf(who, r.Contestant) }))
	if p.Start == nil || !blocks.CanSuspend() {
		return nil
	}
	return shared{
		harness.Cell{Experiment: rundata.Pause, Name: "pause", Abreast: latenessAbreast, Weight: weightToExplain}, variants, pauseLead + pauseSpan + 100*time.Millisecond,
		played(rundata.Pause, func(r variant) []any { return []any{"waking", r.waking, "stopped", stoppedFor} }, pauseTurn),
	}.cells(p)
}

func pauseTurn(s *harness.Session, r variant, _ *rundata.Series, _ int) (int, rundata.Values, error) {
	deadlines := make([]time.Duration, pauseSpan/pauseEvery)
	for i := range deadlines {
		deadlines[i] = pauseLead + time.Duration(i)*pauseEvery
	}
	// A longer tick would show: what is rounded up to the next tick would seem to take that long to catch up.
	out, values, err := play(s, r, rundata.NewSeries(rundata.Live), live.Pending(deadlines), r.timers(finestTick, len(deadlines)), live.Options{
		Patience: pausePatience,
		Armed:    func() error { return s.HaveStopped(stopAfter+rand.N(stopApart), stoppedFor) },
	}, nil)
	if err != nil {
		return 0, nil, err
	}
	addPause(values, out.Firings)
	return len(deadlines), values, nil
}

// addPause adds the longest time in which no timer fired, how many came due in it, and how long these then took to fire.
func addPause(values rundata.Values, firings []live.Firing) {
	from, until := longestGap(firings)
	due, last := 0, until
	for _, f := range firings {
		if f.Deadline > from && f.Deadline <= until {
			due++
			last = max(last, f.At)
		}
	}
	values[rundata.PausedNs], values[rundata.DueMeanwhile], values[rundata.CatchUpNs] = float64(until-from), float64(due), float64(last-until)
}
