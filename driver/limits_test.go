package driver_test

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// A task has given its room back when it begins.
func TestMaxPendingWithinATask(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t, driver.WithMaxPending(1))
		after(t, d, time.Second, func() { after(t, d, time.Minute, nothing) })
		pass(time.Second)
		require.Equal(t, 1, d.Len())
	})
}

// The worker starts with the first timer that is taken; a driver that never had one is closed without it.
func TestWorkerStartsWithTheFirstTimer(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		_, err := d.AfterFunc(0, nil)
		require.ErrorIs(t, err, driver.ErrNilFunc)
		synctest.Wait()
		require.Zero(t, workers())
		after(t, d, time.Second, nothing)
		synctest.Wait()
		require.Equal(t, 1, workers())
		after(t, d, time.Second, nothing)
		synctest.Wait()
		require.Equal(t, 1, workers())
		require.NoError(t, second(d.Close(context.Background())))
		synctest.Wait()
		require.Zero(t, workers())

		unused := s.start(t)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.Empty(t, must.Get(unused.Close(ended))(t))
		require.Zero(t, workers())
		require.ErrorIs(t, second(unused.Close(ended)), driver.ErrClosed)
	})
}

// workers counts the workers of all drivers.
func workers() int { return inStacks("driver.(*core).work(") }

// inStacks counts a text in the stacks of all goroutines.
func inStacks(text string) int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), text)
}

// With slack one wake-up serves all that comes due within it. Nothing begins early, nor later than the slack allows.
func TestSlackSavesWakeups(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		if s.cascades || s.tick > ms {
			t.Skip("wakes for its own ends, or at few instants")
		}
		wakeups := func(slack time.Duration) uint64 {
			d := s.start(t, driver.WithSlack(slack))
			began, fired := time.Now(), 0
			for i := range 500 {
				deadline := time.Duration(500-i) * 2 * ms // each is earlier than those before
				after(t, d, deadline, func() {
					require.GreaterOrEqual(t, time.Since(began), deadline)
					require.LessOrEqual(t, time.Since(began), deadline+slack)
					fired++
				})
			}
			synctest.Wait()
			before := d.Stats().Wakeups
			pass(2 * time.Second)
			require.Equal(t, 500, fired)
			return d.Stats().Wakeups - before
		}
		require.Equal(t, uint64(500), wakeups(0))
		require.Equal(t, uint64(10), wakeups(99*ms), "50 of them in each 100 ms")
		require.Equal(t, uint64(1), wakeups(998*ms))
	})
}

// A deadline before the end of the sleep does not interrupt it if the slack
// allows for that: only one that is earlier than all others does.
func TestSlackSavesKicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, newPlain(), driver.WithSlack(100*ms))
		began := time.Now()
		var fired []time.Duration
		note := func() { fired = append(fired, time.Since(began)/ms) }
		for _, step := range []struct {
			delay time.Duration
			kicks uint64
		}{{1000 * ms, 0}, {1000 * ms, 0}, {999 * ms, 1}, {1098 * ms, 1}, {500 * ms, 2}} {
			after(t, d, step.delay, note)
			synctest.Wait()
			require.Equal(t, step.kicks, d.Stats().Kicks, "%v", step.delay)
		}
		pass(2 * time.Second)
		require.Equal(t, []time.Duration{600, 1099, 1099, 1099, 1099}, fired)
	})
}

// Slack is for sleeping until the next deadline; with a FixedTick it has no effect. A very long one is not too long.
func TestSlackAtItsLimits(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t, driver.WithSlack(time.Hour), driver.WithWaking(driver.FixedTick(10*ms)))
		after(t, d, 5*ms, nothing)
		pass(10 * ms)
		require.Equal(t, uint64(1), d.Stats().Fired)
		require.NoError(t, second(d.Close(context.Background())))

		endless := s.start(t, driver.WithSlack(math.MaxInt64))
		after(t, endless, time.Second, nothing)
		pass(1000 * time.Hour)
		require.Zero(t, endless.Stats().Fired)
		require.Equal(t, 1, endless.Len())
	})
}

// Lateness is that of the worker's look at the clock.
func TestLateness(t *testing.T) {
	for _, inbox := range []driver.Inbox{driver.Locked{}, driver.Queued{}} {
		for _, c := range []struct {
			opt        driver.Option
			sum, worst time.Duration
		}{
			{nil, 0, 0},
			{driver.WithWaking(driver.FixedTick(400 * ms)), 3 * 200 * ms, 200 * ms},
		} {
			synctest.Test(t, func(t *testing.T) {
				d := start(t, newPlain(), driver.WithInbox(inbox), c.opt)
				for range 3 {
					after(t, d, time.Second, func() { time.Sleep(time.Second) })
				}
				pass(time.Minute)
				st := d.Stats()
				require.Equal(t, []time.Duration{c.sum, c.worst}, []time.Duration{st.LatenessSum, st.LatenessWorst})
			})
		}
	}
}
