package driver_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/driver"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

const ms = time.Millisecond

// every is Every, or EveryAtFixedRate, for periods that are not refused.
func every(t *testing.T, d *driver.Driver, rate bool, period time.Duration, f func()) *driver.Repeating {
	t.Helper()
	repeat := d.Every
	if rate {
		repeat = d.EveryAtFixedRate
	}
	return must.Get(repeat(period, f))(t)
}

// everyKnown is every for a task that gets its Repeating.
func everyKnown(t *testing.T, d *driver.Driver, rate bool, period time.Duration, f func(*driver.Repeating)) *driver.Repeating {
	t.Helper()
	known := make(chan *driver.Repeating, 1)
	r := every(t, d, rate, period, func() {
		r := <-known
		known <- r
		f(r)
	})
	known <- r
	return r
}

// eachRate runs test for both ways of repeating.
func eachRate(t *testing.T, test func(t *testing.T, rate bool)) {
	t.Run("delay", func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, false) }) })
	t.Run("rate", func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, true) }) })
}

// Whatever the runs take, and wherever they run, they begin when the documentation says, and do not overlap.
func TestEveryModel(t *testing.T) {
	var exact []variant
	for _, s := range allVariants() {
		if s.tick == 1 && s.horizon == 0 {
			exact = append(exact, s)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := exact[rapid.IntRange(0, len(exact)-1).Draw(rt, "variant")]
		running := rapid.SampledFrom([]driver.Running{driver.Inline{}, driver.Goroutine{}, driver.Pool{Workers: 3, Queue: 2}}).Draw(rt, "running")
		period := time.Duration(rapid.IntRange(1, 50).Draw(rt, "period"))
		takes := rapid.SliceOfN(rapid.IntRange(0, 200), 1, 20).Draw(rt, "takes")
		rate := rapid.Bool().Draw(rt, "rate")
		var want, got []time.Duration
		var wantMissed, gotMissed []uint64
		missed, at := uint64(0), period
		for _, take := range takes {
			want, wantMissed = append(want, at), append(wantMissed, missed)
			ended := at + time.Duration(take)
			if at += period; !rate {
				at = ended + period
			}
			for ; at <= ended; at += period {
				missed++
			}
		}
		synctest.Test(t, func(t *testing.T) {
			d := s.start(t, driver.WithRunning(running))
			began := time.Now()
			everyKnown(t, d, rate, period, func(r *driver.Repeating) {
				got, gotMissed = append(got, time.Since(began)), append(gotMissed, r.Missed())
				time.Sleep(time.Duration(takes[len(got)-1]))
				if len(got) == len(takes) {
					r.Stop()
				}
			})
			pass(at + period)
		})
		require.Equal(rt, want, got)
		require.Equal(rt, wantMissed, gotMissed)
	})
}

// Stop before the first run, during one, from inside one, and between two: no other follows, the one that goes on is not
// waited for, and a second Stop has nothing to stop. Until then the task keeps its room among the pending.
func TestEveryStop(t *testing.T) {
	for name, c := range map[string]struct {
		wait time.Duration
		runs int
	}{"before": {500 * ms, 0}, "during": {1100 * ms, 1}, "inside": {1000 * ms, 1}, "between": {1500 * ms, 1}} {
		t.Run(name, func(t *testing.T) {
			eachRate(t, func(t *testing.T, rate bool) {
				d := start(t, newPlain(), driver.WithMaxPending(1), driver.WithRunning(driver.Goroutine{}))
				full := func() {
					t.Helper()
					_, err := d.AfterFunc(0, nothing)
					require.ErrorIs(t, err, driver.ErrMaxPending)
				}
				runs, ended := 0, 0
				r := everyKnown(t, d, rate, time.Second, func(r *driver.Repeating) {
					runs++
					full()
					if name == "inside" {
						require.True(t, r.Stop())
					}
					time.Sleep(200 * ms)
					ended++
				})
				for range c.wait / (100 * ms) {
					full()
					pass(100 * ms)
				}
				if name != "inside" {
					full()
					began := time.Now()
					require.True(t, r.Stop())
					require.Zero(t, time.Since(began), "waits for nothing")
				}
				require.False(t, r.Stop(), "stopped before")
				require.Zero(t, d.Len())
				held := after(t, d, time.Hour, nothing)
				full()
				require.True(t, held.Stop())
				pass(time.Minute)
				require.Equal(t, []int{c.runs, c.runs}, []int{runs, ended})
				require.Equal(t, uint64(c.runs), d.Stats().Fired, "nor is one begun in vain")
				require.False(t, r.Stop())
			})
		})
	}
}

// A run that has to wait in the queue of a pool does not come any more once Stop
// has returned true, though the driver has begun it.
func TestEveryStoppedInTheQueueOfAPool(t *testing.T) {
	eachRate(t, func(t *testing.T, rate bool) {
		d := start(t, newPlain(), driver.WithMaxPending(2), driver.WithRunning(driver.Pool{Workers: 1, Queue: 1}))
		after(t, d, time.Second, func() { time.Sleep(time.Second) })
		r := every(t, d, rate, time.Second, func() { t.Error("ran after Stop") })
		pass(1500 * ms)
		require.Equal(t, uint64(2), d.Stats().Fired)
		require.True(t, r.Stop())
		require.False(t, r.Stop())
		pass(time.Minute)
		after(t, d, time.Second, nothing)
		after(t, d, time.Second, nothing)
	})
}

// Close returns a repeating task once, with the function that was given, and ends
// it. One whose run goes on is waited for and not returned.
func TestEveryAndClose(t *testing.T) {
	eachRate(t, func(t *testing.T, rate bool) {
		d := start(t, newPlain(), driver.WithRunning(driver.Goroutine{}))
		runs, long := 0, 0
		waiting := every(t, d, rate, time.Second, func() { runs++ })
		running := every(t, d, rate, time.Second, func() { time.Sleep(5 * time.Second); long++ })
		pass(2500 * ms)
		unfired := must.Get(d.Close(context.Background()))(t)
		require.Equal(t, 1, long, "is waited for")
		require.Len(t, unfired, 1)
		require.Equal(t, 500*ms, unfired[0].Remaining)
		require.Equal(t, 2, runs)
		unfired[0].Func()
		unfired[0].Func()
		require.Equal(t, 4, runs, "the function itself")
		pass(time.Minute)
		require.Equal(t, []int{4, 1}, []int{runs, long})
		for _, r := range []*driver.Repeating{waiting, running} {
			require.False(t, r.Stop(), "ended with Close")
		}
	})
}

// Of Stop and Close at the same time one takes the repetition, not both.
func TestEveryStopAgainstClose(t *testing.T) {
	for range 3000 {
		d := start(t, newPlain())
		r := every(t, d, false, time.Hour, nothing)
		var stopped bool
		var group sync.WaitGroup
		group.Go(func() { stopped = r.Stop() })
		unfired := must.Get(d.Close(context.Background()))(t)
		group.Wait()
		require.Equal(t, stopped, len(unfired) == 0)
	}
}

// A run that panics, or ends its goroutine, is followed by the next.
func TestEveryOutlivesItsRuns(t *testing.T) {
	for name, end := range map[string]func(){
		"panic": func() { explode("broken") }, "goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			eachRunning(t, func(t *testing.T, mode driver.Option) {
				d := start(t, newPlain(), mode, driver.WithPanicHandler(func(any, []byte) {}))
				var runs atomic.Int64
				r := every(t, d, false, time.Second, func() { runs.Add(1); end() })
				pass(5 * time.Second)
				require.Equal(t, int64(5), runs.Load())
				require.Equal(t, name == "panic", d.Stats().Panics == 5)
				require.True(t, r.Stop())
			})
		})
	}
}

func TestEveryRefuses(t *testing.T) {
	d := start(t, newPlainWithin(time.Second), driver.WithMaxPending(1))
	for _, repeat := range []func(time.Duration, func()) (*driver.Repeating, error){d.Every, d.EveryAtFixedRate} {
		refused := func(want error, period time.Duration, f func()) {
			t.Helper()
			r, err := repeat(period, f)
			require.ErrorIs(t, err, want)
			require.Nil(t, r)
			require.Zero(t, d.Len())
		}
		refused(driver.ErrPeriod, 0, nothing)
		refused(driver.ErrPeriod, -time.Second, nothing)
		refused(driver.ErrNilFunc, time.Second, nil)
		refused(schedulers.ErrBeyondHorizon, time.Minute, nothing)
		refused(schedulers.ErrBeyondHorizon, time.Minute, nothing) // the room has come back
	}
	must.Get(d.Close(context.Background()))(t)
	_, err := d.Every(time.Second, nothing)
	require.ErrorIs(t, err, driver.ErrClosed)
}
