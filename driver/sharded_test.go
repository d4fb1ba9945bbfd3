package driver_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/schedulers"
)

// everywhere calls f n times, each on a goroutine of its own, with all of them alive at once: so a Sharded driver gets
// timers in all its shards. It returns once all the calls have.
func everywhere(n int, f func(i int)) {
	var group, alive sync.WaitGroup
	alive.Add(n)
	for i := range n {
		group.Go(func() {
			alive.Done()
			alive.Wait()
			f(i)
		})
	}
	group.Wait()
}

// Timers get into all shards. New makes all but the first.
func TestShardedUsesAllShards(t *testing.T) {
	made := 0
	d := start(t, newPlain(), driver.WithInbox(driver.Sharded{Shards: 4, New: func() (schedulers.Scheduler[driver.Task], error) {
		made++
		return newPlain(), nil
	}}))
	for range 1000 {
		deepDown(rand.N(1000), func() { after(t, d, time.Hour, nothing) })
	}
	require.Equal(t, 3, made)
	require.NotContains(t, driver.PendingByInbox(d), 0)
}
