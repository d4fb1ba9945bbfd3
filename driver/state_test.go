package driver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
)

// What becomes of a timer is known, with the option or in a Queued driver: whether its task began, or Stop or Close took
// it away. ResetPending leaves it pending.
func TestState(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
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
