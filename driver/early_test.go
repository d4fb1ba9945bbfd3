package driver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/schedulers"
)

// roundingDown is early by less than its tick, and counts the calls of Expire.
type roundingDown struct {
	tick time.Duration
	*heapsched.Heap[driver.Task]
	expires int
}

func newRoundingDown(tick time.Duration) *roundingDown {
	return &roundingDown{tick: tick, Heap: heapsched.New[driver.Task]()}
}

func (s *roundingDown) Schedule(deadline time.Duration, task driver.Task) (schedulers.ID, error) {
	return s.Heap.Schedule(deadline-deadline%s.tick, task)
}

func (s *roundingDown) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	return s.Heap.Reset(id, deadline-deadline%s.tick)
}

func (s *roundingDown) Expire(now time.Duration, due []driver.Task) int {
	s.expires++
	return s.Heap.Expire(now, due)
}

// What a scheduler hands out early begins on its deadline, after some visits for each timer: the worker does not spin.
// In virtual time a worker that spins would never end.
func TestEarlySchedulerDoesNotSpin(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100} {
		synctest.Test(t, func(t *testing.T) {
			s := newRoundingDown(time.Second)
			d := start(t, s)
			ran := 0
			for i := range n {
				deadline := time.Second + time.Duration(i+1)*time.Millisecond
				after(t, d, deadline, func() {
					require.Equal(t, deadline, d.Now())
					ran++
				})
			}
			pass(time.Minute)
			require.Equal(t, n, ran)
			require.LessOrEqual(t, s.expires, 6*n+4)
			require.Zero(t, s.Len())
		})
	}
}

// Stop and Reset reach a timer that is held, and a timer that takes its record over is not hastened.
func TestHeldTimersAreChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, newRoundingDown(time.Second))
		ran := map[string]time.Duration{}
		timer := func(name string, delay time.Duration) driver.Timer {
			return after(t, d, delay, func() { ran[name] = d.Now() })
		}
		stopped, sooner, later := timer("stopped", 1500*ms), timer("sooner", 1800*ms), timer("later", 1600*ms)
		timer("as it was", 1700*ms)
		pass(1100 * ms) // all are held
		require.True(t, stopped.Stop())
		require.True(t, reset(t, sooner, 100*ms))
		require.True(t, reset(t, later, 2*time.Second))
		timer("in its record", 1300*ms)
		pass(time.Minute)
		require.Equal(t, map[string]time.Duration{
			"sooner": 1200 * ms, "later": 3100 * ms, "as it was": 1700 * ms, "in its record": 2400 * ms,
		}, ran)
	})
}
