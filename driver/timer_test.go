package driver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
)

func TestZeroTimer(t *testing.T) {
	var timer driver.Timer
	require.False(t, timer.Stop())
	armed, err := timer.ResetPending(0)
	require.False(t, armed)
	require.NoError(t, err)
	require.Equal(t, driver.Unknown, timer.State())
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
