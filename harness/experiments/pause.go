package experiments

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/live"
)

const (
	// stoppedFor is how long a process is stopped. It is stopped stopAfter after its timers were armed, or at random up to
	// stopApart later: processes that run side by side do not catch up at the same time.
	stoppedFor = 500 * time.Millisecond
	stopAfter  = 300 * time.Millisecond
	stopApart  = 400 * time.Millisecond
	// pauseEvery is the time between deadlines, and pauseSpan from the first to the last: well around the stop.
	pauseEvery = time.Millisecond
	pauseSpan  = 1500 * time.Millisecond
	pauseLead  = 50 * time.Millisecond
	// pausePatience is the additional time to wait for timers.
	pausePatience = 10 * time.Second
	// leastPause is the shortest time that a driver is to report.
	leastPause = 100 * time.Millisecond
)

// A suspended machine is not measured: Go's clock, CLOCK_MONOTONIC on Linux, stands still meanwhile, and nothing comes due.

// pauseCells returns the cell of processes that are stopped for a while: none if the system cannot stop them, or the
// plan has no Start. It is about the driver: it has one wheel, a heap, presets and time.AfterFunc.
func pauseCells(p *harness.Plan) []harness.Cell {
	who := append(sleepers(p), asTheyAre(p)...)
	variants := harness.WithAA(slices.DeleteFunc(tickless(p), func(r variant) bool { return !oneOf(who, r.Contestant) }))
	if p.Start == nil || !blocks.CanSuspend() {
		return nil
	}
	return played{
		harness.Cell{Experiment: rundata.Pause, Name: "pause", Abreast: latenessAbreast}, variants, pauseLead + pauseSpan + 100*time.Millisecond,
		func(r variant) []any { return []any{"waking", r.waking, "stopped", stoppedFor} }, pauseTurn,
	}.cells(p)
}

// pauseTurn arms timers, stops the process for a while, and returns how late the timers fired.
func pauseTurn(s *harness.Session, r variant, _ *rundata.Series, _ int) (int, rundata.Values, error) {
	deadlines := make([]time.Duration, pauseSpan/pauseEvery)
	for i := range deadlines {
		deadlines[i] = pauseLead + time.Duration(i)*pauseEvery
	}
	var longest atomic.Pointer[driver.Pause] // of those that the driver reported
	r.opts = append(slices.Clip(r.opts), driver.WithPauseHandler(leastPause, func(pause driver.Pause) {
		if h := longest.Load(); h == nil || pause.Late > h.Late {
			longest.Store(&pause)
		}
	}))
	// A longer tick would show: what is rounded up to the next tick would seem to take that long to catch up.
	out, values, err := play(s, r, rundata.NewSeries(rundata.Live), live.Pending(deadlines), r.timers(finestTick, len(deadlines)), live.Options{
		Patience: pausePatience,
		Armed:    func() error { return s.HaveStopped(stopAfter+rand.N(stopApart), stoppedFor) },
	}, nil)
	if err != nil {
		return 0, nil, err
	}
	addPause(values, out.Firings)
	if r.Start != nil {
		values[rundata.HookLate], values[rundata.HookFired] = 0, 0
	}
	if h := longest.Load(); h != nil { // the driver has been closed, and the hook called
		values[rundata.HookLate], values[rundata.HookFired] = float64(h.Late), float64(h.Fired)
	}
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
