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
