package driver_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

func TestCloseReturnsTheUnfired(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
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
	live(t, func(t *testing.T, s subject) {
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
