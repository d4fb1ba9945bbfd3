package experiments

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/live"
)

const (
	// stoppedFor is how long a process is stopped: at a random instant from stopAfter on after its timers were armed,
	// up to stopApart later. Processes beside each other are not to catch up at the same time.
	stoppedFor = 500 * time.Millisecond
	stopAfter  = 300 * time.Millisecond
	stopApart  = 400 * time.Millisecond
	// pauseEvery is the time from one deadline to the next, and pauseSpan that
	// from the first to the last: well before the stop to well after it.
	pauseEvery = time.Millisecond
	pauseSpan  = 1500 * time.Millisecond
	pauseLead  = 50 * time.Millisecond
	// pausePatience is how much longer than others timers are waited for.
	pausePatience = 10 * time.Second
	// leastPause is the shortest time that a driver is to report.
	leastPause = 100 * time.Millisecond
)

// A machine that is suspended is another thing, which is not measured: the clock that Go goes by, CLOCK_MONOTONIC
// on Linux, stands still meanwhile, nothing comes due, and there is nothing to catch up with.

// pauseCells returns the cell of processes that are stopped for a while, and
// none where the system cannot do that, or the plan has no Start. It is about the driver: one wheel and a heap take part, presets and time.AfterFunc.
func pauseCells(p *harness.Plan) []harness.Cell {
	who := append(sleepers(p), asTheyAre(p)...)
	variants := harness.WithAA(slices.DeleteFunc(tickless(p), func(r variant) bool { return !oneOf(who, r.Contestant) }))
	if p.Start == nil || !blocks.CanSuspend() {
		return nil
	}
	return played{
		experiment: rundata.Pause, name: "pause", variants: variants, turn: pauseLead + pauseSpan + 100*time.Millisecond,
		params: func(r variant) []any { return []any{"waking", r.waking, "stopped", stoppedFor} },
		take: func(s *harness.Session, r variant, _ *rundata.Series, _ int) (int, rundata.Values, error) {
			values, err := pauseTurn(s, strings.TrimSuffix(r.Name, rundata.AASuffix))
			return int(values[rundata.Fired] + values[rundata.Lost]), values, err
		},
		beside: true,
	}.cells(p)
}

// pauseTurn starts a process, stops it when its timers have been armed, lets
// it go on, and returns what it reports.
func pauseTurn(s *harness.Session, contestant string) (rundata.Values, error) {
	ctx, cancel := context.WithTimeout(s.Ctx, time.Minute)
	defer cancel()
	p := blocks.NewProcess(s.Plan.Start(ctx, blocks.Order{Experiment: rundata.Pause, Contestant: contestant}))
	if err := p.Start(); err != nil {
		return nil, err
	}
	values, err := watchPaused(p.Out, func() error { return blocks.Suspend(p.Cmd.Process, stoppedFor) })
	if err != nil {
		cancel()
	}
	return values, cmp.Or(err, p.Wait(ctx))
}

// watchPaused follows what a process writes, and has it stopped in between.
func watchPaused(out *bufio.Reader, stop func() error) (values rundata.Values, err error) {
	line, err := out.ReadString('\n')
	if line != blocks.ReadyLine {
		return nil, fmt.Errorf("the process to be stopped wrote %q and not that it is ready: %v", line, err)
	}
	time.Sleep(stopAfter + rand.N(stopApart))
	if err := stop(); err != nil {
		return nil, err
	}
	if err := json.NewDecoder(out).Decode(&values); err != nil {
		return nil, fmt.Errorf("the process that was stopped: %w", err)
	}
	return values, nil
}

// runPaused is what a process does that is stopped: it arms timers, says
// so, and when they have fired it writes what became of them.
func runPaused(w io.Writer, c harness.Contestant) error {
	deadlines := make([]time.Duration, pauseSpan/pauseEvery)
	for i := range deadlines {
		deadlines[i] = pauseLead + time.Duration(i)*pauseEvery
	}
	var longest atomic.Pointer[driver.Pause] // of those that the driver reported
	keep := func(pause driver.Pause) {
		if h := longest.Load(); h == nil || pause.Late > h.Late {
			longest.Store(&pause)
		}
	}
	r := variant{Contestant: c, policy: policy{opts: []driver.Option{driver.WithPauseHandler(leastPause, keep)}}}
	s := &harness.Session{Ctx: context.Background(), Plan: &harness.Plan{}}
	// A longer tick would show: what was due just before the process goes on, and is
	// rounded up to the next tick, would seem to take that long to catch up.
	out, values, err := play(s, r, rundata.NewSeries(rundata.Live), live.Pending(deadlines), r.timers(finestTick, len(deadlines)), live.Options{
		Patience: pausePatience,
		Armed:    func() error { _, err := io.WriteString(w, blocks.ReadyLine); return err },
	}, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	addPause(values, out.Firings)
	if c.Start != nil {
		values[rundata.HookLate], values[rundata.HookFired] = 0, 0
	}
	if h := longest.Load(); h != nil { // the driver has been closed, and the hook called
		values[rundata.HookLate], values[rundata.HookFired] = float64(h.Late), float64(h.Fired)
	}
	return json.NewEncoder(w).Encode(values)
}

// addPause adds what there is to say of the longest time in which no timer
// fired: how long it was, how many came due in it, and how long it took after it
// until they had fired.
func addPause(values rundata.Values, firings []live.Firing) {
	slices.SortFunc(firings, byTime)
	var from, until time.Duration
	for i := 1; i < len(firings); i++ {
		if a, b := firings[i-1].At, firings[i].At; b-a > until-from {
			from, until = a, b
		}
	}
	due, last := 0, until
	for _, f := range firings {
		if f.Deadline > from && f.Deadline <= until {
			due++
			last = max(last, f.At)
		}
	}
	values[rundata.PausedNs], values[rundata.DueMeanwhile], values[rundata.CatchUpNs] = float64(until-from), float64(due), float64(last-until)
}
