package driver_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// In steady state nothing allocates: not scheduling, stopping or resetting, nor
// the way of a task through the worker, nor a repetition.
func TestNoAllocations(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t)
		for range 1000 {
			after(t, d, time.Minute, nothing)
		}
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			timer, _ := d.AfterFunc(time.Minute, nothing)
			timer.ResetPending(2 * time.Minute)
			timer.Stop()
		}), "AfterFunc, ResetPending, Stop")
		ran := 0
		task := func() { ran++ }
		require.Zero(t, testing.AllocsPerRun(200, func() {
			d.AfterFunc(0, task)
			pass(s.tick)
		}), "AfterFunc and an inline run")
		require.GreaterOrEqual(t, ran, 200)
		ran = 0
		r := every(t, d, false, s.tick, task)
		require.Zero(t, testing.AllocsPerRun(200, func() { pass(s.tick) }), "a repetition")
		require.GreaterOrEqual(t, ran, 90)
		require.True(t, r.Stop())
	})
}

// After a burst, in whatever order it was stopped, a single timer allocates nothing.
func TestNoAllocationsAfterABurst(t *testing.T) {
	orders := map[string]func([]driver.Timer){
		"reverse": slices.Reverse[[]driver.Timer],
		"random": func(all []driver.Timer) {
			rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		},
	}
	for _, s := range chosen("heapsched", "heapsched-sharded", "hierwheel-queued") {
		for order, arrange := range orders {
			for name, opts := range map[string][]driver.Option{"": nil, "/at-once": {driver.WithAtOnce()}} {
				if s.name == "hierwheel-queued" && opts != nil {
					continue
				}
				t.Run(s.name+"/"+order+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						d := s.start(t, opts...)
						timers := make([]driver.Timer, 20_000)
						for i := range timers {
							timers[i] = after(t, d, time.Hour, nothing)
						}
						arrange(timers)
						for _, timer := range timers {
							require.True(t, timer.Stop())
						}
						require.Zero(t, testing.AllocsPerRun(1000, func() {
							timer, _ := d.AfterFunc(time.Hour, nothing)
							timer.Stop()
						}), "AfterFunc, Stop")
						require.Zero(t, testing.AllocsPerRun(1000, func() {
							d.AfterFunc(time.Millisecond, nothing)
							pass(time.Millisecond)
						}), "AfterFunc and an inline run")
					})
				})
			}
		}
	}
}
