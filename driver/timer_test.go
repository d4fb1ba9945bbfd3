package driver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func TestZeroTimer(t *testing.T) {
	var timer driver.Timer
	require.False(t, timer.Stop())
	armed, err := timer.ResetPending(0)
	require.False(t, armed)
	require.NoError(t, err)
	require.Equal(t, driver.Unknown, timer.State())
}

// A deadline that is refused leaves the timer as it was, in every respect.
func TestResetRefused(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		if s.horizon == 0 || s.horizon > 24*time.Hour {
			t.Skip("refuses none, or none that can be waited for")
		}
		d := s.start(t)
		began := time.Now()
		var fired []time.Duration
		timer := after(t, d, time.Second, func() { fired = append(fired, time.Since(began)) })
		other := after(t, d, 2*time.Second, nothing)
		synctest.Wait()
		for range 3 {
			armed, err := timer.ResetPending(s.horizon + 2*s.tick)
			require.ErrorIs(t, err, schedulers.ErrBeyondHorizon)
			require.False(t, armed)
		}
		require.True(t, other.Stop())
		all := must.Get(d.All())(t)
		require.Len(t, all, 1)
		require.Equal(t, time.Second, all[0].Remaining)
		require.Equal(t, timer, all[0].Timer)
		require.Zero(t, d.Stats().Reset)
		pass(time.Minute)
		require.Equal(t, []time.Duration{time.Second}, fired)
	})
}

// The clock of a scheduler stands still while the worker sleeps; its horizon is counted from the present all the same.
func TestHorizonMovesWithTime(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		if s.horizon == 0 || s.horizon > 24*time.Hour {
			t.Skip("no horizon, or too far to wait for")
		}
		d := s.start(t)
		far := s.horizon - 2*s.tick
		var timer driver.Timer
		for range 10 {
			began := time.Now()
			timer = after(t, d, far, func() { t.Error("was reset") })
			pass(far / 2)
			require.True(t, reset(t, timer, far))
			after(t, d, far, func() { require.InDelta(t, far+far/2, time.Since(began), float64(s.tick)) })
			require.True(t, timer.Stop())
			pass(far * 2)
		}
		require.Equal(t, uint64(10), d.Stats().Fired)
	})
}

// A horizon that has to move while tasks are due leaves them to the worker.
func TestHorizonMovesPastDueTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, newPlainWithin(time.Second))
		began := time.Now()
		var fired []time.Duration
		note := func() { fired = append(fired, time.Since(began)/ms) }
		for range 600 {
			after(t, d, 50*ms, note)
		}
		found := after(t, d, 50*ms, note)
		after(t, d, ms, func() {
			time.Sleep(99 * ms) // everything else is due now
			require.True(t, reset(t, found, time.Second))
			after(t, d, time.Second, note)
		})
		pass(2 * time.Second)
		require.Len(t, fired, 602)
		for i, at := range fired {
			require.Equal(t, time.Duration(100+i/600*1000), at)
		}
	})
}

// What becomes of a timer is known, with the option or in a Queued driver: whether its task began, or Stop or Close took
// it away. ResetPending leaves it pending.
func TestState(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		var opts []driver.Option
		if _, queued := s.inbox.(driver.Queued); !queued {
			opts = append(opts, driver.WithStates())
		}
		d := s.start(t, opts...)
		var timers []driver.Timer
		states := func(want ...driver.State) {
			t.Helper()
			for i, timer := range timers {
				require.Equal(t, want[i], timer.State(), "timer %d", i)
			}
		}
		const p, f, c = driver.IsPending, driver.Fired, driver.Cancelled
		for i := range 6 {
			timers = append(timers, after(t, d, time.Second, func() { require.Equal(t, f, timers[i].State()) }))
			if i == 2 {
				synctest.Wait() // those before have moved out of a queue
			}
		}
		timers = append(timers, after(t, d, time.Minute, nothing))
		states(p, p, p, p, p, p, p)
		for _, i := range []int{1, 4} {
			require.True(t, timers[i].Stop())
			require.True(t, reset(t, timers[i+1], 3*time.Second))
		}
		states(p, c, p, p, c, p, p)
		pass(2 * time.Second)
		states(f, c, p, f, c, p, p)
		pass(2 * time.Second)
		states(f, c, f, f, c, f, p)
		require.False(t, timers[0].Stop())
		require.NoError(t, second(d.Close(context.Background())))
		states(f, c, f, f, c, f, c)
	})
}

// WithStates the records of a burst stay. A Queued driver without it gives them back.
func TestStatesAfterABurst(t *testing.T) {
	const n = 20_000
	for _, inbox := range []driver.Inbox{driver.Locked{}, driver.Queued{}} {
		synctest.Test(t, func(t *testing.T) {
			asked := start(t, heapsched.New[driver.Task](), driver.WithInbox(inbox), driver.WithStates())
			other := start(t, heapsched.New[driver.Task](), driver.WithInbox(inbox))
			known := map[*driver.Driver]int{}
			for _, d := range []*driver.Driver{asked, other} {
				timers := many(t, d, n, time.Hour)
				for _, timer := range timers {
					require.True(t, timer.Stop())
				}
				for _, timer := range timers {
					if timer.State() == driver.Cancelled {
						known[d]++
					}
				}
			}
			require.Equal(t, n, known[asked], "%T", inbox)
			require.Less(t, known[other], n/2)
		})
	}
}

// A burst makes pages of an earlier one again. What was stopped then has never fired.
func TestStateAfterASmallerBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, heapsched.New[driver.Task](), 0)
		timers := many(t, d, 20_000, time.Hour)
		for _, timer := range timers {
			require.True(t, timer.Stop())
		}
		many(t, d, 4097, time.Hour)
		for i, timer := range timers {
			require.Contains(t, []driver.State{driver.Cancelled, driver.Unknown}, timer.State(), "timer %d", i)
		}
	})
}
