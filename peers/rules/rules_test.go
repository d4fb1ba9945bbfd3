package rules

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
	"schedbench/internal/must"
	"schedbench/live"
	"schedbench/peers/libraries"
)

var update = flag.Bool("update", false, "write what is found of the libraries into the file that the command prints")

func find(t *testing.T, l libraries.Library) (all []Finding) {
	synctest.Test(t, func(t *testing.T) { all = must.Get(Check(l))(t) })
	return all
}

// broken returns the rules that are, with what was found.
func broken(all []Finding) map[string]string {
	found := map[string]string{}
	for _, f := range all {
		if f.Broken != "" {
			found[f.Rule] = f.Broken
		}
	}
	return found
}

type driven struct{ *driver.Driver }

func (d driven) AfterFunc(delay time.Duration, task func()) (live.Timer, error) {
	timer, err := d.Driver.AfterFunc(delay, task)
	return drivenTimer{timer}, err
}

type drivenTimer struct{ driver.Timer }

func (t drivenTimer) Reset(delay time.Duration) bool {
	ok, err := t.Timer.ResetPending(delay)
	return ok && err == nil
}

func (d driven) Close() error {
	_, err := d.Driver.Close(context.Background())
	return err
}

// moving is a library whose timers can be stopped and moved.
func moving(name string, open func(harness.Geometry) (live.Timers, error)) libraries.Library {
	return libraries.Library{Moves: true, Contestant: harness.Contestant{Name: name, Open: open}}
}

func TestDriversOfThisProjectBreakNoRule(t *testing.T) {
	const tick = 10 * time.Millisecond
	for _, c := range catalog.Contestants() {
		l := moving(c.Name, func(g harness.Geometry) (live.Timers, error) {
			g.Tick = tick
			d, err := c.Start(g)
			return driven{d}, err
		})
		if c.HasTick {
			l.Tick = tick
		}
		require.Empty(t, broken(find(t, l)), c.Name)
	}
}

// runtimeTimers are those of the Go runtime, with a fault.
type runtimeTimers struct {
	arm    func(delay time.Duration, task func()) *time.Timer
	stop   func(*time.Timer) bool
	reset  func(*time.Timer, time.Duration) bool
	all    []*time.Timer
	closes bool
}

func (r *runtimeTimers) AfterFunc(delay time.Duration, task func()) (live.Timer, error) {
	timer := r.arm(delay, task)
	r.all = append(r.all, timer)
	return &faultyTimer{r, timer}, nil
}

type faultyTimer struct {
	of    *runtimeTimers
	timer *time.Timer
}

func (f *faultyTimer) Stop() bool                     { return f.of.stop(f.timer) }
func (f *faultyTimer) Reset(delay time.Duration) bool { return f.of.reset(f.timer, delay) }

func (r *runtimeTimers) Close() error {
	for _, timer := range r.all {
		if r.closes {
			timer.Stop()
		}
	}
	return nil
}

func faulty(change func(*runtimeTimers)) libraries.Library {
	return moving("faulty", func(harness.Geometry) (live.Timers, error) {
		r := &runtimeTimers{arm: time.AfterFunc, stop: (*time.Timer).Stop, reset: (*time.Timer).Reset, closes: true}
		change(r)
		return r, nil
	})
}

func TestEveryFaultIsFound(t *testing.T) {
	armed := 0
	for name, c := range map[string]struct {
		change func(*runtimeTimers)
		want   []string
	}{
		"none":  {func(*runtimeTimers) {}, nil},
		"early": {func(r *runtimeTimers) { r.arm = shifted(-time.Microsecond) }, []string{"never-early", "long-delays"}},
		"late":  {func(r *runtimeTimers) { r.arm = shifted(time.Microsecond) }, []string{"late-by-less-than-a-tick", "past-deadline", "long-delays"}},
		"lost": {func(r *runtimeTimers) {
			r.arm = func(d time.Duration, f func()) *time.Timer {
				if armed++; armed%10 == 0 {
					f = func() {}
				}
				return time.AfterFunc(d, f)
			}
		}, []string{"all-fire", "same-deadline", "long-delays", "cancel-spares-others", "reset"}},
		"twice":     {func(r *runtimeTimers) { r.arm = twice }, []string{"fires-once"}},
		"reordered": {func(r *runtimeTimers) { r.arm = reordered() }, []string{"late-by-less-than-a-tick", "order", "past-deadline", "long-delays"}},
		"always stopped": {func(r *runtimeTimers) {
			r.stop = func(timer *time.Timer) bool { timer.Stop(); return true }
		}, []string{"cancel-once", "cancel-fired"}},
		"not stopped": {func(r *runtimeTimers) { r.stop = func(*time.Timer) bool { return false } }, []string{"cancel-once"}},
		"moved elsewhere": {func(r *runtimeTimers) {
			r.reset = func(timer *time.Timer, d time.Duration) bool { return timer.Reset(d + time.Second) }
		}, []string{"reset"}},
		"not moved": {func(r *runtimeTimers) { r.reset = func(*time.Timer, time.Duration) bool { return false } }, []string{"reset"}},
		"endless":   {func(r *runtimeTimers) { r.closes = false }, []string{"ends"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := broken(find(t, faulty(c.change)))
			require.Len(t, found, len(c.want), "%v", found)
			for _, rule := range c.want {
				require.Contains(t, found, rule)
			}
		})
	}
}

func shifted(by time.Duration) func(time.Duration, func()) *time.Timer {
	return func(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d+by, f) }
}

func twice(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, func() { f(); f() }) }

// reordered makes every other timer a second late.
func reordered() func(time.Duration, func()) *time.Timer {
	n := 0
	return func(d time.Duration, f func()) *time.Timer {
		if n++; n%2 == 0 {
			d = max(d, 0) + time.Second
		}
		return time.AfterFunc(d, f)
	}
}

func TestAnErrorIsNoFinding(t *testing.T) {
	mine := errors.New("mine")
	_, err := Check(moving("", func(harness.Geometry) (live.Timers, error) { return nil, mine }))
	require.ErrorIs(t, err, mine)
}

// TestTheTableIsWhatIsFound holds the file that the command prints to what the libraries do.
func TestTheTableIsWhatIsFound(t *testing.T) {
	hashWheel := moving(libraries.HashWheelName, func(harness.Geometry) (live.Timers, error) {
		d, err := driver.Start(libraries.NewHashWheel[driver.Task]())
		return driven{d}, err
	})
	var all []Finding
	for _, l := range append(libraries.All(), hashWheel) {
		all = append(all, find(t, l)...)
	}
	var table strings.Builder
	require.NoError(t, WriteTable(&table, all))
	if *update {
		require.NoError(t, os.WriteFile("found.txt", []byte(table.String()), 0o644))
	}
	require.Equal(t, table.String(), Found, "go test ./rules -update writes it")
}
