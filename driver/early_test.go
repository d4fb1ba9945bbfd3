package driver

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/schedulers"
)

// roundingDown is early by less than a second, and counts the calls of Expire.
type roundingDown struct {
	*heapsched.Heap[Task]
	expires int
}

func down(deadline time.Duration) time.Duration { return deadline - deadline%time.Second }

func (s *roundingDown) Schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	return s.Heap.Schedule(down(deadline), task)
}

func (s *roundingDown) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	return s.Heap.Reset(id, down(deadline))
}

func (s *roundingDown) Expire(now time.Duration, due []Task) int {
	s.expires++
	return s.Heap.Expire(now, due)
}

// What a scheduler hands out early begins on its deadline, after some visits for each timer: the worker does not spin.
// In virtual time a worker that spins would never end.
func TestEarlySchedulerDoesNotSpin(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100} {
		synctest.Test(t, func(t *testing.T) {
			s := &roundingDown{Heap: heapsched.New[Task]()}
			d, err := Start(s)
			require.NoError(t, err)
			ran := 0
			for i := range n {
				deadline := time.Second + time.Duration(i+1)*time.Millisecond
				armed(t, d, deadline, func() {
					require.Equal(t, deadline, d.Now())
					ran++
				})
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Equal(t, n, ran)
			require.LessOrEqual(t, s.expires, 6*n+4)
			require.Zero(t, s.Len())
			_, err = d.Close(context.Background())
			require.NoError(t, err)
		})
	}
}

// Stop and Reset reach a timer that is held, and a timer that takes its record over is not hastened.
func TestHeldTimersAreChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := Start(&roundingDown{Heap: heapsched.New[Task]()})
		require.NoError(t, err)
		ran := map[string]time.Duration{}
		timer := func(name string, delay time.Duration) Timer {
			return armed(t, d, delay, func() { ran[name] = d.Now() })
		}
		const ms = time.Millisecond
		stopped, sooner, later := timer("stopped", 1500*ms), timer("sooner", 1800*ms), timer("later", 1600*ms)
		timer("as it was", 1700*ms)
		time.Sleep(1100 * ms) // all are held
		require.True(t, stopped.Stop())
		require.True(t, second(sooner.Reset(100*ms)))
		require.True(t, second(later.Reset(2*time.Second)))
		timer("in its record", 1300*ms)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, map[string]time.Duration{
			"sooner": 1200 * ms, "later": 3100 * ms, "as it was": 1700 * ms, "in its record": 2400 * ms,
		}, ran)
		_, err = d.Close(context.Background())
		require.NoError(t, err)
	})
}
