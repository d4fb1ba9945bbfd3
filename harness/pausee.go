package harness

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"schedbench/driver"
)

// pausee is the process that is stopped: a contestant and its timers.
type pausee struct {
	c    Contestant
	v    *volley
	hook atomic.Pointer[driver.Pause] // the longest pause that the driver told of
}

// leastPause is the shortest time that a driver is to tell of.
const leastPause = 100 * time.Millisecond

// run lets the timers fire and returns what is to be said of them.
func (p *pausee) run(w io.Writer) (map[string]float64, error) {
	r := runner{Contestant: p.c, opts: []driver.Option{driver.WithPauseHandler(leastPause, p.told)}}
	// A longer tick would show: what was due just before the process goes on, and is
	// rounded up to the next tick, would seem to take that long to catch up.
	d, err := r.start(finestJitter, pauseLead+pauseSpan+jitterHorizon)
	if err != nil {
		return nil, err
	}
	p.v.start = time.Now()
	if err := p.v.arm(context.Background(), starterOf(d)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.c.Name, err)
	}
	if _, err := io.WriteString(w, readyLine); err != nil {
		return nil, err
	}
	if err := p.v.wait(context.Background(), 10*time.Second); err != nil {
		return nil, err
	}
	if d != nil { // which waits for the worker, so that the hook has been called
		if err := closeDriver(d); err != nil {
			return nil, err
		}
	}
	values := judge(p.v.arrivals, p.v.fired, newLateSeries(Pause))
	p.v.addPause(values)
	if h := p.hook.Load(); h != nil {
		values[HookLate], values[HookFired] = float64(h.Late), float64(h.Fired)
	} else if d != nil {
		values[HookLate], values[HookFired] = 0, 0
	}
	return values, nil
}

// told keeps the longest pause.
func (p *pausee) told(pause driver.Pause) {
	if h := p.hook.Load(); h == nil || pause.Late > h.Late {
		p.hook.Store(&pause)
	}
}

// addPause adds what there is to say of the longest time in which no timer
// fired: how long it was, how many came due in it, and how long it took after it
// until they had fired.
func (v *volley) addPause(values map[string]float64) {
	var at []time.Duration
	for i := range v.fired {
		if v.fired[i].times.Load() > 0 {
			at = append(at, time.Duration(v.fired[i].at.Load()))
		}
	}
	slices.Sort(at)
	var from, until time.Duration
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] > until-from {
			from, until = at[i-1], at[i]
		}
	}
	due, last := 0, until
	for i, deadline := range v.deadline {
		if deadline > from && deadline <= until {
			due++
			last = max(last, time.Duration(v.fired[i].at.Load()))
		}
	}
	values[PausedNs], values[DueMeanwhile], values[CatchUpNs] = float64(until-from), float64(due), float64(last-until)
}
