package driver_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

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

// Close waits for a running task until its context is done, also inside that task.
func TestCloseGivesUpOnARunningTask(t *testing.T) {
	for _, inside := range []bool{false, true} {
		eachRunning(t, func(t *testing.T, mode driver.Option) {
			d := start(t, newPlain(), mode)
			closed := false
			closes := func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				unfired, err := d.Close(ctx)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Len(t, unfired, 1)
				require.Equal(t, time.Second, time.Since(began))
				closed = true
			}
			after(t, d, 1, func() {
				if inside {
					closes()
				} else {
					time.Sleep(time.Minute)
				}
			})
			after(t, d, time.Hour, nothing)
			if pass(1); !inside {
				closes()
			}
			pass(time.Minute)
			require.True(t, closed)
		})
	}
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
