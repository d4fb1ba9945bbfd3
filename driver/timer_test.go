package driver_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func TestStop(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		var self, pending driver.Timer
		self = after(t, d, time.Second, func() { require.False(t, self.Stop(), "running") })
		pending = after(t, d, time.Second, func() { t.Error("ran after Stop") })
		require.Equal(t, 2, d.Len())
		require.True(t, pending.Stop())
		require.False(t, pending.Stop(), "stopped before")
		require.Equal(t, 1, d.Len())
		pass(2 * time.Second)
		require.False(t, self.Stop(), "has run")
		require.Equal(t, uint64(1), d.Stats().Fired)
	})
}

func TestZeroTimer(t *testing.T) {
	var timer driver.Timer
	require.False(t, timer.Stop())
	armed, err := timer.ResetPending(0)
	require.False(t, armed)
	require.NoError(t, err)
	require.Equal(t, driver.Unknown, timer.State())
}

// The first task stops and resets others that the worker has already found due.
func TestStopAndResetOfFound(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		began := time.Now()
		timers := make([]driver.Timer, 9)
		fired := make([][]time.Duration, len(timers))
		done := false
		var mu sync.Mutex // protects timers
		for i := range timers {
			mu.Lock()
			timers[i] = after(t, d, time.Second, func() {
				mu.Lock()
				defer mu.Unlock()
				fired[i] = append(fired[i], time.Since(began))
				if done {
					return
				}
				done = true
				for j := range timers {
					switch {
					case j == i:
						require.False(t, timers[j].Stop())
						require.False(t, reset(t, timers[j], 0))
					case j%3 == 0:
						require.True(t, timers[j].Stop())
						require.False(t, reset(t, timers[j], 0))
					case j%3 == 1:
						require.True(t, reset(t, timers[j], time.Second))
						require.True(t, reset(t, timers[j], 2*time.Second))
					}
				}
			})
			mu.Unlock()
		}
		pass(5 * time.Second)
		first := -1
		for i := range timers {
			if len(fired[i]) == 1 && fired[i][0] == time.Second && i%3 != 2 {
				require.Equal(t, -1, first)
				first = i
				continue
			}
			switch i % 3 {
			case 0:
				require.Empty(t, fired[i])
			case 1:
				require.Equal(t, []time.Duration{3 * time.Second}, fired[i])
			case 2:
				require.Equal(t, []time.Duration{time.Second}, fired[i])
			}
		}
		require.Zero(t, d.Len())
	})
}

func TestReset(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		began := time.Now()
		var fired []time.Duration
		timer := after(t, d, 3*time.Second, func() { fired = append(fired, time.Since(began)) })
		synctest.Wait()
		require.True(t, reset(t, timer, time.Second), "earlier")
		pass(500 * time.Millisecond)
		require.True(t, reset(t, timer, 2*time.Second), "later")
		require.Equal(t, 1, d.Len())
		pass(5 * time.Second)
		require.Equal(t, []time.Duration{2500 * time.Millisecond}, fired)
		require.False(t, reset(t, timer, time.Second), "has run")
		pass(5 * time.Second)
		require.Len(t, fired, 1)
	})
}

// Reset leaves a timer and all its copies valid, however often it comes, and is no cancellation.
func TestResetLeavesCopiesValid(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t, driver.WithCancelHandler(func(driver.Timer) { t.Error("called for a cancelled timer") }),
			driver.WithMaxPending(1))
		began := time.Now()
		var fired []time.Duration
		timer := after(t, d, time.Second, func() { fired = append(fired, time.Since(began)) })
		copies := [3]driver.Timer{timer, timer, timer}
		for i := range 30 {
			require.True(t, reset(t, copies[i%3], time.Duration(1+i%7)*time.Minute))
			require.Equal(t, 1, d.Len())
			pass(time.Duration(i%3) * ms)
		}
		require.Equal(t, copies[0], timer)
		all := must.Get(d.All())(t)
		require.Len(t, all, 1)
		require.Equal(t, timer, all[0].Timer)
		pass(time.Hour)
		require.Equal(t, []time.Duration{s.rounded(28*ms + 2*time.Minute)}, fired)
		for _, c := range copies {
			require.False(t, reset(t, c, 0))
			require.False(t, c.Stop())
		}
		st := d.Stats()
		require.Equal(t, [3]uint64{1, 30, 0}, [3]uint64{st.Scheduled, st.Reset, st.Stopped})
	})
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

// A timer whose task is gone does not touch the one that took its place.
func TestStaleTimer(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		var stale []driver.Timer
		for range 1000 {
			timer := after(t, d, time.Second, func() { t.Error("ran after Stop") })
			require.True(t, timer.Stop())
			stale = append(stale, timer)
		}
		fired := false
		after(t, d, time.Second, func() { fired = true })
		for _, timer := range stale {
			require.False(t, timer.Stop())
			require.False(t, reset(t, timer, 0))
		}
		pass(time.Second)
		require.True(t, fired)
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
				var timers []driver.Timer
				for range n {
					timers = append(timers, after(t, d, time.Hour, nothing))
				}
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
		timers := make([]driver.Timer, 20_000)
		for i := range timers {
			timers[i] = after(t, d, time.Hour, nothing)
		}
		for _, timer := range timers {
			require.True(t, timer.Stop())
		}
		for range 4097 {
			after(t, d, time.Hour, nothing)
		}
		for i, timer := range timers {
			require.Contains(t, []driver.State{driver.Cancelled, driver.Unknown}, timer.State(), "timer %d", i)
		}
	})
}
