package driver_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

func TestCloseReturnsTheUnfired(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		var want, got []time.Duration
		for range 1000 {
			delay := time.Second + rand.N(time.Minute)
			want = append(want, delay-time.Second)
			after(t, d, delay, func() { got = append(got, delay-time.Second) })
		}
		after(t, d, time.Millisecond, nothing)
		after(t, d, 2*time.Second, func() { t.Error("ran after Stop") }).Stop()
		pass(time.Second - s.tick)
		time.Sleep(s.tick)
		unfired := must.Get(d.Close(context.Background()))(t)

		slices.Sort(want)
		require.Len(t, unfired, len(want))
		for i, u := range unfired {
			require.Equal(t, want[i], u.Remaining)
			u.Func()
		}
		require.Equal(t, want, got)
	})
}

func TestAfterClose(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t, driver.WithMaxPending(1)) // it is closed, not full
		timer := after(t, d, time.Second, func() { t.Error("ran after Close") })
		must.Get(d.Close(context.Background()))(t)

		_, err := d.AfterFunc(0, nothing)
		require.ErrorIs(t, err, driver.ErrClosed)
		unfired, err := d.Close(context.Background())
		require.ErrorIs(t, err, driver.ErrClosed)
		require.Empty(t, unfired)
		_, err = d.AfterFunc(2*s.horizon, nothing)
		require.ErrorIs(t, err, driver.ErrClosed, "before what the scheduler would say")
		all, err := d.All()
		require.ErrorIs(t, err, driver.ErrClosed)
		require.Nil(t, all)
		require.False(t, timer.Stop())
		require.False(t, reset(t, timer, 0))
		require.Zero(t, d.Len())
		pass(time.Minute)
		require.Zero(t, d.Stats().Fired)
	})
}

// Tasks that the worker has found due but not begun count as unfired.
func TestCloseReturnsTheFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, newPlain())
		began := time.Now()
		for range 10 {
			after(t, d, time.Second, func() { time.Sleep(time.Second) })
		}
		pass(2*time.Second + 500*time.Millisecond) // in the middle of the second
		unfired := must.Get(d.Close(context.Background()))(t)
		require.Equal(t, 3*time.Second, time.Since(began), "waits for the second")
		require.Len(t, unfired, 8)
		for _, u := range unfired {
			require.Equal(t, -1500*time.Millisecond, u.Remaining)
		}
		require.Equal(t, uint64(2), d.Stats().Fired)
	})
}

func TestCloseGivesUpOnAStuckTask(t *testing.T) {
	eachRunning(t, func(t *testing.T, mode driver.Option) {
		d := start(t, newPlain(), mode)
		stuck := make(chan struct{})
		defer close(stuck)
		after(t, d, 1, func() { <-stuck })
		after(t, d, time.Hour, nothing)
		pass(1)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		unfired, err := d.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, unfired, 1)
		require.Equal(t, time.Second, time.Since(began))
	})
}

// With nothing running there is nothing to give up on.
func TestCloseIdleWithEndedContext(t *testing.T) {
	eachRunning(t, func(t *testing.T, mode driver.Option) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			d := start(t, newPlain(), mode)
			after(t, d, time.Second, nothing)
			require.Len(t, must.Get(d.Close(ctx))(t), 1)
		}
	})
}

// Each of these calls CloseNow from a task, which is still running when it returns, or from the panic handler.
func TestCloseNow(t *testing.T) {
	for name, call := range map[string]func(closeIt func()){
		"plainly":    func(closeIt func()) { closeIt() },
		"deferred":   func(closeIt func()) { defer closeIt(); runtime.Goexit() },
		"panicking":  func(closeIt func()) { defer closeIt(); explode("broken") },
		"in handler": func(closeIt func()) { explode(closeIt) },
	} {
		t.Run(name, func(t *testing.T) {
			eachRunning(t, func(t *testing.T, mode driver.Option) {
				d := start(t, newPlain(), mode, driver.WithPanicHandler(func(value any, _ []byte) {
					if closeIt, ok := value.(func()); ok {
						closeIt()
					}
				}))
				after(t, d, 2, nothing)
				closed := false
				closeIt := func() {
					require.Len(t, must.Get(d.CloseNow())(t), 1)
					require.ErrorIs(t, second(d.CloseNow()), driver.ErrClosed)
					closed = true
				}
				after(t, d, 1, func() { call(closeIt) })
				pass(time.Second)
				require.True(t, closed)
				require.Equal(t, uint64(1), d.Stats().Fired)
			})
		})
	}
}

func deepDown(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	deepDown(depth-1, f)
}

// Close from a task waits for that task, until its context is done.
func TestCloseInsideTask(t *testing.T) {
	eachRunning(t, func(t *testing.T, mode driver.Option) {
		d := start(t, newPlain(), mode)
		began := time.Now()
		var took time.Duration
		after(t, d, 0, func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			require.ErrorIs(t, second(d.Close(ctx)), context.DeadlineExceeded)
			took = time.Since(began)
		})
		pass(time.Minute)
		require.Equal(t, time.Second, took)
	})
}

// All lists what is pending and nothing else, with the time that is left and the function that was given. The timers
// that it lists can be stopped and moved.
func TestAllListsWhatIsPending(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		require.Empty(t, must.Get(d.All())(t))
		const n = 600
		began := time.Now()
		delays, fired := make([]time.Duration, n), make([][]time.Duration, n)
		timers := make([]driver.Timer, n)
		for i := range timers {
			if i == n/2 {
				synctest.Wait() // half of them have moved out of a queue
			}
			delays[i] = time.Second + rand.N(time.Minute)
			deepDown(rand.N(1000), func() { timers[i] = after(t, d, delays[i], func() { fired[i] = append(fired[i], time.Since(began)) }) })
		}
		after(t, d, time.Second/2, nothing)
		var want []time.Duration
		for i, timer := range timers {
			switch i % 3 {
			case 0:
				require.True(t, timer.Stop())
			case 1:
				delays[i] = time.Second + rand.N(time.Minute)
				require.True(t, reset(t, timer, delays[i]))
				fallthrough
			case 2:
				want = append(want, delays[i]-time.Second)
			}
		}
		pass(time.Second - s.tick)
		time.Sleep(s.tick)
		all := must.Get(d.All())(t)
		require.Len(t, want, d.Len(), "it changes nothing")
		var got []time.Duration
		for i, p := range all {
			got = append(got, p.Remaining)
			p.Func()
			require.Nil(t, p.Repeating)
			if i%2 == 0 {
				require.True(t, reset(t, p.Timer, 2*time.Minute))
			} else {
				require.True(t, p.Timer.Stop())
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got)
		pass(time.Hour)
		again := 0
		for i, at := range fired {
			if i%3 == 0 {
				require.Empty(t, at, "timer %d", i)
				continue
			}
			require.Equal(t, time.Second, at[0], "timer %d", i)
			for _, at := range at[1:] {
				require.Equal(t, s.rounded(time.Second+2*time.Minute), at)
				again++
			}
		}
		require.Equal(t, len(all)/2, again)
		require.False(t, all[0].Timer.Stop())
	})
}

// A task that repeats is listed with its Repeating, and with the function that was
// given. Its timer cannot be stopped behind the back of the Repeating.
func TestAllListsWhatRepeats(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t, driver.WithMaxPending(2))
		var runs atomic.Int64
		r := every(t, d, false, time.Second, func() { runs.Add(1) })
		pass(1500 * ms)
		all := must.Get(d.All())(t)
		require.Len(t, all, 1)
		require.Same(t, r, all[0].Repeating)
		require.Equal(t, 500*ms, all[0].Remaining)
		all[0].Func()
		require.Equal(t, int64(2), runs.Load())
		require.Equal(t, 1, d.Len(), "its function arms nothing")
		require.False(t, all[0].Timer.Stop())
		require.False(t, reset(t, all[0].Timer, time.Minute))
		pass(time.Second)
		require.Equal(t, int64(3), runs.Load())
		require.True(t, all[0].Repeating.Stop())
		require.False(t, r.Stop())
	})
}
